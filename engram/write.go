package engram

import (
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// object collects the members of an object.
type object []canon.Member

func (o *object) add(name string, v canon.Value) { *o = append(*o, canon.Member{Name: name, Value: v}) }

// must adds a required text, even an empty one.
func (o *object) must(name, s string) { o.add(name, canon.String(s)) }

// may adds an optional text; an empty one is absent, not empty or null (decision E-03).
func (o *object) may(name, s string) {
	if s != "" {
		o.must(name, s)
	}
}

func (o *object) time(name string, t time.Time) {
	if !t.IsZero() {
		o.must(name, FormatInstant(t))
	}
}

func (o *object) texts(name string, list []string) {
	if list != nil {
		o.add(name, stringsOf(list))
	}
}

func (o object) value() canon.Value { return canon.Object(o...) }

// stringsOf returns an array of strings of any type.
func stringsOf[S ~string](list []S) canon.Value {
	items := make([]canon.Value, len(list))
	for i, s := range list {
		items[i] = canon.String(string(s))
	}
	return canon.Array(items...)
}

// written returns an object as written: as received, with unknown members and spelling, and
// with later changes applied.
func written[T any](now T, received canon.Value, read func(canon.Value) T, fields func(T) canon.Value, same func(a, b T) bool) canon.Value {
	if received.Type() != canon.TypeObject {
		return fields(now)
	}
	before := read(received)
	if same(now, before) {
		return received // saves three trees for each of the many unchanged objects
	}
	v, _ := codec.Reconcile(received, fields(before), fields(now))
	return v
}

// Wire returns the identity as written (section 3.3).
func (i Identity) Wire() canon.Value {
	return written(i, i.Value, ReadIdentity, Identity.fields, Identity.same)
}

func (i Identity) fields() canon.Value {
	var o object
	o.must("display_name", i.DisplayName)
	o.must("timezone", i.Timezone)
	o.may("locale", i.Locale)
	o.may("role", i.Role)
	o.texts("domains", i.Domains)
	o.may("bio", i.Bio)
	o.time("created_at", i.CreatedAt)
	o.time("last_updated", i.LastUpdated)
	return o.value()
}

// Wire returns the belief as written (section 3.4).
func (b Belief) Wire() canon.Value {
	return written(b, b.Value, ReadBelief, Belief.fields, Belief.same)
}

func (b Belief) fields() canon.Value {
	o := make(object, 0, 13)
	o.must("id", b.ID)
	o.must("category", string(b.Category))
	o.must("key", b.Key)
	o.must("value", b.Text)
	o.may("value_type", b.ValueType)
	o.add("confidence", canon.Number(b.Confidence))
	o.must("source", string(b.Source))
	o.must("status", string(b.Status))
	o.time("created_at", b.CreatedAt)
	o.time("last_confirmed", b.LastConfirmed)
	if b.StaleAfter != nil {
		o.add("stale_after_days", canon.Int(int64(*b.StaleAfter)))
	}
	o.texts("tags", b.Tags)
	o.time("deleted_at", b.DeletedAt)
	return o.value()
}

// Wire returns the change as written (section 3.5).
func (c Change) Wire() canon.Value {
	return written(c, c.Value, ReadChange, Change.fields, Change.same)
}

func (c Change) fields() canon.Value {
	o := make(object, 0, 8)
	o.must("id", c.ID)
	o.must("belief_id", c.Belief)
	o.must("old_value", c.Old)
	o.must("new_value", c.New)
	o.time("changed_at", c.ChangedAt)
	o.must("trigger", string(c.Trigger))
	o.may("context", c.Context)
	o.may("note", c.Note)
	return o.value()
}

// Wire returns the correction as written (section 3.6).
func (c Correction) Wire() canon.Value {
	return written(c, c.Value, ReadCorrection, Correction.fields, Correction.same)
}

func (c Correction) fields() canon.Value {
	o := make(object, 0, 11)
	o.must("id", c.ID)
	o.must("belief_id", c.Belief)
	o.must("corrected_by", string(c.By))
	o.time("corrected_at", c.CorrectedAt)
	o.must("old_value", c.Old)
	o.must("new_value", c.New)
	o.must("method", string(c.Method))
	o.may("note", c.Note)
	o.may("status", string(c.Status))
	o.may("runtime_id", c.Runtime)
	o.time("observed_at", c.ObservedAt)
	return o.value()
}

// Wire returns the constraint as written (edition 0.1.2, section 3.7).
func (k Constraint) Wire() canon.Value {
	return written(k, k.Value, ReadConstraint, Constraint.fields, Constraint.same)
}

func (k Constraint) fields() canon.Value {
	o := make(object, 0, 9)
	o.must("id", k.ID)
	o.must("rule", k.Rule)
	o.must("category", k.Category)
	o.may("scope", k.Scope)
	o.time("created_at", k.CreatedAt)
	o.must("set_by", k.SetBy)
	o.must("status", k.Status)
	o.may("note", k.Note)
	o.time("deleted_at", k.DeletedAt)
	return o.value()
}

// Wire returns the tombstone as written in a delta (section 3.9): three members.
func (t Tombstone) Wire() canon.Value {
	var o object
	o.must("id", t.ID)
	o.must("status", string(Deleted))
	o.time("deleted_at", t.DeletedAt)
	return o.value()
}

// Wire returns the definition as written (section 3.7).
func (d Definition) Wire() canon.Value {
	var o object
	o.add("included_categories", stringsOf(d.Included))
	if d.Excluded != nil {
		o.add("excluded_categories", stringsOf(d.Excluded))
	}
	o.may("purpose", d.Purpose)
	o.may("issued_to", d.IssuedTo)
	o.time("valid_until", d.ValidUntil)
	return o.value()
}

// Wire returns the issuer as written (section 3.2).
func (i Issuer) Wire() canon.Value {
	var o object
	o.must("name", i.Name)
	o.must("url", i.URL)
	o.may("did", i.DID)
	return o.value()
}

func (s Subject) wire() canon.Value {
	var o object
	o.must("id", s.ID)
	o.may("display_name", s.DisplayName)
	return o.value()
}

// arrayOf returns a list as an array, empty rather than null (ENGRAM-3.1-2).
func arrayOf[T interface{ Wire() canon.Value }](list []T) canon.Value {
	items := make([]canon.Value, len(list))
	for i, x := range list {
		items[i] = x.Wire()
	}
	return canon.Array(items...)
}
