package umpsuite

import (
	"errors"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// laterRows begins the ids of rows that edition 1.0 adds.
const laterRows = "UMP1-"

func editionChecks() []check {
	return []check{
		{"UMP1-0-1", oneEdition},
		{"UMP1-0-3", normalised},
		{"UMP1-0-5", bornLater},
		{"UMP1-0-6", unknownMajor},
		{"UMP1-2.9-2", admission},
		{"UMP1-9-1", actors},
		{"UMP1-9-2", audited},
	}
}

// concerns reports whether a row belongs to the edition that the server announces.
func (r *run) concerns(id string) bool {
	return !strings.HasPrefix(id, laterRows) || r.edition() == ump.LaterEdition
}

// edition returns the edition that the server announces.
func (r *run) edition() string { return r.offered.Get("ump").Text() }

func oneEdition(r *run) error {
	n, err := r.plain()
	if err == nil && n.record.Get("ump").Text() != r.edition() {
		err = errors.New("get gives a record of another edition than capabilities.ump")
	}
	return err
}

func normalised(r *run) error {
	sent, kept, err := ownStored(r, `{"ump":"0.1"}`)
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
