package run

import (
	"context"
	"errors"

	"github.com/satchel-memory/satchel/aaif"
)

// Approve approves the call that a run waits for. digest must be the digest of that call
// (AAIF-4.9-18). [Executor.Continue] then executes the run. While other agents of the run go on in
// another process, that process finds the decision.
func (x *Executor) Approve(ctx context.Context, id, call, digest, by string) (Run, error) {
	return x.decide(ctx, id, x.approval(call, digest, by))
}

// ApproveHere is Approve for a run that this executor executes: other agents of the run go on
// meanwhile. It fails with [ErrHeld] if this executor does not execute the run.
func (x *Executor) ApproveHere(ctx context.Context, id, call, digest, by string) (Run, error) {
	return x.changeHere(ctx, id, x.approval(call, digest, by))
}

func (x *Executor) approval(call, digest, by string) func(*Run) (Event, error) {
	return func(r *Run) (Event, error) {
		in, c, err := r.asking(call)
		if err != nil {
			return Event{}, err
		}
		if digest != c.Digest {
			return Event{}, &aaif.Fault{Code: aaif.ApprovalMismatch, Text: "the call that waits is another one than was approved: look at it again"}
		}
		if !c.Until.IsZero() && !x.Now().Before(c.Until) {
			return Event{}, &aaif.Fault{Code: aaif.ApprovalTimeout, Text: "the time for an answer is up: the call is refused"}
		}
		return Event{Kind: Approved, In: in, Call: c.ID, Digest: digest, By: by}, nil
	}
}

// Reject rejects the call that a run waits for. The model reads the rejection and the reason.
func (x *Executor) Reject(ctx context.Context, id, call, by, why string) (Run, error) {
	return x.decide(ctx, id, rejection(call, by, why))
}

// RejectHere is to Reject what ApproveHere is to Approve.
func (x *Executor) RejectHere(ctx context.Context, id, call, by, why string) (Run, error) {
	return x.changeHere(ctx, id, rejection(call, by, why))
}

func rejection(call, by, why string) func(*Run) (Event, error) {
	return func(r *Run) (Event, error) {
		in, c, err := r.asking(call)
		if err != nil {
			return Event{}, err
		}
		if c.IsOutput() {
			return Event{Kind: Failed, In: in, Code: string(aaif.ConstraintViolation), Text: "a person did not let the answer leave: " + c.Why, By: by, Step: "output"}, nil
		}
		text := "a person refused the call: it was not made"
		if why != "" {
			text += ". They say: " + why
		}
		return Event{Kind: Rejected, In: in, Call: c.ID, Code: string(aaif.ApprovalRejected), By: by, Text: errorForModel(string(aaif.ApprovalRejected), text)}, nil
	}
}

// asking returns the call that a run waits for, and the path of its thread; an empty id means
// the only one.
func (r *Run) asking(id string) (string, Call, error) {
	for t, c := range r.Asking() {
		if id == "" || id == c.ID {
			return t.In, c, nil
		}
	}
	return "", Call{}, &aaif.Fault{Code: aaif.StateTransition, Text: "the run waits for no such approval"}
}

// Cancel ends a run. A program that executes the run begins no further action.
func (x *Executor) Cancel(ctx context.Context, id, by string) (Run, error) {
	return x.change(ctx, id, Hold{Force: true, Resumes: true}, func(r *Run) (Event, error) {
		return Event{Kind: Failed, Code: string(aaif.Cancelled), Text: "the run was cancelled" + r.unsettled(""), By: by, Step: r.step()}, nil
	})
}

// Pause stops a run until a person resumes it.
func (x *Executor) Pause(ctx context.Context, id, by, why string) (Run, error) {
	return x.change(ctx, id, Hold{Force: true, Resumes: true}, func(*Run) (Event, error) { return Event{Kind: Paused, By: by, Text: why}, nil })
}

// Resume resumes a run that was paused, or that was going on in another store.
// [Executor.Continue] then executes it. A run that is being executed stays as it is.
func (x *Executor) Resume(ctx context.Context, id, by string) (Run, error) {
	h, err := x.hold(ctx, id, Hold{Resumes: true})
	if err != nil {
		return Run{}, err
	}
	defer h.release(ctx)
	switch {
	case h.run.Status.Ended(), h.run.Status == aaif.Migrating:
		return h.run, aaif.Transition(h.run.Status, aaif.Running)
	case h.place.Copied: // the journal says so already
		return h.run, nil
	case h.run.Status == aaif.AwaitingApproval:
		return h.run, &aaif.Fault{Code: aaif.StateTransition, Text: "the run waits for a person to approve or reject a call"}
	case h.run.Status != aaif.Paused:
		return h.run, nil
	}
	err = h.append(ctx, Event{Kind: Resumed, By: by})
	return h.run, err
}

// Leave stops a run before it is sent to another platform (AAIF-8.2-1, AAIF-8.2-7). The run
// then stands still until [Executor.Left] or [Executor.Stayed].
func (x *Executor) Leave(ctx context.Context, id, by, platform string) (Run, error) {
	return x.change(ctx, id, Hold{Force: true}, func(*Run) (Event, error) { return Event{Kind: Leaving, By: by, Text: platform}, nil })
}

// Left ends a run that has arrived at another platform.
func (x *Executor) Left(ctx context.Context, id, platform string) (Run, error) {
	return x.change(ctx, id, Hold{}, func(*Run) (Event, error) { return Event{Kind: Left, Text: platform}, nil })
}

// Stayed takes back a run that did not arrive at the other platform. If the run waited for a
// person, it waits again; otherwise it is paused.
func (x *Executor) Stayed(ctx context.Context, id string) (Run, error) {
	h, err := x.hold(ctx, id, Hold{Resumes: true})
	if err != nil {
		return Run{}, err
	}
	defer h.release(ctx)
	events := []Event{{Kind: Stayed}}
	if h.run.waits() {
		events = append(events, Event{Kind: Resumed, By: x.Holder})
	}
	err = h.append(ctx, events...)
	return h.run, err
}

// changeHere adds one event to a run that is executed here.
func (x *Executor) changeHere(ctx context.Context, id string, to func(*Run) (Event, error)) (Run, error) {
	h := x.executed(id)
	if h == nil {
		return Run{}, ErrHeld
	}
	r := h.stands()
	e, err := to(&r)
	if err != nil {
		return r, err
	}
	if err = h.append(ctx, e); errors.Is(err, ErrFenced) { // it has come to rest meanwhile
		err = ErrHeld
	}
	h.poke()
	return h.stands(), err
}

// mostJoins is how often decide tries to add an event while the holder of the run adds others.
const mostJoins = 10

// decide adds a person's decision to a run, also while somebody else holds the run.
func (x *Executor) decide(ctx context.Context, id string, to func(*Run) (Event, error)) (Run, error) {
	r, err := x.change(ctx, id, Hold{}, to)
	for try := 0; try < mostJoins && errors.Is(err, ErrHeld); try++ {
		if r, err = x.join(ctx, id, to); errors.Is(err, ErrFenced) {
			r, err = x.change(ctx, id, Hold{}, to) // the holder has gone on, or is done
		}
	}
	return r, err
}

// join adds a person's decision to a run that somebody else holds.
func (x *Executor) join(ctx context.Context, id string, to func(*Run) (Event, error)) (Run, error) {
	events, err := x.Journal.Events(ctx, id, 0)
	if err != nil {
		return Run{}, err
	}
	r, err := Fold(id, events)
	if err != nil {
		return Run{}, err
	}
	e, err := to(&r)
	if err != nil {
		return r, err
	}
	if err := r.add(&e, x.Now()); err != nil {
		return r, err
	}
	return r, x.Journal.Join(ctx, id, e)
}

// change adds one event to a run.
func (x *Executor) change(ctx context.Context, id string, how Hold, to func(*Run) (Event, error)) (Run, error) {
	h, err := x.hold(ctx, id, how)
	if err != nil {
		return Run{}, err
	}
	defer h.release(ctx)
	e, err := to(&h.run)
	if err != nil {
		return h.run, err
	}
	err = h.append(ctx, e)
	return h.run, err
}
