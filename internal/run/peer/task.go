package peer

import (
	"context"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/a2a"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/memory"
)

// work is a run as the journal tells it so far.
type work struct {
	run.Run
	begun  bool // somebody has executed it
	here   bool // it goes on in this store
	asJSON bool // its agent answers in JSON
	// changed is when it changed last, by the store; zero: by its last event.
	changed time.Time
}

// add adds an event.
func (w *work) add(e run.Event) error {
	w.begun = w.begun || e.Kind == run.Resumed
	return w.Apply(e)
}

// errNoTask says the same of tasks of others as of those that are not there.
func errNoTask() error { return &a2a.Fault{Code: a2a.TaskNotFound, Text: "there is no such task"} }

// find returns a task of a caller.
func (s *Service) find(ctx context.Context, c memory.Caller, agent, id string) (work, error) {
	served, err := s.served(agent)
	if err != nil {
		return work{}, err
	}
	row, here, err := s.opt.Host.Head(ctx, s.owner(), id)
	if memory.KindOf(err) == memory.NotFound {
		return work{}, errNoTask()
	}
	if err != nil {
		return work{}, err
	}
	w := work{Run: run.Run{ID: id}, here: here, changed: row.Changed}
	events, err := s.opt.Host.Events(ctx, s.owner(), id, 0)
	for _, e := range events {
		if err == nil {
			err = w.add(e)
		}
	}
	if err != nil {
		return work{}, err
	}
	if w.Start.Agent != served || readOrigin(run.Value(w.Start.Origin)).By != markOf(c) {
		return work{}, errNoTask()
	}
	d, err := s.opt.Host.Definition(ctx, s.owner(), &w.Run)
	w.asJSON = d.Agent.IO.Format == "json" || d.Agent.IO.Format == "structured"
	return w, err
}

// Task returns a task of the caller.
func (s *Service) Task(ctx context.Context, c memory.Caller, agent, id string) (a2a.Task, error) {
	w, err := s.find(ctx, c, agent, id)
	return w.task(), err
}

// task returns the run as a task. Its history is the message that began it.
func (w *work) task() a2a.Task {
	from := readOrigin(run.Value(w.Start.Origin))
	t := a2a.Task{ID: w.ID, Context: from.Context, Status: w.status()}
	asked := a2a.Part{Data: run.Value(w.Start.Input)}
	if asked.Data.Type() == canon.TypeString {
		asked = a2a.Part{Text: asked.Data.Text()}
	}
	t.History = []a2a.Message{{ID: from.Message, Context: from.Context, Task: w.ID, Parts: []a2a.Part{asked}}}
	if t.Status.State == a2a.Completed {
		t.Artifacts = []a2a.Artifact{w.artifact()}
	}
	return t
}

// artifact returns the answer of a completed run.
func (w *work) artifact() a2a.Artifact {
	part := a2a.Part{Text: w.Output}
	if w.asJSON {
		if v, err := a2a.Parse([]byte(w.Output)); err == nil {
			part = a2a.Part{Data: v}
		}
	}
	return a2a.Artifact{ID: "answer", Name: "answer", Parts: []a2a.Part{part}}
}

// status returns how the task stands. Peers are told what a person is asked for, without the
// arguments, and of a failure its code.
func (w *work) status() a2a.Status {
	s := a2a.Status{State: a2a.Working, At: w.changed}
	if s.At.IsZero() {
		s.At = w.Last
	}
	switch {
	case w.Status == aaif.Completed && w.Platform != "":
		s.State, s.Say = a2a.Failed, "the task went on at another platform, and its answer is not here"
	case w.Status == aaif.Completed:
		s.State = a2a.Completed
	case w.Status == aaif.Failed && w.Err != nil && w.Err.Code == string(aaif.Cancelled):
		s.State = a2a.Canceled
	case w.Status == aaif.Failed:
		s.State = a2a.Failed
		if w.Err != nil {
			s.Say = "the agent failed: " + w.Err.Code
		}
	case w.Status == aaif.AwaitingApproval:
		s.State, s.Say = a2a.InputRequired, w.asks()
	case w.Status == aaif.Paused, !w.here:
		s.State, s.Say = a2a.InputRequired, "the task is paused until the owner of the agent lets it go on; a message decides nothing"
	case !w.begun:
		s.State = a2a.Submitted
	}
	return s
}

// asks says what a person is asked for.
func (w *work) asks() string {
	var calls []string
	for _, c := range w.Asking() {
		switch {
		case c.IsOutput():
			calls = append(calls, "its answer")
		default:
			calls = append(calls, "a call of the tool "+aaif.Shown(c.Tool))
		}
	}
	what := "what it is about to do"
	if len(calls) > 0 {
		what = strings.Join(calls, ", ")
	}
	return "the agent waits until its owner approves " + what + "; a message approves nothing"
}
