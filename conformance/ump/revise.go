package umpsuite

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

func reviseChecks() []check {
	return []check{
		{"UMP-3.5-1", reviseAnswer},
		{"UMP-3.5-2", successorNames},
		{"UMP-3.5-3", priorClosed},
		{"UMP-3.5-4", priorAnswers},
		{"UMP-3.5-5", carriedOver},
		{"UMP-3.5-6", brokenPatch},
		{"UMP-3.5-7", fixedMembers},
		{"UMP-3.5-8", successorSigned},
		{"UMP-3.5-9", priorKeepsID},
		{"UMP-3.5-10", notRevisable},
	}
}

func reviseAnswer(r *run) error {
	id, err := r.remember(`{}`)
	if err != nil {
		return err
	}
	v, err := r.revise(id, `{"body":{"text":"The %s was moved."}}`, raw(r.word()))
	if err != nil {
		return err
	}
	next := memory.ID(v.Get("id").Text())
	if next == "" || next == id {
		return errors.New("revise does not answer with a new id")
	}
	if list := v.Get("supersedes"); list.Len() != 1 || !has(list, id) {
		return errors.New("revise does not answer with what it replaced")
	}
	return nil
}

func successorNames(r *run) error {
	c, err := r.revised()
	if err == nil && (c.next.record.Get("supersedes").Len() != 1 || !has(c.next.record.Get("supersedes"), c.prior.id)) {
		err = errors.New("supersedes of the successor is not the record it replaces")
	}
	return err
}

// sameInstant reports whether two texts spell the same instant.
func sameInstant(a, b canon.Value) bool {
	x, err := time.Parse(time.RFC3339, a.Text())
	if err != nil {
		return false
	}
	y, err := time.Parse(time.RFC3339, b.Text())
	return err == nil && x.Equal(y)
}

func priorClosed(r *run) error {
	c, err := r.revised()
	switch {
	case err != nil:
		return err
	case !sameInstant(c.prior.record.Get("time").Get("valid_to"), c.next.record.Get("time").Get("valid_from")):
		return errors.New("the record replaced does not end where its successor begins")
	case !has(c.prior.record.Get("superseded_by"), c.next.id):
		return errors.New("the record replaced does not name its successor")
	}
	return nil
}

func priorAnswers(r *run) error {
	c, err := r.revised()
	return first(err, r.finds(c.prior.word, at(sinceThen), []memory.ID{c.prior.id}, nil))
}

func carriedOver(r *run) error {
	c, err := r.revised()
	if err != nil {
		return err
	}
	for _, pointer := range []string{"/kind", "/scope", "/relations", "/consent", "/body/structured"} {
		was, _ := c.before.At(pointer)
		is, _ := c.next.record.At(pointer)
		if !canon.Equal(was, is) {
			return fmt.Errorf("%s was not carried over", pointer)
		}
	}
	if !strings.Contains(c.next.record.Get("body").Get("text").Text(), c.next.word) || c.next.record.Get("time").Get("valid_from").Text() != turned {
		return errors.New("the successor does not say what the patch says")
	}
	return nil
}

// patchRefused sends a patch that the server must refuse, and checks that nothing changed.
func patchRefused(r *run, n note, patch string, codes ...memory.ErrorKind) error {
	a := r.post("revise", object(`{"id":%q,"patch":%s}`, n.id, raw(patch)))
	r.wrote(memory.ID(a.Value.Get("id").Text()))
	if err := a.refused(codes...); err != nil {
		return fmt.Errorf("the patch %s: %w", short(patch), err)
	}
	got, err := r.get(n.id)
	if err == nil && !canon.Equal(got, n.record) {
		err = fmt.Errorf("the patch %s was refused, and changed the record", short(patch))
	}
	return err
}

func brokenPatch(r *run) error {
	n, err := r.noted(`{}`)
	if err != nil {
		return err
	}
	for _, patch := range []string{`{"body":["x"]}`, `{"kind":"x"}`, `{"body":{"text":null}}`, `"x"`, `{"time":{"valid_from":"soon"}}`} {
		if err := patchRefused(r, n, patch, memory.InvalidRecord); err != nil {
			return err
		}
	}
	return nil
}

func fixedMembers(r *run) error {
	n, err := r.noted(`{}`)
	if err != nil {
		return err
	}
	for _, patch := range []string{
		`{"id":"urn:ump:other"}`, `{"ump":"1.0"}`, `{"integrity":{}}`, `{"superseded_by":["urn:ump:other"]}`,
		`{"time":{"created":"2020-01-01T00:00:00Z"}}`, fmt.Sprintf(`{"scope":{"owner":%q}}`, r.other.DID()),
	} {
		if err := patchRefused(r, n, patch, memory.InvalidRecord); err != nil {
			return err
		}
	}
	return nil
}

func successorSigned(r *run) error {
	c, err := r.revised()
	if err != nil {
		return err
	}
	if r.level >= 3 {
		if err := ump.Verify(c.next.record.Append(nil)); err != nil {
			return fmt.Errorf("the successor: %w", err)
		}
	}
	n, err := r.noted(`{}`)
	if err != nil {
		return err
	}
	return patchRefused(r, n, `{"scope":{"visibility":"public"},"consent":{"exportable":false}}`, memory.ConsentViolation, memory.ForbiddenScope)
}

func priorKeepsID(r *run) error {
	c, err := r.revised()
	switch {
	case err != nil:
		return err
	case c.prior.record.Get("id").Text() != string(c.prior.id):
		return errors.New("the record replaced has another id now")
	case !c.prior.record.Has("integrity"):
		return nil
	}
	if err := ump.Verify(c.prior.record.Append(nil)); err != nil {
		return fmt.Errorf("the record replaced: %w", err)
	}
	return nil
}

func notRevisable(r *run) error {
	n, err := r.gone()
	if err != nil {
		return err
	}
	a := r.post("revise", object(`{"id":%q,"patch":{"body":{"text":"It is back."}}}`, n.id))
	r.wrote(memory.ID(a.Value.Get("id").Text()))
	return first(
		a.refused(memory.InvalidRecord),
		r.post("revise", object(`{"id":"urn:ump:aaaa","patch":{"body":{"text":"x"}}}`)).refused(memory.NotFound))
}
