package umpsuite

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/conformance"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// fixtures are memories that several rows use. The run writes each when a row first needs
// it.
type fixtures struct {
	plainOne    once[note]
	revisedOne  once[change]
	forgotten   once[note]
	aging       once[aging]
	curatedOnes once[curated]
	exported    once[document]
	watchedOne  once[watched]
	peerToken   once[string]
	probes      map[string]error // by operation
}

// once is a value made once, or a lasting error.
type once[T any] struct {
	done  bool
	value T
	err   error
	used  map[string]bool // operations used for making it
}

// get returns the value. A later row counts as having used its operations.
func (o *once[T]) get(r *run, make func() (T, error)) (T, error) {
	if !o.done {
		before := maps.Clone(r.used)
		clear(r.used)
		o.value, o.err = make()
		o.used, o.done = maps.Clone(r.used), true
		maps.Copy(r.used, before)
	}
	maps.Copy(r.used, o.used)
	return o.value, o.err
}

// note is a memory and a word that finds it.
type note struct {
	id     memory.ID
	word   string
	record canon.Value
}

// plain returns an ordinary memory that stays unchanged.
func (r *run) plain() (note, error) {
	return r.plainOne.get(r, func() (note, error) { return r.noted(`{}`) })
}

// noted stores a draft with a merge patch applied, and gets it.
func (r *run) noted(change string, args ...any) (note, error) {
	draft, word := r.draft(change, args...)
	id, _, err := r.put(draft)
	if err != nil {
		return note{}, err
	}
	record, err := r.get(id)
	return note{id, word, record}, err
}

// change is a memory that was true from 2020 and was revised as of 2023.
type change struct {
	prior, next note
	before      canon.Value // the prior in its first form
}

// The instants of a change.
const (
	longAgo    = "2020-01-01T00:00:00Z"
	sinceThen  = "2021-06-01T00:00:00Z"
	turned     = "2023-01-01T00:00:00Z"
	afterwards = "2023-06-01T00:00:00Z"
)

func (r *run) revised() (change, error) {
	return r.revisedOne.get(r, func() (change, error) {
		var c change
		draft, word := r.draft(`{"kind":"procedural","body":{"structured":{"step":1}},"scope":{"agent":"conformance"},"time":{"valid_from":%q},`+
			`"relations":[{"type":"about","target":"entity:yard"}],"consent":{"retention":"P90Y"}}`, longAgo)
		id, _, err := r.put(draft)
		if err != nil {
			return c, err
		}
		if c.before, err = r.get(id); err != nil {
			return c, err
		}
		text, now := r.text()
		v, err := r.revise(id, `{"body":{"text":%q},"time":{"valid_from":%q}}`, text, turned)
		if err != nil {
			return c, err
		}
		c.prior, c.next = note{id: id, word: word}, note{id: memory.ID(v.Get("id").Text()), word: now}
		if c.prior.record, err = r.get(id); err != nil {
			return c, err
		}
		c.next.record, err = r.get(c.next.id)
		return c, err
	})
}

// revise patches a record and returns the answer.
func (r *run) revise(id memory.ID, patch string, args ...any) (canon.Value, error) {
	a := r.post("revise", canon.Object(
		canon.Member{Name: "id", Value: canon.String(string(id))},
		canon.Member{Name: "patch", Value: object(patch, args...)}))
	v, err := a.ok()
	if err != nil {
		return v, err
	}
	next := memory.ID(v.Get("id").Text())
	if r.wrote(next); !ump.ValidID(next) {
		err = errors.New("revise answered without an id of the form urn:ump:…")
	}
	return v, err
}

// forget forgets a record; more holds further members of the request.
func (r *run) forget(id memory.ID, more string) answer { return r.forgetAs(r.Token, id, more) }

func (r *run) forgetAs(token string, id memory.ID, more string) answer {
	return r.postAs(token, "forget", canon.MergePatch(object(`{"id":%q,"reason":"outdated"}`, id), object("%s", raw(more))))
}

// gone returns a softly forgotten memory.
func (r *run) gone() (note, error) {
	return r.forgotten.get(r, func() (note, error) {
		n, err := r.noted(`{"kind":"identity"}`)
		if err != nil {
			return n, err
		}
		_, err = r.forget(n.id, `{}`).ok()
		return n, err
	})
}

// aging are memories whose retention ends during the run.
type aging struct {
	live   note // not forgotten
	soft   note // softly forgotten at once
	readAs error
	over   time.Time
}

// lifetime is the retention of the aging memories.
const lifetime = 2 * time.Second

// prepare starts the slow fixtures.
func prepare(r *run) {
	for _, id := range []string{"UMP-2.7-2", "UMP-2.7-3", "UMP-3.6-5", "UMP-4.3-8"} {
		if r.level >= 2 && conformance.Wants(r.Only, id) {
			_, _ = r.aged() // the rows report the fault
			return
		}
	}
}

// aged returns the aging memories, whatever their present state.
func (r *run) aged() (aging, error) {
	return r.aging.get(r, func() (a aging, err error) {
		limit := fmt.Sprintf(`{"consent":{"retention":"PT%dS"}}`, int(lifetime.Seconds()))
		if a.live, err = r.noted("%s", raw(limit)); err != nil {
			return a, err
		}
		if a.soft, err = r.noted("%s", raw(limit)); err != nil {
			return a, err
		}
		if _, err = r.forget(a.soft.id, `{}`).ok(); err != nil {
			return a, err
		}
		v, err := r.get(a.soft.id)
		if err == nil && !strings.Contains(v.Get("body").Get("text").Text(), a.soft.word) {
			a.readAs = errors.New("a softly forgotten record has lost its text before its retention is over")
		}
		a.over = r.Now().Add(lifetime + 500*time.Millisecond)
		return a, err
	})
}

// expired returns the aging memories after their retention ends.
func (r *run) expired() (aging, error) {
	a, err := r.aged()
	if left := a.over.Sub(r.Now()); err == nil && left > 0 {
		r.wait(left)
	}
	return a, err
}

// brokenFor returns an operation that the current row needs and that does not work at all.
// It returns "" if the row is about that operation.
func brokenFor(r *run, c check) string {
	for _, op := range []string{"remember", "get", "recall", "revise", "forget"} {
		if !r.used[op] {
			continue
		}
		if own := sectionFor(op); own != "" && !strings.HasPrefix(c.ID, own) && c.ID != rowOf(op) && r.probe(op) != nil {
			return op
		}
	}
	return ""
}

// sectionFor returns the beginning of the row ids of an operation.
func sectionFor(op string) string {
	switch op {
	case "recall":
		return "UMP-3.2-"
	case "remember":
		return "UMP-3.3-"
	case "get":
		return "UMP-3.4-"
	case "revise":
		return "UMP-3.5-"
	case "forget":
		return "UMP-3.6-"
	}
	return ""
}

// probe tries the simplest use of an operation, once.
func (r *run) probe(op string) error {
	if r.probes == nil {
		r.probes = map[string]error{}
	}
	if err, done := r.probes[op]; done {
		return err
	}
	err := tryOut(r, op)
	r.probes[op] = err
	return err
}

func tryOut(r *run, op string) error {
	draft, word := r.draft(`{}`)
	id, _, err := r.put(draft)
	if err != nil || op == "remember" {
		return err
	}
	switch op {
	case "recall":
		return r.finds(word, `{}`, []memory.ID{id}, nil)
	case "revise":
		_, err = r.revise(id, `{"body":{"text":"The %s lies in the yard."}}`, raw(word))
	case "forget":
		_, err = r.forget(id, `{}`).ok()
	default:
		_, err = r.get(id)
	}
	return err
}

// clean removes the run's memories: for good if the run may, else softly. It returns the
// remaining ones.
func (r *run) clean() []memory.ID {
	if r.Keep {
		return r.made
	}
	stop := outlast(r, cleaning)
	defer stop()
	var left []memory.ID
	silent := 0 // consecutive requests without an answer
	for _, id := range slices.Backward(r.made) {
		if r.ctx.Err() != nil || silent >= maxSilent {
			left = append(left, id)
			continue
		}
		a := r.forget(id, `{"reason":"other","hard":true}`)
		if a.code() == memory.ForbiddenScope {
			a = r.forget(id, `{"reason":"other"}`)
		}
		if _, err := a.ok(); err != nil && a.code() != memory.NotFound {
			left = append(left, id)
		}
		if silent++; a.Err == nil {
			silent = 0
		}
	}
	return left
}

const (
	cleaning  = 30 * time.Second // for removing memories after the run was cancelled
	maxSilent = 3                // requests without an answer after which the server is gone
)

// outlast lets the run continue for a while after it was cancelled.
func outlast(r *run, d time.Duration) (stop func()) {
	ctx, end := context.WithCancel(context.WithoutCancel(r.ctx))
	off := context.AfterFunc(r.ctx, func() {
		wait := time.NewTimer(d)
		defer wait.Stop()
		select {
		case <-wait.C:
			end()
		case <-ctx.Done():
		}
	})
	r.ctx = ctx
	return func() { off(); end() }
}
