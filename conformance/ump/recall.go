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
		{"UMP-3.2-1", implied, "L1", "Only the query of a recall is required; members nobody knows are ignored, and may be warned of.", queryAlone, false},
		{"UMP-3.2-2", implied, "L1", "An empty query is refused.", emptyQuery, false},
		{"UMP-3.2-3", implied, "L1", "Each result holds the whole record, its signals and a score, over HTTP and under the dotted names.", hitShape, true},
		{"UMP-3.2-4", implied, "L1", "Best first, and equal scores always in the same order.", bestFirst, true},
		{"UMP-3.2-5", implied, "L1", "Four signals lie between zero and one; the fifth counts derivations.", signalRanges, true},
		{"UMP-3.2-6", implied, "L1", "The filter by kind is obeyed, and a kind that does not exist is refused.", kindFilter, false},
		{"UMP-3.2-7", should, "L2", "A recall for a date answers with what held then.", validAt, false},
		{"UMP-3.2-8", implied, "L2", "Without a date a recall answers with what holds now.", validNow, false},
		{"UMP-3.2-9", may, "L1", "Hints may reorder results and never cause an error.", hintsHarmless, false},
		{"UMP-3.2-10", implied, "L1", "limit is a whole number above zero, cut at the maximum; eight without it.", limits, false},
		{"UMP-3.2-11", implied, "L1", "Nothing of the engine shows besides signals, score and warnings.", nothingElse, true},
		{"UMP-3.2-12", implied, "L2", "Tombstones are not recalled.", tombstonesNotRecalled, false},
		{"UMP-3.2-13", implied, "L2", "What a caller may not see takes no place among the results.", noPlaceTaken, false},
		{"UMP-3.2-14", implied, "L1", "Recalling changes no record.", recallChangesNothing, false},
	}
}

// sawHit makes sure that a result has been seen, and returns what was noted for
// a row.
func (r *run) sawHit(id string) error {
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

func hitShape(r *run) error { return r.sawHit("UMP-3.2-3") }

func bestFirst(r *run) error {
	word, _, err := r.crowd(4)
	if err != nil {
		return err
	}
	one, err := r.recall(word+" yard", `{}`)
	if err != nil {
		return err
	}
	if err := r.sawHit("UMP-3.2-4"); err != nil {
		return err
	}
	two, err := r.recall(word+" yard", `{}`)
	if err == nil && !slices.Equal(idsOf(one), idsOf(two)) {
		err = errors.New("the same question twice gives another order")
	}
	return err
}

func signalRanges(r *run) error { return r.sawHit("UMP-3.2-5") }

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

// crowd are memories that share a word.
func (r *run) crowd(n int) (word string, ids []memory.ID, err error) {
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
	word, ids, err := r.crowd(10)
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
	if err := r.sawHit("UMP-3.2-11"); err != nil {
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
		word, _, err := r.crowd(9) // private: not the peer's
		if err != nil {
			return err
		}
		n, err := r.shared(memory.Shared, `{"body":{"text":"Far behind all that stands there is something that somebody calls %s, or so they say."}}`, raw(word))
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
