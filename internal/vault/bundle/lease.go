package bundle

import (
	"context"
	"sync"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// A running import of a bundle always renews its lease, even while it prepares. So a
// killed import is soon recognized.
const (
	brainLease   = 15 * time.Second
	brainRenewed = 3 * time.Second
)

// keepAlive renews the lease of the import until letGo is called. It does nothing if
// nothing is staged, or if the lease is already being renewed.
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
			// Each transaction of the import renews the lease as well. Another
			// transaction at the same time would share its commit, which slows a large
			// transaction down.
			if !q.writing.TryLock() {
				continue
			}
			// The next tick tries a failed renewal again. The import notices a lost
			// lease when it goes on.
			_ = v.renewLease(ctx, owner, number)
			q.writing.Unlock()
		}
	})
	q.release = func() {
		cancel()
		done.Wait()
	}
}

// letGo stops the renewal of the lease.
func (q *importQueue) letGo() {
	if q.release != nil {
		q.release()
	}
}

// renewLease renews the lease of an import that is not abandoned.
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
