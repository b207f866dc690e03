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

// EraseBrain erases everything of the caller's, see [Vault.EraseOwner], and returns what
// it erased (AIMEM 5.2, decision AD-28). Once it returns without an error, the erasure
// is durable, and none of the owner's content is still being sent, where the store can
// tell. An error after the commit does not undo the erasure: calling again erases
// nothing and completes the rest.
//
// ChunksPurged counts the memories in force: active and valid now, whether or not a
// bundle might contain them. RecordsPurged counts all records, including versions,
// tombstones and proposals.
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

// quiet completes a committed erasure of everything: it waits until none of the owner's
// content is being sent, and then clears the files, see [eraser.cleared]. A stopped
// sender releases what it read, so that the files can be cleared.
func (e *eraser) quiet(ctx context.Context, owner memory.DID) (cleared bool, err error) {
	err = e.silence(ctx, owner)
	cleared, failed := e.cleared(ctx)
	return cleared, errors.Join(err, failed)
}

// eraseAll counts the records, erases them and notes their number, but no content, in
// the audit log.
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
	left, err := e.leftOfMachines(w)
	if err != nil {
		return done, err
	}
	if err := e.empty(w); err != nil {
		return done, err
	}
	if _, err := w.AttachAll(left); err != nil {
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

// patience is how long an erasure waits for content that is being sent. It is longer
// than any sender waits for a reader, so only a stalled program exceeds it.
const patience = 20 * time.Second

// silence waits until none of an erased owner's content is being sent, in a store that
// counts senders (decision AD-28).
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

// Erasures returns how often everything of an owner was erased. A sender asks before it
// reads anything to send (decision AD-28).
func (v *Vault) Erasures(ctx context.Context, owner memory.DID) (int64, error) {
	s, ok := v.bare.(store.Gatekeeper)
	if !ok {
		return 0, nil
	}
	n, err := s.Erasures(ctx, owner)
	return n, v.refusal(memory.Caller{}, "read", "", err)
}

// Emit runs write, which sends an owner's content, unless everything of the owner was
// erased since the count erasures; then it fails with [store.ErrErased].
func (v *Vault) Emit(ctx context.Context, owner memory.DID, erasures int64, write func() error) error {
	s, ok := v.bare.(store.Gatekeeper)
	if !ok {
		return write()
	}
	return s.Emit(ctx, owner, erasures, write)
}
