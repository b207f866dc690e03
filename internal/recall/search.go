package recall

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// Options steer a search.
type Options struct {
	Now      time.Time // when the question is asked
	Postings int       // most postings read at first; 0: 16384
	Depth    int       // candidates ranked exactly; 0: 256
}

// Explanation says how an answer came about.
type Explanation struct {
	Terms      []string // what was searched for, in the order of the question
	Postings   int      // read
	Candidates int      // fetched
	Allowed    int      // of them
	Rounds     int      // of gathering; more than one when much was not allowed
}

const (
	defaultPostings = 16384
	defaultDepth    = 256
	defaultLimit    = 8
	maxLimit        = 50
)

// Search answers a query.
func Search(ctx context.Context, idx Index, query memory.Query, opt Options, allow func(memory.Record) bool) ([]memory.Hit, Explanation, error) {
	s := &search{idx: idx, opt: opt, allow: allow, seen: make(map[Doc]bool)}
	if s.opt.Postings <= 0 {
		s.opt.Postings = defaultPostings
	}
	if s.opt.Depth <= 0 {
		s.opt.Depth = defaultDepth
	}
	limit := query.Limit
	if limit <= 0 {
		limit = defaultLimit
	}
	limit = min(limit, maxLimit)
	docs, average, err := idx.Size(ctx)
	if err != nil || docs == 0 {
		return nil, s.explanation, err
	}
	s.average = max(average, 1)
	s.q = understand(query.Text, opt.Now, &s.stem)
	if err := s.q.weigh(ctx, idx, docs); err != nil {
		return nil, s.explanation, err
	}
	s.stem.lookFor(s.q.terms)
	for _, t := range s.q.terms {
		s.explanation.Terms = append(s.explanation.Terms, t.term)
	}
	if err := s.collect(ctx, limit); err != nil {
		return nil, s.explanation, err
	}
	hits := s.rank(query)
	return hits[:min(limit, len(hits))], s.explanation, nil
}

// search is one search under way.
type search struct {
	idx         Index
	opt         Options
	allow       func(memory.Record) bool
	stem        stemmer
	q           question
	average     float64
	seen        map[Doc]bool
	readings    []*reading
	explanation Explanation
}

// collect reads candidates until there are enough that are allowed, or no more.
func (s *search) collect(ctx context.Context, limit int) error {
	for budget := s.opt.Postings; ; budget *= 4 {
		s.explanation.Rounds++
		g, err := gather(ctx, s.idx, s.q, s.average, budget)
		if err != nil {
			return err
		}
		s.explanation.Postings += g.read
		for len(s.readings) < s.opt.Depth {
			docs := g.next(s.opt.Depth)
			if len(docs) == 0 {
				break
			}
			if err := s.fetch(ctx, docs); err != nil {
				return err
			}
		}
		if len(s.readings) >= limit || !g.truncated {
			return nil
		}
	}
}

func (s *search) fetch(ctx context.Context, docs []Doc) error {
	docs = slices.DeleteFunc(docs, func(d Doc) bool { return s.seen[d] })
	for _, d := range docs {
		s.seen[d] = true
	}
	found, err := s.idx.Candidates(ctx, docs)
	if err != nil {
		return err
	}
	s.explanation.Candidates += len(found)
	for _, c := range found {
		if s.allow(c.Record) {
			s.explanation.Allowed++
			s.readings = append(s.readings, s.stem.read(c, s.q))
		}
	}
	return nil
}

// rank turns the readings into hits, best first.
func (s *search) rank(query memory.Query) []memory.Hit {
	slices.SortFunc(s.readings, byNumber)
	with, _ := similarities(s.readings, s.q, s.average)
	hits := make([]memory.Hit, 0, len(s.readings))
	for i, r := range s.readings {
		if with[i] == 0 {
			continue
		}
		hits = append(hits, memory.Hit{Record: r.Record, Score: with[i] * r.form(s.q)})
	}
	slices.SortFunc(hits, best)
	return hits
}

// best orders hits: score, then the newer, then by id.
func best(a, b memory.Hit) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), b.Record.Time.Created.Compare(a.Record.Time.Created),
		strings.Compare(string(a.Record.ID), string(b.Record.ID)))
}
