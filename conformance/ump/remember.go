package umpsuite

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
)

func rememberChecks() []check {
	return []check{
		{"UMP-3.3-1", leastDraft},
		{"UMP-3.3-2", leftOutFilled},
		{"UMP-3.3-3", timesKept},
		{"UMP-3.3-4", signedKept},
		{"UMP-3.3-5", sameAgain},
		{"UMP-3.3-7", policyRefused},
		{"UMP-3.3-8", forgeryRefused},
		{"UMP-3.3-10", foreignOwner},
		{"UMP-3.3-11", idTaken},
		{"UMP-3.3-12", mergeKeepsApart},
		{"UMP-3.3-13", notBornDead},
	}
}

func leastDraft(r *run) error {
	draft, _ := r.draft(`{}`)
	if _, _, err := r.put(draft); err != nil {
		return err
	}
	bare, _ := r.draft(`{}`)
	a := r.post("remember", bare)
	r.wrote(memory.ID(a.Value.Get("id").Text()))
	if _, err := a.ok(); err != nil {
		return fmt.Errorf("a record that is not wrapped: %w", err)
	}
	return r.refusesAll(memory.InvalidRecord, `{"body":null}`)
}

func leftOutFilled(r *run) error {
	n, err := r.plain()
	if err != nil {
		return err
	}
	switch {
	case n.record.Get("id").Text() == "" || n.record.Get("ump").Text() == "":
		return errors.New("id or ump was not filled in")
	case n.record.Get("time").Get("created").Text() == "":
		return errors.New("time was not filled in")
	case r.level >= 3 && !n.record.Has("integrity"):
		return errors.New("integrity was not filled in")
	}
	return nil
}

func timesKept(r *run) error {
	v, err := r.stored(`{"time":{"valid_from":%q}}`, longAgo)
	if err == nil && (v.Get("time").Get("valid_from").Text() != longAgo || v.Get("time").Get("created").Text() == "") {
		err = errors.New("valid_from is not kept, or created is not filled in beside it")
	}
	return first(err, r.keeps("/time/created", `{"time":{"created":"2021-02-03T04:05:06Z"}}`))
}

func signedKept(r *run) error {
	sent, kept, err := ownStored(r, `{"lifecycle":{"salience":0.5},"x_conformance":{"deep":[1,2]}}`)
	if err == nil && !canon.Equal(sent, kept) {
		err = errors.New("a signed record was not stored as it came")
	}
	return err
}

func sameAgain(r *run) error {
	draft, word := r.draft(`{}`)
	one, _, err := r.put(draft)
	if err != nil {
		return err
	}
	two, outcome, err := r.put(draft)
	switch {
	case err != nil:
		return err
	case outcome == memory.Merged && one != two:
		return errors.New("merged is said with another id")
	case outcome == memory.Created && one == two:
		return errors.New("created is said of a record that is there already")
	case outcome == memory.Created:
		return notOffered("merging")
	}
	hits, err := r.recall(word, `{}`)
	if err != nil {
		return err
	}
	if ids := slices.DeleteFunc(idsOf(hits), func(id memory.ID) bool { return id != one }); len(ids) != 1 {
		return errors.New("the merged record comes more or less than once")
	}
	return nil
}

func outcomeSaid(r *run) error {
	if _, err := r.plain(); err != nil {
		return err
	}
	draft, word := r.draft(`{}`)
	id, outcome, err := r.put(draft)
	if err == nil && outcome != memory.Created {
		err = errors.New("a record that is new is not said to be created")
	}
	if err != nil {
		return first(r.seen.verdict("UMP-3.3-6"), err)
	}
	again, outcome, err := r.put(draft)
	if err == nil && again == id && outcome != memory.Merged {
		err = errors.New("a record that was there already is not said to be merged")
	}
	if hits, failed := r.recall(word, `{}`); err == nil && failed == nil && again != id && len(hits) == 1 {
		err = errors.New("a record is said to be created that is not there")
	}
	return first(err, r.seen.verdict("UMP-3.3-6"))
}

// leavesNoTrace sends a draft that policy forbids. The server must refuse it and keep
// nothing.
func leavesNoTrace(r *run, change string, codes ...memory.ErrorKind) error {
	draft, word := r.draft("%s", raw(change))
	if err := r.refusesRecord(draft, codes...); err != nil {
		return err
	}
	hits, err := r.recall(word, `{}`)
	for _, hit := range hits {
		if strings.Contains(hit.Get("record").Get("body").Get("text").Text(), word) {
			return errors.New("a draft that was refused is recalled")
		}
	}
	return err
}

func policyRefused(r *run) error {
	return first(
		leavesNoTrace(r, `{"scope":{"visibility":"public"},"consent":{"exportable":false}}`, memory.ConsentViolation),
		leavesNoTrace(r, `{"time":{"created":"`+longAgo+`"},"consent":{"retention":"P1D"}}`, memory.ConsentViolation))
}

func forgeryRefused(r *run) error {
	v, word := complete(r, `{}`)
	forged, err := signed(v, &r.other)
	if err != nil {
		return err
	}
	if err := r.refusesRecord(forged, memory.SignatureInvalid); err != nil {
		return err
	}
	if err := r.finds(word, `{}`, nil, []memory.ID{memory.ID(v.Get("id").Text())}); err != nil {
		return err
	}
	good, _, err := r.own(`{}`)
	if isSkipped(err) {
		return nil
	}
	if err != nil {
		return err
	}
	return r.refusesRecord(good.With("kind", canon.String("episodic")), memory.SignatureInvalid)
}

func malformedDraft(r *run) error {
	return first(
		r.raw("remember", `{"record":{"kind":"semantic"}}`).refused(memory.InvalidRecord),
		r.raw("remember", `{"record":5}`).refused(memory.InvalidRecord),
		r.raw("remember", `{}`).refused(memory.InvalidRecord),
		r.seen.verdict("UMP-3.3-9"))
}

func foreignOwner(r *run) error {
	return r.refuses(memory.ForbiddenScope, `{"scope":{"owner":%q}}`, r.other.DID())
}

func idTaken(r *run) error {
	v, _ := complete(r, `{}`)
	id, _, err := r.put(v)
	if err != nil {
		return err
	}
	if id != memory.ID(v.Get("id").Text()) {
		return notOffered("ids that clients bring along")
	}
	again, outcome, err := r.put(v)
	if err != nil {
		return fmt.Errorf("the same record again: %w", err)
	}
	if again != id || outcome != memory.Merged {
		return errors.New("the same record again is not said to be merged into itself")
	}
	if err := r.refusesRecord(v.With("body", object(`{"text":"Something else stands there."}`)), memory.InvalidRecord); err != nil {
		return fmt.Errorf("another record with the same id: %w", err)
	}
	got, err := r.get(id)
	if err == nil && !canon.Equal(got.Get("body"), v.Get("body")) {
		err = errors.New("another record with the same id took its place")
	}
	return err
}

func mergeKeepsApart(r *run) error {
	text, _ := r.text()
	base, err := r.remember(`{"body":{"text":%q}}`, text)
	if err != nil {
		return err
	}
	for _, change := range []variant{
		{"project", fmt.Sprintf(`{"scope":{"project":"%s-b"}}`, r.Project)}, {"kind", `{"kind":"episodic"}`},
		{"user", fmt.Sprintf(`{"scope":{"user":%q}}`, r.other.DID())}, {"structured", `{"body":{"structured":{"n":1}}}`},
	} {
		draft, _ := r.draft("%s", raw(change.text))
		draft = draft.With("body", draft.Get("body").With("text", canon.String(text)))
		id, _, err := r.put(draft)
		if err != nil {
			return err
		}
		if id == base {
			return fmt.Errorf("records that differ in %s were merged", change.what)
		}
	}
	return nil
}

func notBornDead(r *run) error {
	return r.refusesAll(memory.InvalidRecord, `{"lifecycle":{"status":"tombstoned"}}`)
}
