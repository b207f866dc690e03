package host

import (
	"context"
	"errors"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/run/policy"
	"github.com/satchel-memory/satchel/internal/vault/runstore"
	"github.com/satchel-memory/satchel/memory"
)

// journal is the journal of a caller's runs in the store.
type journal struct {
	runs   *runstore.Service
	caller memory.Caller
}

var _ run.Journal = journal{}

// refusal is an error of the store that also is an error of a [run.Journal].
type refusal struct {
	error
	is error
}

func (r refusal) Is(target error) bool { return target == r.is }
func (r refusal) Unwrap() error        { return r.error }

// known gives the store's failures the names that package run has for them.
func known(err error) error {
	for from, to := range map[error]error{runstore.ErrHeld: run.ErrHeld, runstore.ErrFenced: run.ErrFenced, runstore.ErrCopied: run.ErrCopied, runstore.ErrCrowded: run.ErrCrowded} {
		if errors.Is(err, from) {
			return refusal{err, to}
		}
	}
	return err
}

// Events implements [run.Journal].
func (j journal) Events(ctx context.Context, id string, after int64) ([]run.Event, error) {
	const page = 500
	var all []run.Event
	for {
		events, err := j.page(ctx, id, after, page)
		if err != nil {
			return nil, err
		}
		if all = append(all, events...); len(events) < page {
			return all, nil
		}
		after = events[page-1].Number
	}
}

// page returns at most limit events of a run after a number.
func (j journal) page(ctx context.Context, id string, after int64, limit int) ([]run.Event, error) {
	rows, err := j.runs.Events(ctx, j.caller, id, after, limit)
	if err != nil {
		return nil, known(err)
	}
	events := make([]run.Event, len(rows))
	for i, row := range rows {
		if events[i], err = run.Decode(row.Number, row.Document); err != nil {
			return nil, err
		}
	}
	return events, nil
}

// Hold implements [run.Journal].
func (j journal) Hold(ctx context.Context, id string, h run.Hold) (run.Place, error) {
	how := runstore.Hold{Holder: h.Holder, Lease: h.Lease, Force: h.Force, Executes: h.Executes}
	row, err := j.runs.Hold(ctx, j.caller, id, how)
	copied := errors.Is(err, runstore.ErrCopied)
	if copied && h.Resumes {
		how.Resumes = true
		raw, failed := h.Adopted.Encode()
		if failed != nil {
			return run.Place{}, failed
		}
		row, err = j.runs.Hold(ctx, j.caller, id, how, runstore.Event{At: h.Adopted.At, Document: raw})
	}
	return run.Place{Fence: row.Fence, Copied: copied}, known(err)
}

// Append implements [run.Journal]. The same transaction records requests to models and tools,
// and decisions of people, in the audit log. First keeps a holder from appending behind events
// that were stored although it was told that they were not.
func (j journal) Append(ctx context.Context, id string, fence int64, lease time.Duration, to run.Standing, events []run.Event) error {
	a := runstore.Append{Change: runstore.Change{Status: string(to.Status), Wake: &to.Wake, Extend: lease, Release: to.Rests && len(events) > 0}}
	if err := add(&a, events...); err != nil {
		return err
	}
	_, err := j.runs.Append(ctx, j.caller, id, fence, a)
	return known(err)
}

// add adds events to what is appended, with what the audit log says of them.
func add(a *runstore.Append, events ...run.Event) error {
	for i, e := range events {
		if i == 0 {
			a.First = e.Number
		}
		raw, err := e.Encode()
		if err != nil {
			return err
		}
		a.Events = append(a.Events, runstore.Event{At: e.At, Document: raw})
		if n, ok := noteOf(e); ok {
			a.Notes = append(a.Notes, n)
		}
	}
	return nil
}

// Join implements [run.Journal].
func (j journal) Join(ctx context.Context, id string, e run.Event) error {
	var a runstore.Append
	if err := add(&a, e); err != nil {
		return err
	}
	return known(j.runs.Join(ctx, j.caller, id, a))
}

// Renew implements [run.Journal].
func (j journal) Renew(ctx context.Context, lease time.Duration, fences map[string]int64) ([]string, error) {
	lost, err := j.runs.Renew(ctx, j.caller, lease, fences)
	return lost, known(err)
}

// noteOf returns what the audit log says of an event.
func noteOf(e run.Event) (runstore.Note, bool) {
	digest := ""
	if e.Digest != "" {
		digest = "sha256:" + e.Digest
	}
	switch e.Kind {
	case run.Asked:
		return runstore.Note{Act: audit.RunCall, Subject: e.Route, Reason: "model"}, true
	case run.Sent:
		return runstore.Note{Act: audit.RunCall, Subject: e.Call, Digest: digest, Reason: "tool"}, true
	case run.AskedFor, run.Withheld:
		return runstore.Note{Act: audit.RunApprove, Subject: e.Call, Digest: digest, Result: "asked"}, true
	case run.Approved:
		return runstore.Note{Act: audit.RunApprove, Subject: e.Call, Digest: digest, Result: "approved"}, true
	case run.Noted:
		return runstore.Note{Act: audit.RunCall, Reason: e.Code}, e.Code == policy.EventViolation
	case run.Failed:
		return runstore.Note{Act: audit.RunApprove, Reason: e.Code, Result: "rejected"}, e.By != "" && e.Code == string(aaif.ConstraintViolation)
	case run.Rejected:
		return runstore.Note{Act: audit.RunApprove, Subject: e.Call, Reason: e.Code, Result: "rejected"}, true
	}
	return runstore.Note{}, false
}

// Release implements [run.Journal].
func (j journal) Release(ctx context.Context, id string, fence int64) error {
	err := j.runs.Release(ctx, j.caller, id, fence)
	if errors.Is(err, runstore.ErrFenced) || memory.KindOf(err) == memory.NotFound {
		return nil
	}
	return err
}
