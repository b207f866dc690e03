package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/satchel-memory/satchel/aaif"
)

// Failures of a [Journal].
var (
	ErrHeld   = errors.New("another program executes the run")
	ErrFenced = errors.New("another program has taken the run over")
	// ErrCancelled is [ErrFenced] for a run that has ended because somebody cancelled it.
	ErrCancelled = fmt.Errorf("the run was cancelled: %w", ErrFenced)
	ErrCopied    = errors.New("the run was going on elsewhere, or before the store was restored")
	// ErrCrowded: as many runs of the agent are executed as its definition allows (AAIF-4.6-3).
	ErrCrowded = errors.New("as many runs of the agent are executed as its definition allows at once")
)

// Journal keeps the events of runs. It is safe for concurrent use.
type Journal interface {
	// Events returns the events of a run after a number, in order.
	Events(ctx context.Context, id string, after int64) ([]Event, error)
	// Hold gives a holder the right to append to a run. It fails with ErrHeld, ErrCopied or ErrCrowded. A
	// run that was going on in another store gets the event Adopted in the same step, unless
	// the run has ended or left.
	Hold(ctx context.Context, id string, h Hold) (Place, error)
	// Append adds events and renews the lease; without events it only renews the lease. It
	// fails with ErrFenced if fence is not that of the present holder, or if the journal has
	// events that this holder does not know. If to.Rests and there are events, the hold ends.
	Append(ctx context.Context, id string, fence int64, lease time.Duration, to Standing, events []Event) error
	// Join adds a person's decision to a run that somebody else holds, who then finds it. It fails
	// with ErrFenced if nobody holds the run, or if e.Number is not the next number.
	Join(ctx context.Context, id string, e Event) error
	// Renew renews the leases of several holds in one step. It returns the ids of those that
	// have ended, as Append would fail with ErrFenced for them. fences are by the ids of runs.
	Renew(ctx context.Context, lease time.Duration, fences map[string]int64) (lost []string, err error)
	// Release ends a hold. A fence of another holder changes nothing.
	Release(ctx context.Context, id string, fence int64) error
}

// Hold says who is to hold a run, and for how long.
type Hold struct {
	Holder   string        // names the one who holds it
	Lease    time.Duration // for how long
	Force    bool          // take the run from its present holder, who can then append no more
	Executes bool          // the holder is going to execute the run, and so takes one of its agent's slots
	Resumes  bool          // a person resumes the run, also one that was going on in another store
	Taken    Place         // the executor holds the run already, and asks no journal; zero: it does not
	Adopted  Event         // with Resumes: records that the run was going on in another store
}

// Place is a hold that the journal has granted.
type Place struct {
	Fence  int64 // its number
	Copied bool  // the run was going on in another store, or before the journal was restored; it has the event Adopted
}

// Standing is how a run stands after an append: for lists, and for the hold. Rests is more than
// Status says: a run whose time for an approval is up has something to do. The hold of a run
// that rests ends in the same transaction, so that a killed process never holds one.
type Standing struct {
	Status aaif.RunStatus
	Wake   time.Time // when there is something to do without a person; zero: never
	Rests  bool      // it has ended, or waits for a person or another platform
}

// heldRun is a run that this process holds.
type heldRun struct {
	x     *Executor
	id    string
	place Place
	hooks *hooks // nil: the run is not executed here

	order   sync.Mutex              // of appends, with those who are told of them
	threads *schedule               // nil: the run is not executed
	lost    context.CancelCauseFunc // ends the execution; nil: the run is not executed
	look    chan struct{}           // something else than a thread has changed the run

	mu  sync.Mutex // of what follows
	run Run

	lately atomic.Pointer[instant] // when the journal was last asked whether this process still holds the run, and it did
}

// instant is a time by the executor's clock, and by the machine's.
type instant struct{ at, machine time.Time }

// instant returns the present.
func (x *Executor) instant() *instant { return &instant{x.Now(), time.Now()} }

// held notes that this process held the run, unless that is known of a later time.
func (h *heldRun) held(now *instant) {
	for {
		old := h.lately.Load()
		if old != nil && old.machine.After(now.machine) || h.lately.CompareAndSwap(old, now) {
			return
		}
	}
}

// hold takes hold of a run and reads it.
func (x *Executor) hold(ctx context.Context, id string, how Hold) (*heldRun, error) {
	how.Holder, how.Lease = x.Holder, x.Lease
	if how.Resumes {
		how.Adopted = Event{Kind: Resumed, By: x.Holder, Code: CopiedCode, At: x.Now().UTC().Truncate(time.Microsecond)}
	}
	now := x.instant()
	place, err := how.Taken, error(nil)
	if place.Fence == 0 {
		place, err = x.Journal.Hold(ctx, id, how)
	}
	if err != nil {
		return nil, err
	}
	h := &heldRun{x: x, id: id, place: place, look: make(chan struct{}, 1)}
	h.held(now)
	events, err := x.Journal.Events(ctx, id, 0)
	if how.Executes {
		h.hooks = hooksOf(events)
	}
	if err == nil {
		h.run, err = Fold(id, events)
	}
	if err == nil && place.Copied {
		if last := events[len(events)-1]; last.Code == CopiedCode && x.OnEvent != nil {
			x.OnEvent(id, last)
		}
		err = h.append(ctx) // lists say how it stands now
	}
	if err != nil {
		h.release(ctx)
		return nil, err
	}
	return h, nil
}

// stands returns the run as it stands. It shares no memory that later events change.
func (h *heldRun) stands() Run {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.run
}

// poke lets the executor look for what is to be done.
func (h *heldRun) poke() {
	select {
	case h.look <- struct{}{}:
	default:
	}
}

// release lets others take hold of the run, also if ctx is over.
func (h *heldRun) release(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTime)
	defer cancel()
	if err := h.x.Journal.Release(ctx, h.id, h.place.Fence); err != nil {
		h.x.Log.Warn("a run stays held until its lease ends", "run", h.id, "err", err)
	}
}

const releaseTime = 10 * time.Second

// append writes events down. Only then are they part of the run. Hooks are called before.
func (h *heldRun) append(ctx context.Context, events ...Event) error {
	if err := h.hook(ctx, events); err != nil {
		return err
	}
	return h.put(ctx, events...)
}

// put is append without hooks.
func (h *heldRun) put(ctx context.Context, events ...Event) error {
	h.order.Lock()
	defer h.order.Unlock()
	err := h.write(ctx, events)
	if errors.Is(err, ErrFenced) {
		if decided, failed := h.catchUp(ctx); failed == nil && len(decided) > 0 {
			h.tell(decided)
			err = h.write(ctx, events)
		}
	}
	if err == nil {
		h.tell(events)
	}
	return err
}

func (h *heldRun) tell(events []Event) {
	for _, e := range events {
		if h.x.OnEvent != nil {
			h.x.OnEvent(h.id, e)
		}
	}
}

// hearEvery is how often the holder of a run looks for decisions of people.
const hearEvery = time.Second

// hear takes in what people have decided through other processes, if the run waits for a decision.
func (h *heldRun) hear(ctx context.Context) error {
	if r := h.stands(); !r.waits() {
		return nil
	}
	h.order.Lock()
	defer h.order.Unlock()
	decided, err := h.catchUp(ctx)
	if errors.Is(err, ErrFenced) {
		return err
	}
	h.tell(decided) // after any other failure it looks again
	return nil
}

// catchUp applies the events that the journal has and this holder does not know. It fails with
// ErrFenced if one of them is no decision of a person: then somebody else goes on with the run.
func (h *heldRun) catchUp(ctx context.Context) ([]Event, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	more, err := h.x.Journal.Events(ctx, h.id, h.run.Events)
	if err != nil {
		return nil, err
	}
	next := h.run
	for _, e := range more {
		if !e.decides() {
			return nil, ErrFenced
		}
		if err := next.Apply(e); err != nil {
			return nil, err
		}
	}
	h.run = next
	return more, nil
}

// write is append without telling anybody.
func (h *heldRun) write(ctx context.Context, events []Event) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	next := h.run
	for i := range events {
		if err := next.add(&events[i], h.x.Now()); err != nil {
			return err
		}
	}
	now := h.x.instant()
	if err := h.x.Journal.Append(ctx, h.id, h.place.Fence, h.x.Lease, h.standing(&next), events); err != nil {
		return err
	}
	h.held(now)
	if len(events) > 0 {
		h.run = next
	}
	return nil
}

func (h *heldRun) standing(r *Run) Standing {
	s := Standing{Status: r.Status}
	switch a := r.Next(h.x.Now()); a.Do {
	case Wait:
		s.Wake, s.Rests = a.Until, true
	case Deny:
		s.Wake = a.Until
	case NothingDo:
		s.Rests = true
	}
	return s
}

// confirm makes sure that this process still holds the run, unless that is known from the last
// half of a lease. A process may be suspended for longer than its lease after it has recorded
// what it is about to do. It must not do it then: another process may hold the run.
func (h *heldRun) confirm(ctx context.Context) error {
	if h.x.Now().Sub(h.lately.Load().at) < h.x.Lease/2 {
		return nil
	}
	return h.append(ctx)
}

// age returns how long ago the lease was renewed.
func (h *heldRun) age() time.Duration { return time.Since(h.lately.Load().machine) }

// keep holds the run until ctx is over. An append renews the lease, so that a run that goes on
// quickly needs nothing more.
func (h *heldRun) keep(ctx context.Context) {
	third := h.x.Lease / 3
	t := time.NewTimer(third)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
		if h.age() >= third {
			h.x.renew(ctx)
		}
		if left := third - h.age(); left > 0 {
			t.Reset(left)
		} else {
			t.Reset(third) // it failed
		}
	}
}

// renew renews the leases of all runs that are executed here, in one step, except those that
// were renewed lately. It ends the execution of runs that somebody else has taken over. Runs
// that are due meanwhile wait, and then find that they are renewed.
func (x *Executor) renew(ctx context.Context) {
	x.renewing.Lock()
	defer x.renewing.Unlock()
	if ctx.Err() != nil {
		return
	}
	now := x.instant()
	fences, held := map[string]int64{}, []*heldRun{}
	x.mu.Lock()
	for id, h := range x.live {
		if h.age() >= x.Lease/6 {
			fences[id], held = h.place.Fence, append(held, h)
		}
	}
	x.mu.Unlock()
	if len(held) == 0 {
		return
	}
	lost, err := x.Journal.Renew(ctx, x.Lease, fences)
	if err != nil {
		return // each of them tries again
	}
	for _, h := range held {
		if slices.Contains(lost, h.id) {
			h.lost(ErrFenced)
			continue
		}
		h.held(now)
	}
}
