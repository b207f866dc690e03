package umpsuite

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
)

func recallChecks() []check {
	return []check{
		{"UMP-3.2-1", queryAlone},
		{"UMP-3.2-2", emptyQuery},
		{"UMP-3.2-6", kindFilter},
		{"UMP-3.2-7", validAt},
		{"UMP-3.2-8", validNow},
		{"UMP-3.2-9", hintsHarmless},
		{"UMP-3.2-10", limits},
		{"UMP-3.2-12", tombstonesNotRecalled},
		{"UMP-3.2-13", noPlaceTaken},
		{"UMP-3.2-14", recallChangesNothing},
	}
}

// sawHit checks that the run has seen a result, and returns the noted faults of a row.
func sawHit(r *run, id string) error {
	n, err := r.plain()
	if err == nil {
		err = r.finds(n.word, `{}`, []memory.ID{n.id}, nil)
	}
	if err != nil && r.seen.hits == 0 {
		return err
	}
	return r.seen.verdict(id)
}

func queryAlone(r *run) error {
	n, err := r.plain()
	if err != nil {
		return err
	}
	for _, request := range []string{`{"query":%q}`, `{"query":%q,"x_conformance":{"a":1},"filter":{"x_conformance":true},"scope":{"x_conformance":"a"},"limit":50}`} {
		v, err := r.post("recall", object(request, n.word)).ok()
		if err != nil {
			return err
		}
		if !slices.Contains(idsOf(v.Get("results").Items()), n.id) {
			return errors.New("recall does not bring the record whose only word is asked for")
		}
	}
	return nil
}

func emptyQuery(r *run) error {
	for _, request := range []string{`{}`, `{"query":""}`, `{"query":"  \n"}`, `{"query":5}`} {
		if err := r.raw("recall", request).refused(memory.InvalidRecord); err != nil {
			return fmt.Errorf("the request %s: %w", request, err)
		}
	}
	return nil
}

func hitShape(r *run) error { return sawHit(r, "UMP-3.2-3") }

func bestFirst(r *run) error {
	word, _, err := crowd(r, 4)
	if err != nil {
		return err
	}
	one, err := r.recall(word+" yard", `{}`)
	if err != nil {
		return err
	}
	if err := sawHit(r, "UMP-3.2-4"); err != nil {
		return err
	}
	two, err := r.recall(word+" yard", `{}`)
	if err == nil && !slices.Equal(idsOf(one), idsOf(two)) {
		err = errors.New("the same question twice gives another order")
	}
	return err
}

func signalRanges(r *run) error { return sawHit(r, "UMP-3.2-5") }

func kindFilter(r *run) error {
	n, err := r.noted(`{"kind":"episodic"}`)
	return first(err,
		r.finds(n.word, `{"filter":{"kind":["episodic"]}}`, []memory.ID{n.id}, nil),
		r.finds(n.word, `{"filter":{"kind":["semantic","working"]}}`, nil, []memory.ID{n.id}),
		r.post("recall", r.question("yard", `{"filter":{"kind":["foo"]}}`)).refused(memory.InvalidRecord))
}

func validAt(r *run) error {
	c, err := r.revised()
	if err != nil {
		return err
	}
	return first(
		r.finds(c.prior.word, at(sinceThen), []memory.ID{c.prior.id}, []memory.ID{c.next.id}),
		r.finds(c.next.word, at(afterwards), []memory.ID{c.next.id}, []memory.ID{c.prior.id}),
		r.finds(c.prior.word+" "+c.next.word, at(turned), []memory.ID{c.next.id}, []memory.ID{c.prior.id}),
		r.post("recall", r.question("yard", "%s", raw(at("then")))).refused(memory.InvalidRecord))
}

func validNow(r *run) error {
	c, err := r.revised()
	if err != nil {
		return err
	}
	later, err := r.noted(`{"time":{"valid_from":"2999-01-01T00:00:00Z"}}`)
	return first(err,
		r.finds(c.prior.word+" "+c.next.word, `{}`, []memory.ID{c.next.id}, []memory.ID{c.prior.id}),
		r.finds(later.word, `{}`, nil, []memory.ID{later.id}),
		r.finds(later.word, at("2999-06-01T00:00:00Z"), []memory.ID{later.id}, nil))
}

func hintsHarmless(r *run) error {
	n, err := r.plain()
	if err != nil {
		return err
	}
	return first(
		r.finds(n.word, `{"ranking_hints":{"prefer":["recency","luck"]}}`, []memory.ID{n.id}, nil),
		r.finds(n.word, `{"ranking_hints":{"x_conformance":1}}`, []memory.ID{n.id}, nil))
}

// crowd stores memories that share a word.
func crowd(r *run, n int) (word string, ids []memory.ID, err error) {
	_, word = r.text()
	for i := range n {
		id, err := r.remember(`{"body":{"text":"The %s of row %d stands in the yard."}}`, raw(word), i)
		if err != nil {
			return word, ids, err
		}
		ids = append(ids, id)
	}
	return word, ids, nil
}

func limits(r *run) error {
	word, ids, err := crowd(r, 10)
	if err != nil {
		return err
	}
	for _, limit := range []struct {
		asked       string
		least, most int
	}{{"null", 8, 8}, {"1", 1, 1}, {"9", 9, 9}, {"1000000", len(ids), math.MaxInt}} {
		hits, err := r.recall(word, `{"limit":%s}`, raw(limit.asked))
		if err != nil {
			return err
		}
		if got := len(hits); got < limit.least || got > limit.most {
			return fmt.Errorf("with the limit %s there are %d results", limit.asked, got)
		}
	}
	for _, limit := range []string{"0", "-1", "1.5", `"many"`} {
		if err := r.post("recall", r.question(word, `{"limit":%s}`, raw(limit))).refused(memory.InvalidRecord); err != nil {
			return fmt.Errorf("the limit %s: %w", limit, err)
		}
	}
	return nil
}

func nothingElse(r *run) error {
	if err := sawHit(r, "UMP-3.2-11"); err != nil {
		return err
	}
	for _, stranger := range r.seen.strangers {
		for _, where := range []string{"a result of recall:", "recall:", "signals:"} {
			if len(stranger) > len(where) && stranger[:len(where)] == where {
				return fmt.Errorf("the specification does not name a member: %s", stranger)
			}
		}
	}
	return nil
}

func tombstonesNotRecalled(r *run) error {
	n, err := r.gone()
	return first(err, r.finds(n.word, `{}`, nil, []memory.ID{n.id}))
}

func noPlaceTaken(r *run) error {
	if peer, err := r.peer(); err == nil {
		word, _, err := crowd(r, 9) // private: hidden from the peer
		if err != nil {
			return err
		}
		n, err := shared(r, memory.Shared, `{"body":{"text":"Far behind all that stands there is something that somebody calls %s, or so they say."}}`, raw(word))
		if err != nil {
			return err
		}
		return r.findsAs(peer, word, `{"limit":1}`, []memory.ID{n.id}, nil)
	}
	word := r.word()
	for i := range 9 {
		if _, err := r.remember(`{"body":{"text":"The %s of row %d stands in the yard."},"time":{"valid_from":%q,"valid_to":%q}}`, raw(word), i, longAgo, turned); err != nil {
			return err
		}
	}
	id, err := r.remember(`{"body":{"text":"Far behind all that stands there is something that somebody calls %s, or so they say."}}`, raw(word))
	return first(err, r.finds(word, `{"limit":1}`, []memory.ID{id}, nil))
}

func recallChangesNothing(r *run) error {
	n, err := r.plain()
	if err != nil {
		return err
	}
	for range 5 {
		if err := r.finds(n.word, `{}`, []memory.ID{n.id}, nil); err != nil {
			return err
		}
	}
	got, err := r.get(n.id)
	if err == nil && !canon.Equal(got, n.record) {
		err = errors.New("a record is another after it was recalled")
	}
	return err
}
