package delegation

import (
	"context"
	"errors"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// AdmitAt returns the caller that a capability token admits at a part of the server. The token
// may be made for that part, as those of remote assistants are. One for another part is
// refused.
func (s *Service) AdmitAt(ctx context.Context, token, resource string) (memory.Caller, error) {
	claims, err := ump.ReadToken(token)
	if err != nil {
		return memory.Caller{}, err
	}
	if resource != "" && claims.Audience == resource {
		return s.kernel.AdmitTo(ctx, token, resource)
	}
	return s.kernel.Admit(ctx, token)
}

// AdmitGrant returns the caller who holds a grant of an owner here that another issuer's token
// shows. It fails with kind Unauthorized if the owner revoked the grant by its id.
func (s *Service) AdmitGrant(ctx context.Context, owner memory.DID, g memory.Grant) (memory.Caller, error) {
	c := memory.Caller{Owner: owner, Role: memory.Peer, Session: "token:" + g.ID, Grant: &g}
	err := vault.OpenAccount(ctx, s.kernel, owner)
	if err == nil {
		err = s.kernel.Store().View(ctx, owner, func(r store.Reader) error {
			kept, err := r.Grant(g.ID)
			switch {
			case errors.Is(err, store.ErrNotFound):
				return nil
			case errors.Is(err, store.ErrAltered), err == nil && !kept.Revoked.IsZero():
				return ump.TokenError(ump.ErrTokenRevoked)
			}
			return err
		})
	}
	if err != nil {
		return memory.Caller{}, s.kernel.Refusal(c, "authenticate", "", err)
	}
	return c, nil
}
