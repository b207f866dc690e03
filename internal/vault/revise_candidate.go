package vault

import (
	"errors"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// takeOver gives the successor of a candidate the records that the candidate would have
// replaced. A candidate ends nothing until it is confirmed; after that only one of them
// may be left. By then, successors may stand in their place. The owner confirms; another
// reviser learns only what the candidate says.
func (v *verifier) takeOver(r store.Reader, prior, next memory.Record) (memory.Record, error) {
	if prior.Lifecycle.Status != memory.Candidate {
		return next, nil
	}
	switch next.Lifecycle.Status.Or() {
	case memory.Candidate:
		next.Supersedes = Union(next.Supersedes, prior.Supersedes)
	case memory.Active:
		held, err := v.heldInstead(r, prior, next.Time.From())
		if err != nil {
			return next, err
		}
		next.Supersedes = Union(next.Supersedes, held)
	}
	return next, nil
}

// heldInstead returns the records that a candidate would replace at an instant: those it
// names, and their successors in force by then. Of records that were replaced and have
// ended, only the successors count.
func (v *verifier) heldInstead(r store.Reader, candidate memory.Record, at time.Time) (held []memory.ID, err error) {
	todo, seen := slices.Clone(candidate.Supersedes), map[memory.ID]bool{candidate.ID: true}
	for ; len(todo) > 0 && len(seen) < ChainLimit; todo = todo[1:] {
		id := todo[0]
		if seen[id] {
			continue
		}
		seen[id] = true
		row, err := r.Row(id)
		if errors.Is(err, store.ErrNotFound) {
			held = append(held, id) // a plain link
			continue
		}
		if err != nil {
			return nil, err
		}
		rec, err := v.record(r, row)
		if err != nil {
			return nil, err
		}
		switch {
		case rec.Lifecycle.Status == memory.Candidate:
			todo = append(todo, rec.Supersedes...)
			continue
		case rec.Lifecycle.Status == memory.Tombstoned:
		case len(rec.SupersededBy) == 0 || rec.Time.ValidTo.IsZero() || rec.Time.ValidTo.After(at):
			held = append(held, id)
		}
		todo = append(todo, rec.SupersededBy...)
	}
	return held, nil
}
