package vault

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// EraseBrain erases everything of the caller's, see [Vault.EraseOwner], and tells
// what that was (AIMEM 5.2, decision AD-28). When it has returned without an error,
// all of it is durable, and nothing of the owner's is on its way out any more where
// the store can tell. An error after the erasure was committed does not undo it:
// whoever asks again erases nothing and learns of the rest.
//
// ChunksPurged counts the memories in force: those that are active and hold now,
// whether or not they might have left in a bundle. RecordsPurged counts all there
// were, versions, tombstones and proposals included.
func (v *Vault) EraseBrain(ctx context.Context, c memory.Caller) (aimem.Erasure, error) {
	const op = "erase"
	if err := v.mayManage(op, c); err != nil {
		return aimem.Erasure{}, err
	}
	v.Flush(ctx)
	var done aimem.Erasure
	err := v.lessen(ctx, c.Owner, func(w store.Writer) (err error) {
		done, err = v.eraseAll(w, c, Instant(v.now()))
		return err
	})
	if err != nil {
		return aimem.Erasure{}, v.refusal(c, op, "", err)
	}
	cleared, err := v.quiet(ctx, c.Owner)
	done.Pending = !cleared
	return done, v.refusal(c, op, "", err)
}

// quiet makes an end of an erasure of everything that was committed: it waits until
// nothing of the owner's is on its way out, and then clears the files, see
// [eraser.cleared]. Whoever was handing something out lets go of what it read when it
// is stopped, so that they can be.
func (e *eraser) quiet(ctx context.Context, owner memory.DID) (cleared bool, err error) {
	err = e.silence(ctx, owner)
	cleared, failed := e.cleared(ctx)
	return cleared, errors.Join(err, failed)
}

// eraseAll counts what there is, erases it and files that in the audit log: the
// number of records and nothing that they said.
func (e *eraser) eraseAll(w store.Writer, c memory.Caller, now time.Time) (aimem.Erasure, error) {
	done := aimem.Erasure{ErasedAt: now}
	var err error
	if done.RecordsPurged, err = w.Count(store.Filter{}); err != nil {
		return done, err
	}
	inForce := store.Filter{Statuses: []memory.Status{memory.Active}, ValidAt: now}
	if done.ChunksPurged, err = w.Count(inForce); err != nil {
		return done, err
	}
	if err := e.empty(w); err != nil {
		return done, err
	}
	entry := audit.Entry{Act: audit.EraseOwner, Count: done.RecordsPurged}
	if err := e.note(w, c, entry); err != nil {
		return done, err
	}
	entries, _, err := w.Audit().AuditSize()
	done.AuditSequence = entries - 1
	return done, err
}

// patience is how long an erasure waits for what is on its way out: longer than
// whoever hands something out lets a reader hang, so that only a program that stands
// still is waited for in vain.
const patience = 20 * time.Second

// silence waits until nothing of an owner who was erased is on its way out any
// more, in a store that keeps count of that (decision AD-28).
func (e *eraser) silence(ctx context.Context, owner memory.DID) error {
	s, ok := e.bare.(store.Gatekeeper)
	if !ok {
		return nil
	}
	within, stop := context.WithTimeout(ctx, patience)
	defer stop()
	err := s.Silence(within, owner)
	if ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		return &memory.Error{Kind: memory.Internal, Op: "erase", Err: fmt.Errorf("%w: %w", memory.ErrUnavailable, err),
			Message: "everything is erased, but a program that stands still was just handing out what it had read before: end that program, and do this again"}
	}
	return err
}

// Erasures returns how often everything of an owner was erased. Whoever hands
// something out asks for it before anything is read of what is to leave (decision
// AD-28).
func (v *Vault) Erasures(ctx context.Context, owner memory.DID) (int64, error) {
	s, ok := v.bare.(store.Gatekeeper)
	if !ok {
		return 0, nil
	}
	n, err := s.Erasures(ctx, owner)
	return n, v.refusal(memory.Caller{}, "read", "", err)
}

// Emit runs write, which hands content of an owner to somebody, unless everything of
// the owner was erased since erasures was asked for; then it fails with
// [store.ErrErased].
func (v *Vault) Emit(ctx context.Context, owner memory.DID, erasures int64, write func() error) error {
	s, ok := v.bare.(store.Gatekeeper)
	if !ok {
		return write()
	}
	return s.Emit(ctx, owner, erasures, write)
}
