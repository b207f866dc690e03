package umpsuite

import (
	"errors"
	"fmt"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

func consentChecks() []check {
	return []check{
		{"UMP-2.7-1", retentionForm},
		{"UMP-2.7-4", redactedAway},
		{"UMP-2.7-5", redactPaths},
		{"UMP-2.7-6", notExported},
		{"UMP-2.7-7", redactedCopies},
		{"UMP-2.7-8", redactedSigned},
		{"UMP-2.7-9", consentTravels},
	}
}

func retentionForm(r *run) error {
	return first(
		r.accepts(`{"consent":{"retention":"P365D"}}`, `{"consent":{"retention":"P1Y"}}`, `{"consent":{"retention":"P2W"}}`, `{"consent":{"retention":"PT36H"}}`),
		r.refusesAll(memory.InvalidRecord, `{"consent":{"retention":"365 days"}}`, `{"consent":{"retention":"P"}}`, `{"consent":{"retention":"P0D"}}`, `{"consent":{"retention":30}}`))
}

func retentionEmpties(r *run) error {
	a, err := r.expired()
	if err != nil {
		return err
	}
	got := r.fetch(a.live.id)
	if got.code() == memory.NotFound {
		return errors.New("the record is gone altogether; it should be an empty tombstone")
	}
	v, err := got.ok()
	switch {
	case err != nil:
		return err
	case !tombstoned(v.Get("record")):
		return errors.New("past its retention the record is no tombstone")
	case strings.Contains(string(got.Body), a.live.word):
		return errors.New("past its retention the record still has its text")
	}
	return nil
}

func retentionAtOnce(r *run) error {
	a, err := r.expired()
	if err != nil {
		return err
	}
	if err := r.finds(a.live.word, `{}`, nil, []memory.ID{a.live.id}); err != nil {
		return err
	}
	d, err := r.export()
	if isSkipped(err) {
		return nil
	}
	if err == nil && strings.Contains(string(d.raw), a.live.word) {
		err = errors.New("the export has a record that is past its retention")
	}
	return err
}

func redactedAway(r *run) error {
	c, err := curate(r)
	if err != nil {
		return err
	}
	if c.cut.record.Get("body").Get("structured").Get("token").Text() != c.secret {
		return errors.New("the owner's own get lacks what is redacted for others")
	}
	tried := false
	if peer, err := r.peer(); err == nil && c.shared {
		tried = true
		a := r.fetchAs(peer, c.cut.id)
		if _, err := a.ok(); err != nil {
			return err
		}
		b := r.postAs(peer, "recall", r.question(c.cut.word, `{}`))
		if strings.Contains(string(a.Body)+string(b.Body), c.secret) {
			return errors.New("a peer gets what is redacted")
		}
	}
	d, err := r.document()
	if isSkipped(err) && tried {
		return nil
	}
	if err != nil {
		return err
	}
	return absentFrom(d, c.cut.id, c.secret)
}

// absentFrom checks that a document has the record without a word.
func absentFrom(d document, id memory.ID, word string) error {
	v, ok := d.records[id]
	switch {
	case !ok:
		return errors.New("the export lacks a record that may leave once it is redacted")
	case strings.Contains(string(v.Append(nil)), word):
		return errors.New("the export has what is redacted")
	}
	return nil
}

func redactPaths(r *run) error {
	if err := r.refusesAll(memory.InvalidRecord, `{"consent":{"redact":["]["]}}`, `{"consent":{"redact":["id"]}}`, `{"consent":{"redact":"body"}}`); err != nil {
		return err
	}
	if r.level < 2 {
		return r.accepts(`{"consent":{"redact":["$.body.structured.token","relations[0].target"]}}`)
	}
	c, err := curate(r)
	if err != nil {
		return err
	}
	d, err := r.document()
	if isSkipped(err) {
		return nil
	}
	return first(err, absentFrom(d, c.paths.id, c.secret), absentFrom(d, c.paths.id, c.target))
}

func notExported(r *run) error {
	c, err := curate(r)
	if err != nil {
		return err
	}
	if err := r.finds(c.kept.word, `{}`, []memory.ID{c.kept.id}, nil); err != nil {
		return err
	}
	d, err := r.document()
	if err != nil {
		return err
	}
	if _, ok := d.records[c.kept.id]; ok {
		return errors.New("the export has a record whose exportable is false")
	}
	return nil
}

func redactedSigned(r *run) error {
	c, err := curate(r)
	if err != nil {
		return err
	}
	var emitted []canon.Value
	if peer, err := r.peer(); err == nil && c.shared {
		v, err := r.fetchAs(peer, c.cut.id).ok()
		if err != nil {
			return err
		}
		emitted = append(emitted, v.Get("record"))
	}
	if d, err := r.document(); err == nil {
		emitted = append(emitted, d.records[c.cut.id], d.records[c.paths.id])
	}
	if len(emitted) == 0 {
		return notTried("needs a peer's token or an export")
	}
	for _, v := range emitted {
		if !v.Has("integrity") {
			continue
		}
		if err := ump.Verify(v.Append(nil)); err != nil {
			return fmt.Errorf("a redacted copy carries a signature that is not its own: %w", err)
		}
	}
	return nil
}

func consentTravels(r *run) error {
	c, err := curate(r)
	if err != nil {
		return err
	}
	d, err := r.document()
	if err != nil {
		return err
	}
	if !canon.Equal(d.records[c.cut.id].Get("consent"), c.cut.record.Get("consent")) {
		return errors.New("the exported record lacks its consent block, or has another")
	}
	return nil
}
