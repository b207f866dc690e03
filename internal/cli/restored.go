package cli

import (
	"context"
	"errors"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/delegation"
)

// farOff is after the end of whatever ends; passkeys have none.
var farOff = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// DropSessions ends what let browsers and remote assistants in when a backup was made: who
// was shut out since is not let in again. It concerns every owner in the store whose rows can
// be sealed.
func (o *Session) DropSessions(ctx context.Context, s store.Store, now time.Time) error {
	owners, err := s.Owners(ctx)
	if err != nil {
		return err
	}
	for _, owner := range owners {
		if o.Seal(owner) == nil {
			continue
		}
		err := s.Update(ctx, owner, func(w store.Writer) error {
			return errors.Join(delegation.EndAll(w, vault.Instant(now)), w.SessionKeeper().DropEnded(farOff))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// endSessionsOnce does what restore could not do with sealed keys.
func (o *Session) endSessionsOnce(ctx context.Context, now time.Time) error {
	if err := o.DropSessions(ctx, o.Store, now); err != nil {
		return err
	}
	o.Config.EndSessions = false
	return o.WriteConfig(o.Config)
}
