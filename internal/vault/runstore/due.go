package runstore

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// DueRun is a run that has something to do, and whose it is.
type DueRun struct {
	Owner memory.DID
	Run
}

// dueAtOnce is how many owners one call of Due looks at: few that are not wanted may hide
// none that is.
const dueAtOnce = 1000

// lookAgain is when the runs of an owner are looked at again that were due: whoever was told
// of them may not have taken hold of them.
const lookAgain = 15 * time.Second

// Look says which due runs are looked for.
type Look struct {
	Limit  int
	Queues []string     // only runs of these (AAIF-4.6-8); none: of all
	Owners []memory.DID // only runs of these; none: of all
	// Take takes hold of the runs in the same transaction, so that several servers that look at
	// once find different ones. The zero Hold only looks.
	Take Hold
	// Skip reports whether Take leaves a run alone; nil: it leaves none. Skipped is at most how
	// many due runs Skip reports.
	Skip    func(id string) bool
	Skipped int
}

// Due returns runs that have something to do and that nobody holds: those whose holder's lease
// has ended, and those whose wake has come. It is for the server that goes on with them. A run
// that nobody takes hold of is returned again after some seconds. Runs of another lineage are
// not due, nor are those that wait for others of their agent.
func (s *Service) Due(ctx context.Context, l Look) (due []DueRun, err error) {
	if s.kernel.ReadOnly() {
		return nil, nil
	}
	owners, err := s.kernel.Bare().Due(ctx, store.Drive, s.kernel.Now(), dueAtOnce)
	for _, owner := range owners {
		if len(due) >= l.Limit || ctx.Err() != nil {
			break
		}
		if len(l.Owners) > 0 && !slices.Contains(l.Owners, owner) {
			continue
		}
		found, failed := s.dueOf(ctx, owner, l, l.Limit-len(due))
		due, err = append(due, found...), errors.Join(err, failed)
	}
	return due, errors.Join(err, ctx.Err())
}

// dueOf is Due for an owner. It files when to look again.
func (s *Service) dueOf(ctx context.Context, owner memory.DID, l Look, limit int) (due []DueRun, err error) {
	err = s.kernel.UpdateBare(ctx, owner, func(w store.Writer) error {
		due = nil
		if moved, err := w.Moved(); err != nil || moved != "" && moved != store.Removed {
			return errors.Join(err, w.Reschedule(store.Drive, time.Time{})) // nothing is written for the owner here
		}
		now, err := w.Runs().Clock()
		if err != nil {
			return err
		}
		runs, err := w.Runs().DueRuns(now, limit+l.Skipped, l.Queues...)
		if err != nil {
			return err
		}
		listed := len(runs)
		if runs, err = l.take(w, runs, limit); err != nil {
			return err
		}
		for _, run := range runs {
			due = append(due, DueRun{owner, run})
		}
		next, err := w.Runs().NextRun()
		if err != nil {
			return err
		}
		if len(l.Queues) > 0 && !next.IsZero() && !next.After(now) {
			return w.Reschedule(store.Drive, next) // the servers of other queues look as well
		}
		if soon := now.Add(lookAgain); len(runs) > 0 && next.Before(soon) && l.Take.Holder == "" || !next.IsZero() && !next.After(now) {
			next = soon
		}
		if (len(runs) == limit || listed == limit+l.Skipped) && limit > 0 {
			next = now // more may be due: they are found as soon as somebody has time for them
		}
		return w.Reschedule(store.Drive, next)
	})
	return due, err
}

// take takes hold of at most so many runs and returns those that it got.
func (l Look) take(w store.Writer, runs []Run, most int) (taken []Run, err error) {
	if l.Take.Holder == "" {
		return runs, nil
	}
	crowded := map[string]bool{} // by agent
	for _, run := range runs {
		if len(taken) == most {
			break
		}
		if crowded[run.Agent] || l.Skip != nil && l.Skip(run.ID) {
			continue
		}
		held, err := w.RunKeeper().HoldRun(run.ID, l.Take)
		switch {
		case errors.Is(err, store.ErrCrowded):
			crowded[run.Agent] = true
		case errors.Is(err, store.ErrAltered): // whoever asks for it is told
		case err != nil:
			return nil, err
		default:
			taken = append(taken, held)
		}
	}
	return taken, nil
}
