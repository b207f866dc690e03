package measure

import (
	"context"
	"sync"
	"time"

	"github.com/satchel-memory/satchel/internal/metric"
	"github.com/satchel-memory/satchel/internal/store"
)

// Figures are of all owners, and dear: a store with many owners reads many index entries for
// them, and a cluster asks every shard.
type Figures struct {
	Owners int64
	Due    map[store.Work]Backlog // of the kinds that wait
}

// Backlog is the work of one kind that is due.
type Backlog struct {
	Owners int64     // who have it due
	Oldest time.Time // since when the oldest waits whose time is known; zero: none is
}

// A survey is taken again after keepFor, or after keepTimes as long as it took, if that is
// longer: whatever the number of owners, it costs a hundredth of one connection at most.
const (
	keepFor   = time.Minute
	keepTimes = 100
	mostTime  = 30 * time.Second // for one survey
)

// Survey keeps the figures of all owners for a while. It is safe for concurrent use.
type Survey struct {
	take func(context.Context) (Figures, error)

	mu      sync.Mutex
	figures Figures
	taken   bool          // figures are there
	until   time.Time     // they need not be taken again before
	running chan struct{} // closed when the running survey ends; nil: none is
}

// NewSurvey returns a survey by the function take, which fails once the store is closed.
func NewSurvey(take func(context.Context) (Figures, error)) *Survey {
	return &Survey{take: take}
}

// Families returns the figures for an operator, or none if there are none before ctx ends. A
// survey that takes longer goes on, for the next call.
func (s *Survey) Families(ctx context.Context) []metric.Family {
	if running := s.start(); running != nil {
		select {
		case <-running:
		case <-ctx.Done():
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.taken {
		return nil
	}
	return s.figures.families(time.Now())
}

// start begins a survey if it is time for one and none is running, and returns a channel
// that closes at its end; nil: the figures are recent.
func (s *Survey) start() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running == nil && !time.Now().Before(s.until) {
		s.running = make(chan struct{})
		go s.run(s.running)
	}
	return s.running
}

func (s *Survey) run(done chan struct{}) {
	defer close(done)
	ctx, cancel := context.WithTimeout(context.Background(), mostTime)
	defer cancel()
	began := time.Now()
	figures, err := s.take(ctx)
	end := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running, s.until = nil, end.Add(max(keepFor, keepTimes*end.Sub(began)))
	if err != nil {
		s.taken, s.until = false, end.Add(keepFor/4) // old figures would hide that the store fails
		return
	}
	s.figures, s.taken = figures, true
}

func (f Figures) families(now time.Time) []metric.Family {
	due := metric.Family{Name: "satchel_store_due_owners", Kind: metric.Gauge, Help: "Owners who have work due, by kind of work, as of some minutes ago at most."}
	oldest := metric.Family{Name: "satchel_store_due_oldest_seconds", Kind: metric.Gauge,
		Help: "How long the oldest work has been due, by kind of work; work that was due at once when it was filed is left out."}
	for _, work := range store.AllWork() {
		b := f.Due[work]
		due.Add(float64(b.Owners), "work", string(work))
		waits := 0.0
		if !b.Oldest.IsZero() {
			waits = max(now.Sub(b.Oldest).Seconds(), 0)
		}
		oldest.Add(waits, "work", string(work))
	}
	return []metric.Family{
		metric.Single("satchel_store_owners", metric.Gauge, "Owners of the store, as of some minutes ago at most.", float64(f.Owners)), due, oldest,
	}
}
