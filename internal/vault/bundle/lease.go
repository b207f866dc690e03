package bundle

import (
	"context"
	"sync"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// The import of a bundle that lives renews its lease all the time, also while it
// makes things ready, so that one that was killed is soon known to be dead.
const (
	brainLease   = 15 * time.Second
	brainRenewed = 3 * time.Second
)

// keepAlive renews the lease of the import until letGo. It does nothing where
// nothing is staged, or the lease is renewed already.
func (q *importQueue) keepAlive(ctx context.Context) {
	if q.Number == 0 || q.release != nil {
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	var done sync.WaitGroup
	v, owner, number := q.Service, q.Caller.Owner, q.Number
	done.Go(func() {
		tick := time.NewTicker(brainRenewed)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			// Each transaction of the import renews the lease as well. One beside it
			// would share its commit, which makes a large transaction slow.
			if !q.writing.TryLock() {
				continue
			}
			// One that fails is tried again: whether the lease is still held shows
			// when the import goes on.
			_ = v.renewLease(ctx, owner, number)
			q.writing.Unlock()
		}
	})
	q.release = func() {
		cancel()
		done.Wait()
	}
}

// letGo no longer renews the lease.
func (q *importQueue) letGo() {
	if q.release != nil {
		q.release()
	}
}

// renewLease renews the lease of an import that is not given up.
func (s *Service) renewLease(ctx context.Context, owner memory.DID, number int64) error {
	return s.kernel.Store().Update(ctx, owner, func(w store.Writer) error {
		i, err := w.Import(number)
		if err != nil || i.State != store.Staging {
			return err
		}
		i.Lease = s.kernel.Now().Add(brainLease)
		_, err = w.SetImport(i)
		return err
	})
}
