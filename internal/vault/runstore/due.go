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

// Due returns at most limit runs of some owners, or of all, that have something to do and that
// nobody holds: those whose holder's lease has ended, and those whose wake has come. It is for
// the server that goes on with them; holding one decides who does. A run is returned again
// after some seconds unless somebody has held it by then. Runs of another lineage are not due,
// nor are those that wait for others of their agent. With queues it returns only their runs
// (AAIF-4.6-8).
func (s *Service) Due(ctx context.Context, limit int, queues []string, of ...memory.DID) (due []DueRun, err error) {
	if s.kernel.ReadOnly() {
		return nil, nil
	}
	owners, err := s.kernel.Bare().Due(ctx, store.Drive, s.kernel.Now(), dueAtOnce)
	for _, owner := range owners {
		if len(due) >= limit || ctx.Err() != nil {
			break
		}
		if len(of) > 0 && !slices.Contains(of, owner) {
			continue
		}
		found, failed := s.dueOf(ctx, owner, limit-len(due), queues)
		due, err = append(due, found...), errors.Join(err, failed)
	}
	return due, errors.Join(err, ctx.Err())
}

// dueOf is Due for an owner. It files when to look again.
func (s *Service) dueOf(ctx context.Context, owner memory.DID, limit int, queues []string) (due []DueRun, err error) {
	err = s.kernel.UpdateBare(ctx, owner, func(w store.Writer) error {
		due = nil
		if moved, err := w.Moved(); err != nil || moved != "" && moved != store.Removed {
			return errors.Join(err, w.Reschedule(store.Drive, time.Time{})) // nothing is written for the owner here
		}
		now, err := w.Runs().Clock()
		if err != nil {
			return err
		}
		runs, err := w.Runs().DueRuns(now, limit, queues...)
		if err != nil {
			return err
		}
		for _, run := range runs {
			due = append(due, DueRun{owner, run})
		}
		next, err := w.Runs().NextRun()
		if err != nil {
			return err
		}
		if len(queues) > 0 && !next.IsZero() && !next.After(now) {
			return w.Reschedule(store.Drive, next) // the servers of other queues look as well
		}
		if soon := now.Add(lookAgain); len(runs) > 0 && next.Before(soon) || !next.IsZero() && !next.After(now) {
			next = soon
		}
		if len(runs) == limit && limit > 0 {
			next = now // more may be due: they are found as soon as somebody has time for them
		}
		return w.Reschedule(store.Drive, next)
	})
	return due, err
}
