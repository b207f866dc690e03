package recall

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/memory"
)

// answer returns as many of the read records as the query asks for.
func (s *search) answer(ctx context.Context) ([]memory.Hit, error) {
	hits := s.rank()
	chosen, err := s.choose(ctx, hits)
	scale := s.scale(hits)
	answer := slices.Grow([]memory.Hit(nil), len(chosen))
	for _, h := range chosen {
		answer = append(answer, memory.Hit{Record: *h.Record, Signals: h.signals, Score: h.score * scale, Why: s.why(h)})
	}
	return answer, err
}

// rank returns the read records that match, best first.
func (s *search) rank() []rankedReading {
	if s.ranked != nil {
		return s.ranked
	}
	slices.SortFunc(s.readings, byPlace)
	prefer := newPreference(s.query.Prefer)
	likes := likenesses(s.readings, s.question, s.average)
	hits := make([]rankedReading, 0, len(s.readings))
	for i, r := range s.readings {
		if likes[i].with > 0 {
			signals := s.signals(r, likes[i])
			hits = append(hits, rankedReading{r, likes[i], signals, prefer.score(signals, r) * r.form(s.question) * s.ownership(r)})
		}
	}
	slices.SortFunc(hits, better)
	s.ranked = hits
	return hits
}

// last returns the score of the last hit of an answer from the records read so far, 0 if
// there are too few. Without a budget it takes every record for sound.
func (s *search) last(ctx context.Context) (float64, error) {
	if s.query.Budget > 0 {
		chosen, err := s.choose(ctx, s.rank())
		if err != nil || len(chosen) < s.query.Limit {
			return 0, err
		}
		return chosen[len(chosen)-1].score, nil
	}
	missing := s.query.Limit
	for _, h := range s.rank() {
		if h.unsound {
			continue
		}
		if missing--; missing == 0 {
			return h.score, nil
		}
	}
	return 0, nil
}

// choose returns the first hits, as many as the query asks for, that fit into the budget.
func (s *search) choose(ctx context.Context, hits []rankedReading) ([]rankedReading, error) {
	var chosen []rankedReading
	left := s.query.Budget
	for i, h := range hits {
		if len(chosen) == s.query.Limit {
			break
		}
		if h.Entry != nil {
			if err := s.complete(ctx, hits[i:]); err != nil {
				return nil, err
			}
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
		h.signals.ProvenanceDepth = provenanceDepth(h.seen)
		chosen = append(chosen, h)
	}
	return chosen, nil
}

// complete replaces the entries of the first hits, as many as the query asks for, by the
// records. A record that is gone or not allowed enters no answer.
func (s *search) complete(ctx context.Context, hits []rankedReading) error {
	entries := make(map[Doc]*reading, s.query.Limit)
	docs := make([]Doc, 0, s.query.Limit)
	for _, h := range hits[:min(len(hits), s.query.Limit)] {
		if h.Entry != nil {
			entries[h.Doc] = h.reading
			docs = append(docs, h.Doc)
		}
	}
	found, err := s.idx.Candidates(ctx, docs)
	if err != nil {
		return err
	}
	if s.opt.VerifyAhead != nil && s.opt.Sound != nil {
		records := make([]memory.Record, len(found))
		for i, c := range found {
			records[i] = *c.Record
		}
		s.opt.VerifyAhead(records)
	}
	for _, c := range found {
		if s.allow(*c.Record) {
			r := entries[c.Doc]
			r.Candidate, r.seen = c, c.Record
		}
	}
	for _, r := range entries {
		if r.Entry != nil {
			r.Entry = nil
			s.reject(r)
		}
	}
	return nil
}

// sound checks once whether a record may enter the answer.
func (s *search) sound(r *reading) (bool, error) {
	if s.opt.Sound == nil || r.judged {
		return !r.unsound, nil
	}
	sound, err := s.opt.Sound(*r.Record)
	if err != nil {
		return false, err
	}
	r.judged = true
	if !sound {
		s.reject(r)
	}
	return sound, nil
}

// reject keeps a record out of the answer.
func (s *search) reject(r *reading) {
	r.judged, r.unsound = true, true
	s.matching--
	s.rejected++
}

// rankedReading is a reading with its place in the answer.
type rankedReading struct {
	*reading
	like    likeness
	signals memory.Signals
	score   float64
}

// better orders by score, then the later created, then id.
func better(a, b rankedReading) int {
	if by := cmp.Compare(b.score, a.score); by != 0 { // nearly always
		return by
	}
	return cmp.Or(b.seen.Time.Created.Compare(a.seen.Time.Created),
		strings.Compare(string(a.seen.ID), string(b.seen.ID)), cmp.Compare(b.Doc, a.Doc))
}
