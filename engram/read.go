package engram

import (
	"math"
	"time"

	"github.com/satchel-memory/satchel/canon"
)

// The functions below read an object of the wire as far as possible. A field is zero when
// its member is absent or of another type. The object keeps the received JSON. [Validate]
// says what is wrong with it.

// ReadIdentity reads an identity (section 3.3).
func ReadIdentity(v canon.Value) Identity {
	return Identity{
		DisplayName: v.Get("display_name").Text(),
		Timezone:    v.Get("timezone").Text(),
		Locale:      v.Get("locale").Text(),
		Role:        v.Get("role").Text(),
		Domains:     texts[string](v.Get("domains")),
		Bio:         v.Get("bio").Text(),
		CreatedAt:   instant(v.Get("created_at")),
		LastUpdated: instant(v.Get("last_updated")),
		Value:       v,
	}
}

// ReadBelief reads a belief (section 3.4). A belief without a confidence has 0.
func ReadBelief(v canon.Value) Belief {
	b := Belief{
		ID:            v.Get("id").Text(),
		Category:      Category(v.Get("category").Text()),
		Key:           v.Get("key").Text(),
		Text:          v.Get("value").Text(),
		ValueType:     v.Get("value_type").Text(),
		Confidence:    v.Get("confidence").Float(),
		Source:        Source(v.Get("source").Text()),
		Status:        Status(v.Get("status").Text()),
		CreatedAt:     instant(v.Get("created_at")),
		LastConfirmed: instant(v.Get("last_confirmed")),
		Tags:          texts[string](v.Get("tags")),
		DeletedAt:     instant(v.Get("deleted_at")),
		Value:         v,
	}
	if days, ok := wholeDays(v.Get("stale_after_days")); ok {
		b.StaleAfter = &days
	}
	return b
}

// ReadChange reads an entry of evolution (section 3.5).
func ReadChange(v canon.Value) Change {
	return Change{
		ID:        v.Get("id").Text(),
		Belief:    v.Get("belief_id").Text(),
		Old:       v.Get("old_value").Text(),
		New:       v.Get("new_value").Text(),
		ChangedAt: instant(v.Get("changed_at")),
		Trigger:   Trigger(v.Get("trigger").Text()),
		Context:   v.Get("context").Text(),
		Note:      v.Get("note").Text(),
		Value:     v,
	}
}

// ReadCorrection reads an entry of corrections (section 3.6).
func ReadCorrection(v canon.Value) Correction {
	return Correction{
		ID:          v.Get("id").Text(),
		Belief:      v.Get("belief_id").Text(),
		By:          Corrector(v.Get("corrected_by").Text()),
		CorrectedAt: instant(v.Get("corrected_at")),
		Old:         v.Get("old_value").Text(),
		New:         v.Get("new_value").Text(),
		Method:      Method(v.Get("method").Text()),
		Note:        v.Get("note").Text(),
		Status:      Resolution(v.Get("status").Text()),
		Runtime:     v.Get("runtime_id").Text(),
		ObservedAt:  instant(v.Get("observed_at")),
		Value:       v,
	}
}

// ReadConstraint reads a constraint (edition 0.1.2, section 3.7).
func ReadConstraint(v canon.Value) Constraint {
	return Constraint{
		ID:        v.Get("id").Text(),
		Rule:      v.Get("rule").Text(),
		Category:  v.Get("category").Text(),
		Scope:     v.Get("scope").Text(),
		CreatedAt: instant(v.Get("created_at")),
		SetBy:     v.Get("set_by").Text(),
		Status:    v.Get("status").Text(),
		Note:      v.Get("note").Text(),
		DeletedAt: instant(v.Get("deleted_at")),
		Value:     v,
	}
}

func readTombstone(v canon.Value) Tombstone {
	return Tombstone{ID: v.Get("id").Text(), DeletedAt: instant(v.Get("deleted_at"))}
}

func readDefinition(v canon.Value) *Definition {
	if v.Type() != canon.TypeObject {
		return nil
	}
	return &Definition{
		Included:   texts[Category](v.Get("included_categories")),
		Excluded:   texts[Category](v.Get("excluded_categories")),
		Purpose:    v.Get("purpose").Text(),
		IssuedTo:   v.Get("issued_to").Text(),
		ValidUntil: instant(v.Get("valid_until")),
	}
}

// readIssuer reads an issuer; a text is its address (decision E-04).
func readIssuer(v canon.Value) Issuer {
	if v.Type() == canon.TypeString {
		return Issuer{Name: v.Text(), URL: v.Text()}
	}
	return Issuer{Name: v.Get("name").Text(), URL: v.Get("url").Text(), DID: v.Get("did").Text()}
}

// readSubject reads a subject; a text is its id (decision E-04).
func readSubject(v canon.Value) Subject {
	if v.Type() == canon.TypeString {
		return Subject{ID: v.Text()}
	}
	return Subject{ID: v.Get("id").Text(), DisplayName: v.Get("display_name").Text()}
}

// readSignature reads a signature in either of its shapes (decision E-04).
func readSignature(v canon.Value) Signature {
	if v.Type() != canon.TypeObject {
		return Signature{Value: v.Text()}
	}
	s := Signature{Value: v.Get("value").Text(), Kid: v.Get("kid").Text(), Algorithm: v.Get("algorithm").Text(), Object: true}
	if alg := v.Get("alg"); alg.Type() != canon.TypeUndefined && (alg.Type() != canon.TypeString || !(Signature{Algorithm: alg.Text()}).ed25519()) {
		s.Algorithm = "another than Ed25519" // as in {"alg":"none"}, where JOSE names the algorithm
	}
	return s
}

// listOf reads an array; anything else is empty.
func listOf[T any](v canon.Value, read func(canon.Value) T) []T {
	if v.Type() != canon.TypeArray {
		return nil
	}
	list := make([]T, 0, v.Len())
	for _, item := range v.Items() {
		list = append(list, read(item))
	}
	return list
}

// texts reads an array of strings; nil: it is not an array.
func texts[S ~string](v canon.Value) []S {
	return listOf(v, func(item canon.Value) S { return S(item.Text()) })
}

// instant reads a time; zero: it is not one.
func instant(v canon.Value) time.Time {
	t, _ := ParseInstant(v.Text())
	return t
}

// wholeDays reads a number of days, if it is an integer of 0 or more.
func wholeDays(v canon.Value) (int, bool) {
	f := v.Float()
	if v.Type() != canon.TypeNumber || f < 0 || f != math.Trunc(f) || f > 1<<53 {
		return 0, false
	}
	return int(f), true
}
