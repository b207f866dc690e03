package runstore

import (
	"context"
	"errors"
	"time"

	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// Run is a run, as the store keeps it.
type Run = store.Run

// Event is an event of a run, as the store keeps it. Its document is JSON.
type Event = store.RunEvent

// Place is the place of a run in lists.
type Place = store.RunPlace

// Change is what an append changes beside adding events.
type Change = store.RunChange

// Hold is how a run is taken hold of.
type Hold = store.Hold

// Causes of refusals. What the audit log cannot take is refused with cause
// [audit.ErrDamaged] (AAIF-4.9-10).
var (
	ErrHeld   = errors.New("another program goes on with the run")
	ErrFenced = errors.New("another program took the run over")
	// ErrCopied: a person has to resume the run, see [Hold].
	ErrCopied = errors.New("the run was going on elsewhere")
	// ErrCrowded: as many runs of the agent are executed as it allows at once (AAIF-4.6-3).
	ErrCrowded = errors.New("no more runs of the agent are executed at once")
	// ErrClaimed: another program did what a [Draft] claims.
	ErrClaimed = errors.New("somebody has started the run already")
	// ErrRunExists: there is a run of this id.
	ErrRunExists = errors.New("the run exists")
	// ErrLeft: another platform has the checkpoint, or may have it.
	ErrLeft = errors.New("the checkpoint left")
	// ErrUnknownAgent: the revision of the agent is not kept here, see package agentstore.
	ErrUnknownAgent = errors.New("the revision of the agent is not kept here")
)

// Draft is a run to start. The service sets its fence, its lineage and its times.
type Draft struct {
	Run
	// Hold takes hold of the run at once; without a holder nobody does.
	Hold Hold
	// Seal seals the run's events under the owner's key (AAIF-12-10), later ones as well,
	// whatever the agent's definition says by then.
	Seal bool
	// Here is the id of a kept checkpoint that the run goes on from. It must not have left, and
	// no token for another platform may have been issued for it (AAIF-8.2-1); empty: none.
	Here string
	// Claim makes the run the only one for its Issuer and JTI until Until, among all programs
	// of the store; the zero Claim: nothing is claimed.
	Claim Claim
	// Why says in a code why the run starts, for the audit log; empty: a person wants it.
	Why string
}

// Claim is what only one program does.
type Claim = store.Spent

// Note is an entry for the audit log. It names things by marks and digests only.
type Note struct {
	Act audit.Act // RunCall or RunApprove; other acts are noted by the service
	// Subject is what the act concerns, such as a tool's name; the log has its mark.
	Subject string
	Digest  string // of the content: "sha256:" and hexadecimal digits, or empty
	Reason  string // a code
	Result  string // a code, such as "approved"
}

// Append is what a holder appends, in one transaction.
type Append struct {
	Change
	Events []Event // the service sets Run and Number; At stays unless it is zero
	First  int64   // the number that the first event gets, as far as the holder knows; 0: it does not say
	Notes  []Note  // nothing is appended unless they can be written
}

// most is the most runs or events that one list holds.
const most = 1000

// may refuses all callers except the owner in person. A run started by an assistant or a
// token's bearer would act in the owner's name.
func (s *Service) may(op string, c memory.Caller, writes bool) error {
	if c.Owner == "" {
		return &memory.Error{Kind: memory.Unauthorized, Op: op, Message: "say whose runs are meant"}
	}
	if writes && s.kernel.ReadOnly() {
		return vault.ReadOnly(op)
	}
	return s.kernel.MayOwn(op, c)
}

// Start keeps a new run with its first events, and holds it if the draft says so. It fails
// with cause [ErrRunExists], [ErrUnknownAgent], [ErrClaimed] or, if the draft holds it to
// execute it, [ErrCrowded]. Nothing starts unless the audit log can be
// written (AAIF-4.9-10).
func (s *Service) Start(ctx context.Context, c memory.Caller, d Draft, events []Event) (started Run, err error) {
	const op = "run start"
	if err := s.may(op, c, true); err != nil {
		return Run{}, err
	}
	err = s.kernel.Store().Update(ctx, c.Owner, func(w store.Writer) (err error) {
		started, err = s.start(w, c, d, events)
		return err
	})
	return started, s.refusal(c, op, err)
}

// claim claims what a draft does.
func (s *Service) claim(w store.Writer, c Claim) error {
	if c == (Claim{}) {
		return nil
	}
	err := w.AgentKeeper().Spend(vault.SpentMark(c), vault.Instant(s.kernel.Now()))
	if errors.Is(err, store.ErrExists) {
		return &memory.Error{Kind: memory.InvalidRecord, Op: "run start", Err: ErrClaimed, Message: "another program has started this run"}
	}
	return err
}

// start is Start in its transaction.
func (s *Service) start(w store.Writer, c memory.Caller, d Draft, events []Event) (Run, error) {
	if err := s.claim(w, d.Claim); err != nil {
		return Run{}, err
	}
	if _, err := w.Agents().Agent(d.Agent, d.Revision); err != nil {
		if errors.Is(err, store.ErrNotFound) {
			err = &memory.Error{Kind: memory.InvalidRecord, Op: "run start", Err: ErrUnknownAgent, Message: "this revision of the agent is not kept here"}
		}
		return Run{}, err
	}
	if d.Here != "" {
		kept, err := w.Agents().State(d.Here)
		if err != nil {
			return Run{}, err
		}
		if !kept.Departed.At.IsZero() {
			return Run{}, &memory.Error{Kind: memory.InvalidRecord, Op: "run start", Err: ErrLeft, Message: "the checkpoint left, or may have left"}
		}
	}
	now := vault.Instant(s.kernel.Now())
	run := d.Run
	run.Began, run.Changed, run.Events = now, now, int64(len(events))
	run.Fence, run.Holder, run.Until, run.Sealed = 0, "", time.Time{}, d.Seal
	var err error
	if run.Lineage, err = w.Runs().Lineage(); err != nil {
		return Run{}, err
	}
	if events, err = s.ready(c.Owner, run, 0, events, now); err != nil {
		return Run{}, err
	}
	if err := w.RunKeeper().PutRun(run); err != nil {
		return Run{}, err
	}
	if err := w.RunKeeper().PutRunEvents(events); err != nil {
		return Run{}, err
	}
	if d.Hold.Holder != "" {
		if run, err = w.RunKeeper().HoldRun(run.ID, d.Hold); err != nil {
			return Run{}, err
		}
	}
	return run, vault.NoteSurely(s.kernel, w, c, s.entry(c, run, Note{Act: audit.RunStart, Reason: d.Why}), memory.ID(run.ID))
}

// ready numbers the events of a run that come after a number, and seals them if the run is
// sealed.
func (s *Service) ready(owner memory.DID, run Run, after int64, events []Event, now time.Time) (ready []Event, err error) {
	for i, e := range events {
		e.Run, e.Number = run.ID, after+1+int64(i)
		if e.At.IsZero() {
			e.At = now
		}
		if run.Sealed {
			if e, err = vault.SealRunEvent(s.kernel.Holder(owner), e); err != nil {
				return nil, err
			}
		}
		ready = append(ready, e)
	}
	return ready, nil
}

// entry returns the audit log's entry for an act of a run.
func (s *Service) entry(c memory.Caller, run Run, n Note) audit.Entry {
	ledger := s.kernel.Ledger(c.Owner)
	e := audit.Entry{Act: n.Act, Format: "aaif", Agent: ledger.Mark(run.Agent), Checksum: n.Digest, Reason: n.Reason, Result: n.Result}
	if n.Subject != "" {
		if mark := ledger.Mark(n.Subject); mark != "" {
			e.Records = []string{mark}
		}
	}
	return e
}

// Hold takes hold of a run and returns it with its next fence. It fails with cause [ErrHeld],
// [ErrCopied] or [ErrCrowded]. A run of another lineage that goes on gets the events adopted in the
// same transaction: from then on its lineage does not tell that it is a copy.
func (s *Service) Hold(ctx context.Context, c memory.Caller, id string, h Hold, adopted ...Event) (held Run, err error) {
	const op = "run hold"
	if err := s.may(op, c, true); err != nil {
		return Run{}, err
	}
	err = s.kernel.Store().Update(ctx, c.Owner, func(w store.Writer) error {
		before, err := w.Runs().Run(id)
		if err != nil {
			return err
		}
		if held, err = w.RunKeeper().HoldRun(id, h); err != nil || before.Lineage == held.Lineage {
			return err
		}
		if len(adopted) > 0 && !ended(held.Status) {
			change := Change{Status: "running", Wake: &time.Time{}}
			if held.Status == migrating {
				change = Change{}
			}
			if held, err = s.appendTo(w, c, id, held.Fence, Append{Events: adopted, Change: change}); err != nil {
				return err
			}
		}
		return vault.NoteSurely(s.kernel, w, c, s.entry(c, held, Note{Act: audit.RunResume}), memory.ID(id))
	})
	return held, s.refusal(c, op, err)
}

// Append adds events for the holder with a fence, changes the run, and writes the notes, all
// or nothing. It fails with cause [ErrFenced], also where the holder does not know of an event:
// one that was stored, and whose holder was told that it was not. A run that becomes
// completed or failed is noted in the audit log as ended. After a failure with cause
// [memory.ErrUnavailable] nobody knows whether it was appended: hold the run again, and read
// its events.
func (s *Service) Append(ctx context.Context, c memory.Caller, id string, fence int64, a Append) (run Run, err error) {
	const op = "run append"
	if err := s.may(op, c, true); err != nil {
		return Run{}, err
	}
	err = s.kernel.Store().Update(ctx, c.Owner, func(w store.Writer) (err error) {
		run, err = s.appendTo(w, c, id, fence, a)
		return err
	})
	return run, s.refusal(c, op, err)
}

// Join is Append for a caller who does not hold the run, while somebody else holds it. Only the
// events are added, and the holder finds them. Join fails with cause [ErrFenced] if nobody holds the
// run.
func (s *Service) Join(ctx context.Context, c memory.Caller, id string, a Append) error {
	const op = "run join"
	if err := s.may(op, c, true); err != nil {
		return err
	}
	err := s.kernel.Store().Update(ctx, c.Owner, func(w store.Writer) error {
		run, err := w.Runs().Run(id)
		if err == nil {
			_, err = s.appendTo(w, c, id, run.Fence, a)
		}
		return err
	})
	return s.refusal(c, op, err)
}

// appendTo is Append in its transaction.
func (s *Service) appendTo(w store.Writer, c memory.Caller, id string, fence int64, a Append) (Run, error) {
	keeper := w.RunKeeper()
	before, err := keeper.Run(id)
	if err != nil {
		return Run{}, err
	}
	if a.First != 0 && a.First != before.Events+1 { // AppendRun looks at the fence
		return Run{}, store.ErrFenced
	}
	now := vault.Instant(s.kernel.Now())
	events, err := s.ready(c.Owner, before, before.Events, a.Events, now)
	if err != nil {
		return Run{}, err
	}
	if a.At.IsZero() && (len(events) > 0 || a.Release) { // whoever gave a run up leaves others their turn before it is due again
		a.At = now
	}
	run, err := keeper.AppendRun(id, fence, a.Change, events)
	if err != nil {
		return Run{}, err
	}
	for _, n := range a.Notes {
		if err := vault.NoteSurely(s.kernel, w, c, s.entry(c, run, n), memory.ID(id)); err != nil {
			return Run{}, err
		}
	}
	if ended(run.Status) && !ended(before.Status) {
		if err := vault.DropNotes(w, vault.RunNoteSpace+id); err != nil { // AAIF-4.5-7
			return Run{}, err
		}
		return run, s.kernel.Note(w, c, s.entry(c, run, Note{Act: audit.RunEnd, Result: run.Status}), memory.ID(id))
	}
	return run, nil
}

// Renew makes the leases of several runs end so long from now, in one transaction. fences are
// the holders' by the ids of the runs. It returns the ids of the runs for which an append would
// fail with cause [ErrFenced].
func (s *Service) Renew(ctx context.Context, c memory.Caller, lease time.Duration, fences map[string]int64) (lost []string, err error) {
	const op = "run renew"
	if err := s.may(op, c, true); err != nil {
		return nil, err
	}
	err = s.kernel.Store().Update(ctx, c.Owner, func(w store.Writer) (err error) {
		lost, err = w.RunKeeper().RenewRuns(lease, fences)
		return err
	})
	return lost, s.refusal(c, op, err)
}

// migrating is the status of a run that left, or is about to.
const migrating = "migrating"

// ended reports whether a status is final (AAIF-8.1-6).
func ended(status string) bool { return status == "completed" || status == "failed" }

// Release gives a run up, so that anybody may take hold of it.
func (s *Service) Release(ctx context.Context, c memory.Caller, id string, fence int64) error {
	_, err := s.Append(ctx, c, id, fence, Append{Change: Change{Release: true}})
	return err
}
