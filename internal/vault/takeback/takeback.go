// Package takeback takes back what was done to an owner's memory: within half an hour,
// what was forgotten, and what the owner decided about proposals. The acts leave marks
// beside the records, see [vault.UndoSpace]; the package reads them.
package takeback

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// Service takes back acts on the memory of the owners of one vault. It is safe for
// concurrent use.
type Service struct{ kernel vault.Kernel }

// New returns a service for the owners of v.
func New(v *vault.Vault) *Service { return &Service{vault.KernelOf(v)} }

// Act is something that can be taken back.
type Act struct {
	Name    string
	Did     vault.UndoAct
	Records []memory.ID // that it changed
	Ends    time.Time   // until then

	marks []vault.UndoMark
}

// List returns what the caller, the owner in person, can take back, latest first.
func (s *Service) List(ctx context.Context, c memory.Caller) ([]Act, error) {
	return s.list(ctx, c, "")
}

// Of returns the name of the latest act on a record that can be taken back, "" if there is
// none.
func (s *Service) Of(ctx context.Context, c memory.Caller, id memory.ID) (string, error) {
	acts, err := s.list(ctx, c, id)
	if err != nil || len(acts) == 0 {
		return "", err
	}
	return acts[0].Name, nil
}

func (s *Service) list(ctx context.Context, c memory.Caller, about memory.ID) (acts []Act, err error) {
	const op = "undo"
	if err := s.kernel.MayOwn(op, c); err != nil {
		return nil, err
	}
	now := vault.Instant(s.kernel.Now())
	err = s.kernel.Store().View(ctx, c.Owner, func(r store.Reader) (err error) {
		acts, err = actsIn(r, about, now)
		return err
	})
	return acts, s.kernel.Refusal(c, op, "", err)
}

// actsIn reads the acts that can be taken back at an instant: all, or those on one record.
func actsIn(r store.Reader, about memory.ID, now time.Time) ([]Act, error) {
	var acts []Act
	err := vault.EachBeside(r, store.AttachmentFilter{Space: vault.UndoSpace, From: about}, func(a store.Attachment) error {
		m := vault.UndoMarkOf(a)
		if !now.Before(m.Ends) {
			return nil
		}
		at := slices.IndexFunc(acts, func(have Act) bool { return have.Name == m.Name })
		if at < 0 {
			at, acts = len(acts), append(acts, Act{Name: m.Name, Did: m.Act, Ends: m.Ends})
		}
		acts[at].Records = append(acts[at].Records, m.Record)
		acts[at].marks = append(acts[at].marks, m)
		return nil
	})
	slices.Reverse(acts)
	slices.SortStableFunc(acts, func(a, b Act) int { return cmp.Compare(b.Ends.UnixMicro(), a.Ends.UnixMicro()) })
	return acts, err
}

// Undo takes an act back by its name, all of it or nothing; an empty name means the latest.
// Forgotten records are in force again, under the same id. A confirmed proposal waits
// again, and what it replaced is in force. It fails with kind NotFound if there is no such
// act or its time is over, and with kind InvalidRecord if a record was changed since.
func (s *Service) Undo(ctx context.Context, c memory.Caller, name string) (Act, error) {
	const op = "undo"
	if err := errors.Join(s.kernel.MayWrite(op, c), s.kernel.MayOwn(op, c)); err != nil {
		return Act{}, err
	}
	now := vault.Instant(s.kernel.Now())
	var done Act
	err := s.kernel.Lessen(ctx, c.Owner, func(w store.Writer) error {
		acts, err := actsIn(w, "", now)
		if err != nil {
			return err
		}
		at := slices.IndexFunc(acts, func(a Act) bool { return name == "" || a.Name == name })
		if at < 0 {
			return errGone()
		}
		done = acts[at]
		return s.undo(w, c, done, now)
	})
	if err == nil && slices.Contains([]vault.UndoAct{vault.UndoRevise, vault.UndoConfirm}, done.Did) {
		_, err = s.kernel.Cleared(ctx) // a later clearing makes up for one that has to wait
	}
	return done, s.kernel.Refusal(c, op, "", err)
}

// undo takes back an act, and notes it.
func (s *Service) undo(w store.Writer, c memory.Caller, a Act, now time.Time) error {
	for _, m := range slices.Backward(a.marks) {
		if err := s.kernel.TakeBack(w, m, now); err != nil {
			return err
		}
	}
	return s.kernel.Note(w, c, audit.Entry{Act: audit.Undo, Reason: string(a.Did)}, a.Records...)
}

func errGone() error {
	return &memory.Error{Kind: memory.NotFound, Op: "undo", Message: "there is nothing to take back: an act can be taken back for half an hour, once"}
}
