package host

import (
	"context"
	"math"
	"sync"
	"time"

	"github.com/satchel-memory/satchel/internal/vault/runstore"
	"github.com/satchel-memory/satchel/memory"
)

// backlog are the runs that this process has started and holds, until Drive has a place for
// them. It is safe for concurrent use.
type backlog struct {
	mu      sync.Mutex
	driving bool // Drive was called
	rows    []runstore.Run
}

// drives says whether Drive executes the runs that begin here.
func (b *backlog) drives(now bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.driving = now
}

// begun notes a run that this process holds, if Drive executes it.
func (b *backlog) begun(row runstore.Run) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.driving {
		b.rows = append(b.rows, row)
	}
}

// take takes at most so many runs.
func (b *backlog) take(most int) []runstore.Run {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := min(max(most, 0), len(b.rows))
	taken := b.rows[:n:n]
	b.rows = b.rows[n:]
	return taken
}

// giveUpTime is how long the store may take to let go of runs.
const giveUpTime = 10 * time.Second

// giveUp lets other servers take hold of the runs that Drive does not come to.
func (b *backlog) giveUp(ctx context.Context, c memory.Caller, h *Host) {
	b.drives(false)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), giveUpTime)
	defer cancel()
	for _, row := range b.take(math.MaxInt) {
		if err := h.runs.Release(ctx, c, row.ID, row.Fence); err != nil {
			h.opt.Log.Warn("a run stays held until its lease ends", "run", row.ID, "err", err)
		}
	}
}
