package umpsuite

import (
	"errors"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// laterRows begins the ids of the rows that edition 1.0 adds.
const laterRows = "UMP1-"

func editionChecks() []check {
	return []check{
		{"UMP1-0-1", must, "L1", "A server that announces 1.0 emits its owner's records in that edition alone.", oneEdition, false},
		{"UMP1-0-3", must, "L2", "A 0.1 record is normalised to 1.0, with its id, before a 1.0 memory emits it; its signed first form is evidence.", normalised, false},
		{"UMP1-0-5", must, "L1", "What is remembered and revised in a 1.0 memory is born as 1.0.", bornLater, false},
		{"UMP1-0-6", must, "L0", "A record of an unknown major version is refused as unsupported, never reinterpreted.", unknownMajor, false},
		{"UMP1-2.9-2", implied, "L2", "The outcome of an admission in provenance and body.structured is signed and survives a round trip.", admission, false},
		{"UMP1-9-1", may, "L2", "revise and forget take an actor, who stands in the provenance of successor or tombstone; only the owner and the owner's agents may name one.", actors, false},
		{"UMP1-9-2", may, "L1", "capabilities.audit is true where operations are logged.", audited, false},
	}
}

// concerns reports whether a row is one of the edition that the server announces.
func (r *run) concerns(id string) bool {
	return !strings.HasPrefix(id, laterRows) || r.edition() == ump.LaterEdition
}

// edition is what the server announces.
func (r *run) edition() string { return r.offered.Get("ump").Text() }

func oneEdition(r *run) error {
	n, err := r.plain()
	if err == nil && n.record.Get("ump").Text() != r.edition() {
		err = errors.New("get gives a record of another edition than capabilities.ump")
	}
	return err
}

func normalised(r *run) error {
	sent, kept, err := r.ownStored(`{"ump":"0.1"}`)
	switch {
	case err != nil:
		return err
	case kept.Get("ump").Text() != r.edition():
		return errors.New("a signed 0.1 record is emitted as it came")
	case kept.Get("id").Text() != sent.Get("id").Text():
		return errors.New("a 0.1 record lost its id when it was normalised")
	}
	return ump.Verify(kept.Append(nil))
}

func bornLater(r *run) error {
	text, _ := r.text()
	id, _, err := r.put(object(`{"ump":"0.1","kind":"semantic","body":{"text":%q},"scope":{"owner":%q,"project":%q}}`, text, r.Owner, r.Project))
	if err != nil {
		return err
	}
	kept, err := r.get(id)
	if err == nil && kept.Get("ump").Text() != r.edition() {
		err = errors.New("a draft that says 0.1 is emitted as that")
	}
	return err
}

func unknownMajor(r *run) error { return r.refuses(memory.Unsupported, `{"ump":"2.0"}`) }

func actors(r *run) error {
	id, err := r.remember(`{}`)
	if err != nil {
		return err
	}
	text, _ := r.text()
	v, err := r.post("revise", object(`{"id":%q,"patch":{"body":{"text":%q}},"actor":"reviewer"}`, id, text)).ok()
	if err != nil {
		return err
	}
	next := memory.ID(v.Get("id").Text())
	r.wrote(next)
	kept, err := r.get(next)
	if err == nil && kept.Get("provenance").Get("actor").Text() != "reviewer" {
		return notOffered("an actor of a revision")
	}
	return err
}

func audited(r *run) error {
	switch audit := r.offered.Get("audit"); audit.Type() {
	case canon.TypeUndefined:
		return notOffered("an operation log")
	case canon.TypeBool:
		return nil
	}
	return errors.New("capabilities.audit is neither true nor false")
}

func admission(r *run) error {
	const said = `{"actor":"reviewer","actor_kind":"agent","method":"approve","source":{"ref":"review-7"},"evidence":[{"ref":"minutes-7"}]}`
	text, _ := r.text()
	id, _, err := r.put(object(`{"kind":"semantic","body":{"text":%q,"structured":{"admission":"approved"}},"scope":{"owner":%q,"project":%q},"provenance":%s}`,
		text, r.Owner, r.Project, raw(said)))
	if err != nil {
		return err
	}
	kept, err := r.get(id)
	switch {
	case err != nil:
		return err
	case kept.Get("body").Get("structured").Get("admission").Text() != "approved", !canon.Equal(kept.Get("provenance"), object(said)):
		return errors.New("the outcome of an admission did not come back as it was sent")
	}
	return ump.Verify(kept.Append(nil))
}
