package vault

import (
	"context"
	"time"

	"github.com/satchel-memory/satchel/internal/recall"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// The most rows of each part, the newest, from which a broad question is answered. For a
// caller who may not see all of them more are read, as most may be hidden.
const (
	broadRows       = briefRows
	broadRowsHidden = 10 * broadRows
)

// answer ranks the records that answer the question.
func (s *search) answer(ctx context.Context, r store.Reader) ([]memory.Hit, error) {
	idx := &index{rows: r, names: s.names, vault: s.gate.vault, found: s.found}
	if !s.hides() {
		state, err := r.Sum()
		if err != nil {
			return nil, err
		}
		if state != (store.Sum{}) {
			idx.kept = s.gate.vault.recalls.of(r.Owner(), state, s.asked)
		}
	}
	scratch := s.gate.vault.recalls.scratch()
	defer s.gate.vault.recalls.free.Put(scratch)
	options := recall.Options{Scratch: scratch, Now: s.gate.Now, Owner: s.gate.Caller.Owner, Apart: s.hides(), Sound: s.sound, VerifyAhead: s.verifyAhead}
	if s.hides() {
		options.View = s.view
	}
	from, to, period := recall.Period(s.query.Text, s.gate.Now)
	if period || recall.Broad(s.query.Text) {
		docs, err := s.newest(ctx, r)
		if err != nil {
			return nil, err
		}
		allow := s.allows
		if period {
			allow = func(rec memory.Record) bool { return isOf(rec.Time, from, to) && s.allows(rec) }
		}
		hits, err := recall.Overview(ctx, idx, docs, s.query, options, allow)
		if err != nil || len(hits) > 0 || !period {
			return hits, err
		}
	}
	var err error
	if options.Nearest, err = s.nearest(ctx, r, idx); err != nil {
		return nil, err
	}
	hits, _, err := recall.Search(ctx, idx, s.query, options, s.allows)
	return hits, err
}

// isOf reports whether a record was remembered, or began to be true, in [from, to).
func isOf(t memory.Times, from, to time.Time) bool {
	within := func(at time.Time) bool { return !at.Before(from) && at.Before(to) }
	return within(t.Created) || within(t.From())
}

// newest returns the documents that a broad question may be answered from: the newest of
// each part of a brief, then those of every kind.
func (s *search) newest(ctx context.Context, r store.Reader) ([]recall.Doc, error) {
	most := broadRows
	if !s.gate.Caller.Speaks() {
		most = broadRowsHidden
	}
	f := store.Filter{Statuses: s.query.Filter.Statuses, Newest: true}
	if len(f.Statuses) == 0 {
		f.Statuses, f.ValidAt = []memory.Status{memory.Active}, s.query.Filter.ValidAt
	}
	places := [][]string{{""}, nil}
	if p := s.query.Scope.Project; p != "" {
		places = [][]string{{""}, s.names.spellings(p)}
	}
	parts := [][]memory.Kind{{memory.Identity}, {memory.Procedural}, {memory.Semantic, memory.Working}, nil}
	if len(s.query.Filter.Kinds) > 0 {
		parts = [][]memory.Kind{s.query.Filter.Kinds}
	}
	seen := map[int64]bool{}
	var docs []recall.Doc
	for _, f.Kinds = range parts {
		for _, f.Projects = range places {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			rows, err := r.Rows(f, store.Cursor{}, most)
			if err != nil {
				return nil, err
			}
			for _, row := range rows {
				if !seen[row.Number] {
					seen[row.Number] = true
					docs = append(docs, recall.Doc(row.Number))
				}
			}
		}
	}
	return docs, nil
}
