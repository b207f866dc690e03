package umpsuite

import (
	"errors"
	"fmt"
	"strings"

	"github.com/satchel-memory/satchel/memory"
)

func forgetChecks() []check {
	return []check{
		{"UMP-3.6-1", forgetAnswer},
		{"UMP-3.6-2", statusSet},
		{"UMP-3.6-3", reasonRequired},
		{"UMP-3.6-4", forgottenNowhere},
		{"UMP-3.6-6", eraseIsOwners},
		{"UMP-3.6-7", everyKindForgotten},
		{"UMP-3.6-8", forgetTwice},
	}
}

func forgetAnswer(r *run) error {
	id, err := r.remember(`{}`)
	if err != nil {
		return err
	}
	v, err := r.forget(id, `{}`).ok()
	if err == nil && v.Get("result").Text() != string(memory.AsTombstone) {
		err = errors.New("forget does not answer tombstoned")
	}
	return err
}

func statusSet(r *run) error {
	n, err := r.gone()
	if err != nil {
		return err
	}
	got, err := r.get(n.id)
	if err == nil && !tombstoned(got) {
		err = errors.New("a forgotten record does not have the status tombstoned")
	}
	return err
}

func reasonRequired(r *run) error {
	n, err := r.noted(`{}`)
	if err != nil {
		return err
	}
	return first(
		r.post("forget", object(`{"id":%q}`, n.id)).refused(memory.InvalidRecord),
		r.post("forget", object(`{"id":%q,"reason":""}`, n.id)).refused(memory.InvalidRecord),
		r.finds(n.word, `{}`, []memory.ID{n.id}, nil))
}

func forgottenNowhere(r *run) error {
	n, err := r.gone()
	if err != nil {
		return err
	}
	if err := r.finds(n.word, `{}`, nil, []memory.ID{n.id}); err != nil {
		return err
	}
	d, err := r.document()
	if isSkipped(err) {
		return nil
	}
	if err == nil && strings.Contains(string(d.raw), n.word) {
		err = errors.New("the export has a forgotten record")
	}
	return err
}

func keptUntilRetention(r *run) error {
	n, err := r.gone()
	if err != nil {
		return err
	}
	got, err := r.get(n.id)
	if err == nil && !strings.Contains(got.Get("body").Get("text").Text(), n.word) {
		err = errors.New("a softly forgotten record without retention has lost its text")
	}
	if err != nil {
		return err
	}
	a, err := r.expired()
	if err := first(err, a.readAs); err != nil {
		return err
	}
	left := r.fetch(a.soft.id)
	if strings.Contains(string(left.Body), a.soft.word) {
		return errors.New("a forgotten record still has its text after its retention")
	}
	return left.Err
}

func eraseIsOwners(r *run) error {
	n, err := r.noted(`{}`)
	if err != nil {
		return err
	}
	if r.level >= 3 {
		writer, err := r.token(`{"verbs":["read","write","derive","export"]}`)
		if err == nil {
			err = r.forgetAs(writer, n.id, `{"hard":true}`).refused(memory.ForbiddenScope, memory.NotFound)
		}
		if err != nil && !isSkipped(err) {
			return err
		}
	}
	a := r.forget(n.id, `{"hard":true}`)
	if a.code() == memory.ForbiddenScope {
		return notTried("the run's token may not erase")
	}
	v, err := a.ok()
	if err == nil && v.Get("result").Text() != string(memory.AsErased) {
		err = errors.New("a hard forget does not answer erased")
	}
	return first(err, r.fetch(n.id).refused(memory.NotFound), r.finds(n.word, `{}`, nil, []memory.ID{n.id}))
}

func everyKindForgotten(r *run) error {
	for _, kind := range memory.Kinds() {
		id, err := r.remember(`{"kind":%q}`, kind)
		if err != nil {
			return err
		}
		v, err := r.forget(id, `{}`).ok()
		if err == nil && v.Get("result").Text() != string(memory.AsTombstone) {
			err = errors.New("forget does not answer tombstoned")
		}
		if err != nil {
			return fmt.Errorf("a record of kind %s: %w", kind, err)
		}
	}
	return nil
}

func forgetTwice(r *run) error {
	n, err := r.gone()
	if err != nil {
		return err
	}
	v, err := r.forget(n.id, `{}`).ok()
	if err == nil && v.Get("result").Text() != string(memory.AsTombstone) {
		err = errors.New("forgetting twice does not answer tombstoned")
	}
	return first(err, r.forget("urn:ump:aaaa", `{}`).refused(memory.NotFound))
}
