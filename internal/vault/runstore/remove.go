package runstore

import (
	"context"
	"errors"

	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// Remove removes a run, its events and its notes for good, as Forget erases records, also if they
// were changed outside of satchel. The run's holder finds it gone. The audit log has the run's
// mark. pending: the files still hold removed content.
func (s *Service) Remove(ctx context.Context, c memory.Caller, id string) (pending bool, err error) {
	const op = "run remove"
	if err := s.may(op, c, true); err != nil {
		return false, err
	}
	err = s.kernel.Lessen(ctx, c.Owner, func(w store.Writer) error {
		run, err := w.Runs().Run(id)
		if err != nil && !errors.Is(err, store.ErrAltered) && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		if err := errors.Join(w.RunKeeper().DropRun(id), vault.DropNotes(w, vault.RunNoteSpace+id)); err != nil {
			return err
		}
		e := audit.Entry{Act: audit.RunRemove, Format: "aaif", Count: 1}
		if run.Agent != "" { // a changed run's agent may be unknown
			e.Agent = s.kernel.Ledger(c.Owner).Mark(run.Agent)
		}
		return s.kernel.Note(w, c, e, memory.ID(id))
	})
	if err != nil {
		return false, s.refusal(c, op, err)
	}
	cleared, err := s.kernel.Cleared(ctx)
	return err == nil && !cleared, s.kernel.Refusal(c, op, "", err)
}
