package recall

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// Options steer a search. The zero value is good.
type Options struct {
	// Now is when the question is asked: what "yesterday" and recency count from.
	// Zero: nothing is recent, and only dates with a year are understood.
	Now time.Time
	// Postings bounds how many postings are read before candidates are; 0: 65536,
	// Apart four times as many. Only when too little of what was found is allowed,
	// more are read.
	Postings int
	// Depth is how many allowed candidates are ranked exactly at most; 0: 256.
	// Fewer are read where the others cannot reach the answer any more. Apart, a
	// quarter as many are added for each word of the question.
	Depth int
	// Owner is whose records come before those that others shared, where both answer as
	// well; empty: nobody's.
	Owner memory.DID
	// Nearest are documents whose meaning an embedder finds close to the
	// question's; none: words alone count.
	Nearest []Near
	// View returns what the caller may see of a record, and a record without an ID
	// where that is nothing; nil: all of it. Everything an answer says follows from
	// that: nobody finds a record by a word that is hidden from them, nor learns from
	// scores, signals, reasons or the budget what is. Hits carry the whole record all
	// the same.
	View func(memory.Record) memory.Record
	// Apart says that whoever asks sees a part of the index only, and must not learn
	// of the rest: the answer is the one that an index of that part alone would give.
	// Hidden records that match cost reading. Only where more than Postings, or
	// thirty-two times Depth, are to be read, they count for which records the answer is
	// chosen from, and never for what is said of them. Nearest must be of what may
	// be seen.
	Apart bool
	// Sound is asked of a record when it is about to enter the answer, and only
	// then, since it may take long; nil: every record is. One that is not enters
	// no answer. An error ends the search.
	Sound func(memory.Record) (bool, error)
}

// Near is a document close to the question in meaning.
type Near struct {
	Doc        Doc
	Similarity float64 // 0 to 1
}

// Explanation says how an answer came about.
type Explanation struct {
	Terms      []string // what was searched for: stems, relatives of words, kinds
	Rounds     int      // of reading postings; more than one when much was not allowed
	Postings   int      // read
	Candidates int      // fetched
	Allowed    int      // of them
}

const (
	defaultPostings = 65536
	defaultDepth    = 256
	defaultLimit    = 8
	maxLimit        = 50
)

// Search answers a query from an owner's index, best hits first; ties go to the
// later created, then to the lesser id. Equal arguments give equal answers. Any
// text is a question, and one without words has no answer.
//
// The words of the question are looked up from the rarest on, until the common
// ones that are left cannot change much, and under a budget of postings, so that
// the time a search takes hardly grows with the number of memories. The best
// candidates by postings alone are fetched, stage by stage, and allow decides
// on each before anything is ranked: owner, visibility, consent, retention,
// status, validity, hard scope and the query's filter are its concern. What is
// refused takes nobody's place and lends nothing to others. The rest are read
// word by word and scored.
//
// An error is the index's or the context's.
func Search(ctx context.Context, idx Index, query memory.Query, opt Options, allow func(memory.Record) bool) ([]memory.Hit, Explanation, error) {
	s := newSearch(idx, query, opt, allow)
	docs, average, err := idx.Size(ctx)
	if err != nil || docs == 0 {
		return nil, s.explanation, err
	}
	s.average = max(average, 1)
	s.question = understand(query.Text, opt.Now, &s.stem)
	s.question.only = query.Filter.Kinds
	df, err := s.question.lookUp(ctx, idx)
	if err != nil {
		return nil, s.explanation, err
	}
	s.question.weigh(df, docs)
	if err := s.collect(ctx); err != nil {
		return nil, s.explanation, err
	}
	for _, t := range s.question.terms {
		s.explanation.Terms = append(s.explanation.Terms, t.term)
	}
	answer, err := s.answer()
	return answer, s.explanation, err
}

// search is one search under way.
type search struct {
	idx   Index
	query memory.Query
	opt   Options
	allow func(memory.Record) bool

	stem        stemmer
	question    question
	average     float64 // words in a document
	near        map[Doc]float64
	asked       map[Doc]bool // documents asked the index for
	read        map[Doc]*reading
	readings    []*reading
	matching    int // of them
	explanation Explanation
}

func newSearch(idx Index, query memory.Query, opt Options, allow func(memory.Record) bool) *search {
	if opt.Postings <= 0 {
		opt.Postings = defaultPostings
		if opt.Apart {
			opt.Postings = apartPostings
		}
	}
	if opt.Depth <= 0 {
		opt.Depth = defaultDepth
	}
	if opt.View == nil {
		opt.View = func(r memory.Record) memory.Record { return r }
	}
	if query.Limit <= 0 {
		query.Limit = defaultLimit
	}
	query.Limit = min(query.Limit, maxLimit)
	s := &search{idx: idx, query: query, opt: opt, allow: allow, asked: make(map[Doc]bool),
		read: make(map[Doc]*reading), near: make(map[Doc]float64)}
	for _, n := range opt.Nearest {
		s.near[n.Doc] = min(max(n.Similarity, 0), 1)
	}
	return s
}

// collect reads candidates.
func (s *search) collect(ctx context.Context) error {
	near := make([]Doc, 0, len(s.opt.Nearest))
	for _, n := range s.opt.Nearest {
		near = append(near, n.Doc)
	}
	collect := s.collectApart
	if !s.opt.Apart {
		s.question.shorten()
		collect = s.collectBest
	}
	s.stem.lookFor(s.question)
	return collect(ctx, near)
}

// collectBest reads candidates until enough are allowed, or there are no more. A
// round that was cut short by the budget and found too few is followed by one
// with more.
func (s *search) collectBest(ctx context.Context, near []Doc) error {
	if err := s.fetch(ctx, near); err != nil {
		return err
	}
	for budget, depth := s.opt.Postings, s.opt.Depth; ; budget, depth = 4*budget, 4*depth {
		g, err := gather(ctx, s.idx, s.question, s.average, budget, depth)
		if err != nil {
			return err
		}
		s.explanation.Rounds++
		s.explanation.Postings += g.read
		more, err := s.wantsMore(&g)
		for ; more; more, err = s.wantsMore(&g) {
			if err := s.fetch(ctx, g.next(min(stage, s.opt.Depth))); err != nil {
				return err
			}
		}
		if err != nil {
			return err
		}
		if s.matching >= s.query.Limit || !g.truncated {
			return nil
		}
	}
}

// Candidates are read in stages, until the next could not enter the answer: of
// what its postings promise, reach is what the score of a record comes to at most,
// nearly always.
const (
	stage = 64
	reach = .7
)

// wantsMore reports whether documents that were gathered and not yet read may
// belong to the answer.
func (s *search) wantsMore(g *gathered) (bool, error) {
	switch {
	case g.Len() == 0:
		return false, nil
	case s.matching < s.query.Limit:
		return true, nil
	case len(s.readings) >= s.opt.Depth:
		return false, nil
	}
	chosen, err := s.choose(s.rank())
	if err != nil {
		return false, err
	}
	return len(chosen) < s.query.Limit || reach*g.best() >= s.question.total*chosen[len(chosen)-1].score, nil
}

// fetch reads those of docs that have not been asked for and are allowed.
func (s *search) fetch(ctx context.Context, docs []Doc) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	fresh := docs[:0]
	for _, d := range docs {
		if !s.asked[d] {
			s.asked[d] = true
			fresh = append(fresh, d)
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	found, err := s.idx.Candidates(ctx, fresh)
	if err != nil {
		return err
	}
	s.explanation.Candidates += len(found)
	for _, c := range found {
		if !s.allow(c.Record) {
			continue
		}
		seen := s.opt.View(c.Record)
		if seen.ID == "" {
			continue
		}
		s.explanation.Allowed++
		r := s.stem.read(c, seen, s.question)
		r.near = s.near[c.Doc]
		if r.found || r.near > 0 {
			s.matching++
		}
		s.read[c.Doc] = r
		s.readings = append(s.readings, r)
	}
	return nil
}

// answer returns as much of what was read as was asked for.
func (s *search) answer() ([]memory.Hit, error) {
	chosen, err := s.choose(s.rank())
	var answer []memory.Hit
	for _, h := range chosen {
		answer = append(answer, memory.Hit{Record: h.Record, Signals: h.signals, Score: h.score, Why: s.why(h)})
	}
	return answer, err
}

// rank returns what was read and matches, best first.
func (s *search) rank() []ranked {
	slices.SortFunc(s.readings, byPlace)
	prefer := newPreference(s.query.Prefer)
	likes := likenesses(s.readings, s.question, s.average)
	hits := make([]ranked, 0, len(s.readings))
	for i, r := range s.readings {
		if likes[i].with > 0 {
			signals := s.signals(r, likes[i])
			hits = append(hits, ranked{r, likes[i], signals, prefer.score(signals, r) * r.form(s.question) * s.ownership(r)})
		}
	}
	slices.SortFunc(hits, better)
	return hits
}

// choose returns the first hits, as many as were asked for, that fit into the
// budget.
func (s *search) choose(hits []ranked) ([]ranked, error) {
	var chosen []ranked
	left := s.query.Budget
	for _, h := range hits {
		if len(chosen) == s.query.Limit {
			break
		}
		sound, err := s.sound(h.reading)
		if err != nil {
			return nil, err
		}
		if !sound {
			continue
		}
		if s.query.Budget > 0 {
			cost := Tokens(h.seen.Body.Text)
			if cost > left {
				continue // a shorter one further down may still fit
			}
			left -= cost
		}
		chosen = append(chosen, h)
	}
	return chosen, nil
}

// sound asks once whether a record may enter the answer at all.
func (s *search) sound(r *reading) (bool, error) {
	if s.opt.Sound == nil || r.judged {
		return !r.unsound, nil
	}
	sound, err := s.opt.Sound(r.Record)
	if err != nil {
		return false, err
	}
	r.judged, r.unsound = true, !sound
	if r.unsound {
		s.matching--
	}
	return sound, nil
}

// ranked is a reading with its place in the answer.
type ranked struct {
	*reading
	like    likeness
	signals memory.Signals
	score   float64
}

// better orders by score, then the later created, then id.
func better(a, b ranked) int {
	return cmp.Or(cmp.Compare(b.score, a.score), b.seen.Time.Created.Compare(a.seen.Time.Created),
		strings.Compare(string(a.seen.ID), string(b.seen.ID)), cmp.Compare(b.Doc, a.Doc))
}
