package umpsuite

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/text/pattern"
)

func recordChecks() []check {
	return []check{
		{"UMP-2-1", wholeRecord},
		{"UMP-2-2", umpMember},
		{"UMP-2-4", kindMember},
		{"UMP-2-5", bodyMember},
		{"UMP-2-6", textMember},
		{"UMP-2-7", structuredMember},
		{"UMP-2-8", scopeMember},
		{"UMP-2-9", ownerMember},
		{"UMP-2-10", userMember},
		{"UMP-2-11", notInvented},
		{"UMP-2-12", visibilityMember},
		{"UMP-2-14", createdMember},
		{"UMP-2-15", observedMember},
		{"UMP-2-16", validMembers},
		{"UMP-2-17", lifecycleOptional},
		{"UMP-2-18", unitInterval},
		{"UMP-2-19", decayKept},
		{"UMP-2-20", statusMember},
		{"UMP-2-21", supersedesMember},
		{"UMP-2-22", supersededByEngine},
		{"UMP-2-23", relationMembers},
		{"UMP-2-25", consentOptional},
		{"UMP-2-27", unknownKept},
		{"UMP-2-28", noComments},
	}
}

func wholeRecord(r *run) error {
	n, err := r.plain()
	if err != nil {
		return err
	}
	hits, err := r.recall(n.word, `{}`)
	if err != nil {
		return err
	}
	for _, hit := range hits {
		if hit.Get("record").Get("id").Text() == string(n.id) {
			if !canon.Equal(hit.Get("record"), n.record) {
				return errors.New("recall gives another record than get")
			}
			return nil
		}
	}
	return errors.New("recall does not bring the record")
}

func umpMember(r *run) error {
	n, err := r.plain()
	if err == nil && n.record.Get("ump").Text() != r.edition() {
		err = errors.New("a record was stored with another edition than capabilities.ump")
	}
	return first(err,
		r.refuses(memory.InvalidRecord, `{"ump":0.1}`),
		r.refuses(memory.Unsupported, `{"ump":"9.0"}`))
}

var ownID = pattern.New(`^urn:ump:[a-z2-7]+$`)

func lasting(r *run) error {
	n, err := r.plain()
	if err != nil {
		return err
	}
	if !ownID.MatchString(string(n.id)) {
		return errors.New("the id is not urn:ump: and lower-case base32")
	}
	if n.record.Get("id").Text() != string(n.id) {
		return errors.New("get gives a record with another id than remember said")
	}
	return r.seen.verdict("UMP-2-3")
}

func kindMember(r *run) error {
	n, err := r.plain()
	if err == nil && n.record.Get("kind").Text() != "semantic" {
		err = errors.New("the kind is not kept")
	}
	return first(err, r.refusesAll(memory.InvalidRecord, `{"kind":"note"}`, `{"kind":5}`))
}

func bodyMember(r *run) error {
	return r.refusesAll(memory.InvalidRecord, `{"body":null}`, `{"body":"x"}`, `{"body":["x"]}`)
}

func textMember(r *run) error {
	return r.refusesAll(memory.InvalidRecord, `{"body":{"text":null}}`, `{"body":{"text":""}}`, `{"body":{"text":5}}`)
}

func structuredMember(r *run) error {
	return first(
		r.keeps("/body/structured", `{"body":{"structured":{}}}`),
		r.keeps("/body/structured", `{"body":{"structured":{"a":{"b":[1,"x",true,1.5]},"c":""}}}`),
		r.refusesAll(memory.InvalidRecord, `{"body":{"structured":"x"}}`, `{"body":{"structured":[1]}}`))
}

func scopeMember(r *run) error {
	n, err := r.plain()
	if err == nil && n.record.Get("scope").Type() != canon.TypeObject {
		err = errors.New("a record came without scope")
	}
	return first(err, r.refusesAll(memory.InvalidRecord, `{"scope":"x"}`, `{"scope":["x"]}`))
}

func ownerMember(r *run) error {
	n, err := r.plain()
	if err == nil && n.record.Get("scope").Get("owner").Text() != string(r.Owner) {
		err = errors.New("scope.owner is not kept")
	}
	err = first(err, r.refusesAll(memory.InvalidRecord, `{"scope":{"owner":""}}`, `{"scope":{"owner":5}}`))
	if r.level >= 2 {
		err = first(err, r.refusesAll(memory.InvalidRecord, `{"scope":{"owner":"alice"}}`))
	}
	return err
}

func userMember(r *run) error {
	n, err := r.plain()
	if err == nil && n.record.Get("scope").Has("user") {
		err = errors.New("scope.user is invented")
	}
	return first(err, r.keeps("/scope/user", fmt.Sprintf(`{"scope":{"user":%q}}`, r.other.DID())))
}

func notInvented(r *run) error {
	n, err := r.plain()
	if err != nil {
		return err
	}
	for _, name := range []string{"agent", "session"} {
		if n.record.Get("scope").Has(name) {
			return fmt.Errorf("scope.%s is invented", name)
		}
	}
	return r.keeps("/scope/session", `{"scope":{"session":"turn 1"}}`)
}

func visibilityMember(r *run) error {
	n, err := r.plain()
	if err == nil && n.record.Get("scope").Get("visibility").Text() != string(memory.Private) {
		err = errors.New("a draft without visibility did not become private")
	}
	return first(err, r.refusesAll(memory.InvalidRecord, `{"scope":{"visibility":"team"}}`))
}

func timeMember(r *run) error { return sawRecord(r, "UMP-2-13") }

func createdMember(r *run) error {
	n, err := r.plain()
	if err != nil {
		return err
	}
	if _, err := time.Parse(time.RFC3339, n.record.Get("time").Get("created").Text()); err != nil {
		return errors.New("time.created is no date with time")
	}
	return r.refusesAll(memory.InvalidRecord, `{"time":{"created":"today"}}`)
}

func observedMember(r *run) error {
	return first(
		r.keeps("/time/observed", `{"time":{"observed":"2021-02-03T04:05:06+02:00"}}`),
		r.refusesAll(memory.InvalidRecord, `{"time":{"observed":12}}`, `{"time":{"observed":"2021-02-30T00:00:00Z"}}`))
}

func validMembers(r *run) error {
	draft, word := r.draft(`{"time":{"valid_from":%q}}`, longAgo)
	draft = draft.With("time", draft.Get("time").With("valid_to", canon.Null()))
	id, _, err := r.put(draft)
	if err != nil {
		return fmt.Errorf("a draft with valid_to null: %w", err)
	}
	return first(
		r.finds(word, `{}`, []memory.ID{id}, nil),
		r.refusesAll(memory.InvalidRecord, `{"time":{"valid_from":"2023-01-01T00:00:00Z","valid_to":"2020-01-01T00:00:00Z"}}`, `{"time":{"valid_from":"soon"}}`))
}

func lifecycleOptional(r *run) error {
	if err := needless(r, "lifecycle", `{"lifecycle":{"salience":1}}`); err != nil {
		return err
	}
	if r.Key == nil {
		return nil
	}
	_, kept, err := ownStored(r, `{}`)
	if err == nil && kept.Has("lifecycle") {
		err = errors.New("lifecycle was added to a signed record")
	}
	return err
}

func unitInterval(r *run) error {
	return first(
		r.accepts(`{"lifecycle":{"confidence":0,"salience":1}}`, `{"lifecycle":{"confidence":1,"salience":0}}`),
		r.refusesAll(memory.InvalidRecord, `{"lifecycle":{"confidence":1.01}}`, `{"lifecycle":{"salience":-0.1}}`, `{"lifecycle":{"confidence":"0.5"}}`))
}

func decayKept(r *run) error {
	return first(
		r.keeps("/lifecycle/decay", `{"lifecycle":{"decay":"half_life:P90D"}}`),
		r.keeps("/lifecycle/decay", `{"lifecycle":{"decay":"with the moon, waning"}}`))
}

func statusMember(r *run) error {
	n, err := r.plain()
	if status := n.record.Get("lifecycle").Get("status"); err == nil && status.Type() != canon.TypeUndefined && status.Text() != string(memory.Active) {
		err = errors.New("a draft without status did not become active")
	}
	return first(err, r.refusesAll(memory.InvalidRecord, `{"lifecycle":{"status":"deleted"}}`))
}

func supersedesMember(r *run) error {
	return first(
		r.keeps("/supersedes", fmt.Sprintf(`{"supersedes":["urn:ump:conformance%s"]}`, r.word())),
		r.refusesAll(memory.InvalidRecord, `{"supersedes":"x"}`, `{"supersedes":[5]}`))
}

func supersededByEngine(r *run) error {
	c, err := r.revised()
	if err == nil && !has(c.prior.record.Get("superseded_by"), c.next.id) {
		err = errors.New("superseded_by of the prior does not name the successor")
	}
	if err != nil {
		return err
	}
	if r.refuses(memory.InvalidRecord, `{"superseded_by":["urn:ump:conformance"]}`) == nil {
		return nil
	}
	v, err := r.stored(`{"superseded_by":["urn:ump:conformance"]}`)
	if err == nil && v.Get("superseded_by").Len() > 0 {
		err = errors.New("an author could set superseded_by")
	}
	return err
}

// has reports whether an array holds an id.
func has(list canon.Value, id memory.ID) bool {
	return slices.ContainsFunc(list.Items(), func(v canon.Value) bool { return v.Text() == string(id) })
}

func relationMembers(r *run) error {
	return first(
		r.keeps("/relations", `{"relations":[{"type":"about","target":"entity:yard"}]}`),
		r.refusesAll(memory.InvalidRecord, `{"relations":[{"type":"about"}]}`, `{"relations":[{"target":"entity:x"}]}`, `{"relations":"x"}`))
}

func provenanceThere(r *run) error { return sawRecord(r, "UMP-2-24") }

func consentOptional(r *run) error { return needless(r, "consent", `{"consent":{"exportable":true}}`) }

// needless checks that a draft may lack a member. If the server refuses a draft without the
// member, it must also refuse one with it.
func needless(r *run, name, with string) error {
	_, err := r.plain()
	if err == nil {
		return nil
	}
	if _, failed := r.remember("%s", raw(with)); failed == nil {
		return &sure{fmt.Errorf("a draft without %s is refused", name)}
	}
	return err
}

func integrityThere(r *run) error { return sawRecord(r, "UMP-2-26") }

func unknownKept(r *run) error {
	for pointer, change := range map[string]string{
		"/" + planted:                `{"` + planted + `":{"a":[1,true]}}`,
		"/body/" + planted + "_more": `{"body":{"` + planted + `_more":"b"}}`,
	} {
		if r.refuses(memory.InvalidRecord, "%s", raw(change)) != nil {
			if err := r.keeps(pointer, change); err != nil {
				return err
			}
			continue
		}
		sent, kept, err := ownStored(r, "%s", raw(change))
		if err != nil {
			return err
		}
		if !canon.Equal(sent, kept) {
			return fmt.Errorf("%s is not kept as it was signed", pointer)
		}
	}
	return nil
}

func noComments(r *run) error {
	draft, _ := r.draft(`{}`)
	a := r.raw("remember", `{"record": // as in the sample
`+string(draft.Append(nil))+"}")
	r.wrote(memory.ID(a.Value.Get("id").Text()))
	return a.refused(memory.InvalidRecord)
}
