package host

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"maps"
	"sync"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/agents"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/run/model"
	"github.com/satchel-memory/satchel/internal/run/tool"
	"github.com/satchel-memory/satchel/internal/run/trace"
	"github.com/satchel-memory/satchel/internal/sleep"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/notestore"
	"github.com/satchel-memory/satchel/internal/vault/runstore"
	"github.com/satchel-memory/satchel/memory"
)

// Options are what a Host needs.
type Options struct {
	Vault    *vault.Vault
	Agents   *agents.Service
	Settings Settings
	// Fresh reads the settings anew, whenever a run starts or goes on; nil: Settings stay.
	Fresh func() (Settings, error)
	// Flags name the settings that replace the owner's own, such as another table of models. A
	// run goes on only with the flags that it was started with.
	Flags    []string
	Models   run.Models    // asks models; nil: their providers are asked
	Holder   string        // names this process; unique among those that share the store
	Lease    time.Duration // how long a run stays held by a process that died; 0: 30 seconds
	Now      func() time.Time
	Log      *slog.Logger
	Remote   Remote // asks agents elsewhere; nil: nobody does
	Platform string // the name of this platform, in checkpoints
	Release  string
	// Queues are those whose runs Drive executes, "" for the runs of no queue; nil: all runs.
	Queues   []string
	Triggers Triggers // what starts agents besides people
	// OnEvent and OnText hear what runs do here; nil: nobody listens.
	OnEvent func(id string, e run.Event)
	OnText  func(id, piece string)
	// Spans records what runs do; nil: only the collectors that definitions name are told.
	Spans trace.Recorder
}

// Host runs the agents of the owners of one vault. It is safe for concurrent use.
type Host struct {
	opt    Options
	runs   *runstore.Service
	notes  *notestore.Service
	shared *tool.Shared
	client *model.Client
	test   *rehearsal // nil: runs are in earnest

	look chan struct{} // tells Drive that a run may have something to do

	mu      sync.Mutex
	going   map[place]context.CancelCauseFunc // ends the work of this process on a run
	execs   map[memory.Caller]*run.Executor
	ended   map[aaif.RunStatus]int64 // runs that ended here
	resting map[string]rest          // runs that could not go on here, by id
	backlog backlog
	hearing map[place][]chan string // who is told what models say in a run
	endings map[place]run.Kind      // of runs that ended here and are not reported yet

	counts    counts
	exporters exporters
}

// place names a run among those of all owners.
type place struct {
	owner memory.DID
	id    string
}

// usualLease is how long a run stays held by a process that died.
const usualLease = 30 * time.Second

// New returns a Host.
func New(o Options) *Host {
	if o.Lease <= 0 {
		o.Lease = usualLease
	}
	if o.Holder == "" {
		o.Holder = rand.Text()
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Host{opt: o, runs: runstore.New(o.Vault), notes: notestore.New(o.Vault), shared: &tool.Shared{}, client: model.New(model.Options{Now: o.Now}),
		look: make(chan struct{}, 1), going: map[place]context.CancelCauseFunc{}, execs: map[memory.Caller]*run.Executor{}, ended: map[aaif.RunStatus]int64{}, resting: map[string]rest{}, hearing: map[place][]chan string{}, endings: map[place]run.Kind{}}
}

// settings returns the settings as they are now.
func (h *Host) settings() (Settings, error) {
	s := h.opt.Settings
	if h.opt.Fresh != nil {
		var err error
		if s, err = h.opt.Fresh(); err != nil {
			return Settings{}, err
		}
	}
	s.Limits = run.DefaultLimits().With(s.Limits)
	s.library = &library{files: s.Copies, read: map[string]string{}}
	return s, nil
}

// executor returns the executor of a caller's runs. It is kept: it knows which models failed
// lately.
func (h *Host) executor(c memory.Caller) *run.Executor {
	h.mu.Lock()
	defer h.mu.Unlock()
	key := memory.Caller{Owner: c.Owner, Role: c.Role}
	if x := h.execs[key]; x != nil {
		return x
	}
	x := &run.Executor{
		Journal: journal{h.runs, c}, Holder: h.opt.Holder, Lease: h.opt.Lease, Now: h.opt.Now, Log: h.opt.Log,
		Sleep: sleep.For, OnEvent: h.listen(c), OnText: func(id, piece string) { h.say(c.Owner, id, piece) },
		Hook: func(ctx context.Context, r *run.Run, m run.Moment, last run.Event) (run.Hook, error) {
			return hookCaller{h}.hook(ctx, c, r, m, last)
		},
		Open: func(ctx context.Context, r *run.Run, t *run.Thread) (*run.Setup, error) { return h.setup(ctx, c, r, t) },
	}
	h.execs[key] = x
	return x
}

// Continue goes on with a run, see [run.Executor.Continue].
func (h *Host) Continue(ctx context.Context, c memory.Caller, id string, how run.ContinueOptions) (run.Run, error) {
	ctx, done, err := h.alone(ctx, c, id)
	if err != nil {
		return run.Run{}, err
	}
	defer done()
	r, err := h.executor(c).Continue(ctx, id, how)
	h.reportEnd(ctx, c, r)
	if err == nil && r.Status.Ended() {
		h.mu.Lock()
		h.ended[r.Status]++
		h.mu.Unlock()
	}
	return r, err
}

// alone lets one goroutine of this process work on a run. It fails with [run.ErrHeld] while
// another one does: holding a run by the same name would take it away from that one.
func (h *Host) alone(ctx context.Context, c memory.Caller, id string) (context.Context, func(), error) {
	at := place{c.Owner, id}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.going[at] != nil {
		return nil, nil, run.ErrHeld
	}
	ctx, cancel := context.WithCancelCause(ctx)
	h.going[at] = cancel
	return ctx, func() {
		cancel(nil)
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.going, at)
	}, nil
}

// stop ends the work of this process on a run, if there is any: the run has another holder
// now, or is gone. cause is [run.ErrFenced] or [run.ErrCancelled].
func (h *Host) stop(c memory.Caller, id string, cause error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if cancel := h.going[place{c.Owner, id}]; cancel != nil {
		cancel(cause)
	}
}

// Executing returns how many runs this process works on, and how many ended here, by their
// status.
func (h *Host) Executing() (now int, ended map[aaif.RunStatus]int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.going), maps.Clone(h.ended)
}

// Approve approves the call that a run waits for, see [run.Executor.Approve].
func (h *Host) Approve(ctx context.Context, c memory.Caller, id, call, digest string) (run.Run, error) {
	return h.decide(ctx, c, id, func(ctx context.Context, x *run.Executor) (run.Run, error) {
		return x.Approve(ctx, id, call, digest, string(c.Owner))
	}, func(ctx context.Context, x *run.Executor) (run.Run, error) {
		return x.ApproveHere(ctx, id, call, digest, string(c.Owner))
	})
}

// Reject rejects the call that a run waits for.
func (h *Host) Reject(ctx context.Context, c memory.Caller, id, call, why string) (run.Run, error) {
	return h.decide(ctx, c, id, func(ctx context.Context, x *run.Executor) (run.Run, error) {
		return x.Reject(ctx, id, call, string(c.Owner), why)
	}, func(ctx context.Context, x *run.Executor) (run.Run, error) {
		return x.RejectHere(ctx, id, call, string(c.Owner), why)
	})
}

// Resume resumes a run, see [run.Executor.Resume].
func (h *Host) Resume(ctx context.Context, c memory.Caller, id string) (run.Run, error) {
	return h.decide(ctx, c, id, func(ctx context.Context, x *run.Executor) (run.Run, error) {
		return x.Resume(ctx, id, string(c.Owner))
	}, nil)
}

// letGo is how long decide waits for the executor of a run to let go of it.
const letGo = 2 * time.Second

// decide records what a person decided, and wakes Drive. For a moment after a run began to
// wait, its executor may still work on it: decide then tries again. While other agents of the run go on here, here records it; nil: then nobody can decide.
func (h *Host) decide(ctx context.Context, c memory.Caller, id string, to, here func(context.Context, *run.Executor) (run.Run, error)) (run.Run, error) {
	once := func() (run.Run, error) {
		x := h.executor(c)
		alone, done, err := h.alone(ctx, c, id)
		if errors.Is(err, run.ErrHeld) && here != nil {
			return here(ctx, x)
		}
		if err != nil {
			return run.Run{}, err
		}
		defer done()
		r, err := to(alone, x)
		h.reportEnd(ctx, c, r)
		return r, err
	}
	for pause, waited := 5*time.Millisecond, time.Duration(0); ; pause *= 2 {
		r, err := once()
		if err == nil {
			h.wakes(id)
			h.wake()
		}
		if !errors.Is(err, run.ErrHeld) || waited >= letGo {
			return r, err
		}
		row, failed := h.runs.Get(ctx, c, id)
		if failed != nil || row.Status != string(aaif.AwaitingApproval) && row.Status != string(aaif.Paused) {
			return r, errors.Join(err, failed)
		}
		if failed := sleep.For(ctx, pause); failed != nil {
			return r, failed
		}
		waited += pause
	}
}

// Cancel ends a run, also one that another program executes.
func (h *Host) Cancel(ctx context.Context, c memory.Caller, id string) (run.Run, error) {
	r, err := h.executor(c).Cancel(ctx, id, string(c.Owner))
	if err == nil {
		h.reportEnd(ctx, c, r)
		h.stop(c, id, run.ErrCancelled)
	}
	return r, err
}

// Pause stops a run until a person resumes it.
func (h *Host) Pause(ctx context.Context, c memory.Caller, id, why string) (run.Run, error) {
	r, err := h.executor(c).Pause(ctx, id, string(c.Owner), why)
	if err == nil {
		h.stop(c, id, run.ErrFenced)
	}
	return r, err
}

// Remove removes a run for good. pending: the files may still hold traces of it.
func (h *Host) Remove(ctx context.Context, c memory.Caller, id string) (pending bool, err error) {
	pending, err = h.runs.Remove(ctx, c, id)
	if err == nil {
		h.stop(c, id, run.ErrCancelled)
	}
	return pending, err
}
