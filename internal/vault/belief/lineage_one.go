package belief

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// An act on one belief reads only that belief's lineage, where its place is known:
// others wait for the transaction, and an owner may have a hundred thousand records.

// txLoader reads the beliefs that an act needs.
type txLoader func(context.Context, store.Writer, memory.Caller) (beliefTx, error)

// loadBeliefs loads the beliefs with these ids, and maybe others.
func (s *Service) loadBeliefs(ids ...string) txLoader {
	return s.loadSome(ids, func(beliefTx, string) (bool, error) { return false, nil })
}

// loadSome is loadBeliefs with a function absent that reports ids known to have no
// belief.
func (s *Service) loadSome(ids []string, absent func(g beliefTx, id string) (bool, error)) txLoader {
	return func(ctx context.Context, w store.Writer, c memory.Caller) (beliefTx, error) {
		g := s.emptyTx(w, c)
		for _, id := range ids {
			if err := g.seek(ctx, id); err != nil {
				return g, err
			}
			if g.find(id) != nil {
				continue
			}
			if none, err := absent(g, id); err != nil {
				return g, err
			} else if !none {
				return s.loadAll(ctx, w, c)
			}
		}
		return g, nil
	}
}

// loadCorrection loads the belief for which a correction waits, and maybe others.
func (s *Service) loadCorrection(id string) txLoader {
	return func(ctx context.Context, w store.Writer, c memory.Caller) (beliefTx, error) {
		g := s.emptyTx(w, c)
		roots, err := g.waitedFor(ctx)
		if err != nil {
			return g, err
		}
		for _, root := range roots {
			if err := g.take(ctx, root); err != nil {
				return g, err
			}
			if _, _, err := g.proposed(id); err == nil {
				return g, nil
			}
		}
		return s.loadAll(ctx, w, c)
	}
}

// emptyTx returns a beliefTx that has read nothing yet.
func (s *Service) emptyTx(w store.Writer, c memory.Caller) beliefTx {
	return beliefTx{beliefSet: s.emptySet(w, c, vault.Instant(s.kernel.Now())), w: w, caller: c}
}

// seek reads the lineage of the belief with an id, if its place is known.
func (h beliefSet) seek(ctx context.Context, id string) error {
	if h.find(id) != nil {
		return nil
	}
	rows, err := h.rows.Numbered(h.vault.places.of(h.tell.Owner, id))
	if err != nil || len(rows) == 0 {
		return err
	}
	return h.take(ctx, rows[0].Columns.Lineage)
}

// takeWaiting reads all lineages with a waiting proposal.
func (h beliefSet) takeWaiting(ctx context.Context) error {
	roots, err := h.waitedFor(ctx)
	if err != nil {
		return err
	}
	for _, root := range roots {
		if err := h.take(ctx, root); err != nil {
			return err
		}
	}
	return nil
}

// take reads one lineage into the set, without resolved corrections: nothing links those
// to the lineage any more.
func (h beliefSet) take(ctx context.Context, root memory.ID) error {
	all := newLineageSet()
	var ids []memory.ID
	err := vault.EachPage(ctx, h.rows, store.Filter{Lineage: root}, func(rows []store.Row) error {
		for _, row := range rows {
			ids = append(ids, row.ID)
		}
		return h.vault.fileRows(h.rows, h.tell.Owner, all, rows)
	})
	if err != nil {
		return err
	}
	waiting, err := candidatesFor(h.rows, ids)
	if err != nil {
		return err
	}
	if err := h.vault.fileRows(h.rows, h.tell.Owner, all, waiting); err != nil {
		return err
	}
	all.complete()
	for _, l := range all.list {
		if err := h.file(l); err != nil {
			return err
		}
	}
	return nil
}

// candidatesFor returns the candidates of other lineages that refer to one of these
// records, oldest first.
func candidatesFor(r store.Reader, ids []memory.ID) ([]store.Row, error) {
	var rows []store.Row
	seen := map[memory.ID]bool{}
	for _, id := range ids {
		seen[id] = true
	}
	for _, id := range ids {
		from, err := r.Relating(string(id))
		if err != nil {
			return nil, err
		}
		for _, id := range from {
			if seen[id] {
				continue
			}
			seen[id] = true
			row, err := r.Row(id)
			if err != nil && !errors.Is(err, store.ErrNotFound) {
				return nil, err
			}
			if err == nil && row.Columns.Status == memory.Candidate {
				rows = append(rows, row)
			}
		}
	}
	slices.SortFunc(rows, func(a, b store.Row) int {
		return cmp.Or(a.Columns.Created.Compare(b.Columns.Created), cmp.Compare(a.Number, b.Number))
	})
	return rows, nil
}

// waitedFor returns the lineages with a waiting proposal, each once.
func (h beliefSet) waitedFor(ctx context.Context) ([]memory.ID, error) {
	var roots []memory.ID
	err := vault.EachPage(ctx, h.rows, store.Filter{Statuses: []memory.Status{memory.Candidate}}, func(rows []store.Row) error {
		for _, row := range rows {
			rec, err := vault.Decoded(row)
			if err != nil {
				continue // damaged: take would skip it
			}
			root, err := h.contradictedLineage(rec)
			if err != nil {
				return err
			}
			if root != "" && !slices.Contains(roots, root) {
				roots = append(roots, root)
			}
		}
		return nil
	})
	return roots, err
}

// contradictedLineage returns the lineage of the record that a proposal contradicts;
// empty: it is not here.
func (h beliefSet) contradictedLineage(rec memory.Record) (memory.ID, error) {
	about := vault.Contradicted(rec)
	if about == "" {
		return "", nil
	}
	row, err := h.rows.Row(about)
	if errors.Is(err, store.ErrNotFound) {
		return "", nil
	}
	return row.Columns.Lineage, err
}
