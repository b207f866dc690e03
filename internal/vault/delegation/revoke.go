package delegation

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// reuse says that a secret came a second time, so that its grant has ended.
type reuse struct{}

func (*reuse) Error() string { return "a secret was used twice" }

// end revokes a grant, because a secret of it came a second time, and drops its secrets. It
// returns a [reuse].
func (s *Service) end(w store.Writer, c memory.Caller, id, why string) error {
	if err := s.revoke(w, c, id, why); err != nil {
		return err
	}
	return &reuse{}
}

func (s *Service) revoke(w store.Writer, c memory.Caller, id, why string) error {
	g, err := w.Grant(id)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil
	case err != nil:
		return err
	}
	list, err := w.SessionKeeper().SessionList()
	if err != nil {
		return err
	}
	for _, row := range list {
		var f familyRow
		if row.Use == store.Refresh && json.Unmarshal([]byte(row.Code), &f) == nil && f.Grant == id {
			err = errors.Join(err, w.SessionKeeper().DropSession(row.Digest))
		}
	}
	if err != nil || !g.Revoked.IsZero() {
		return err
	}
	g.Revoked = vault.Instant(s.kernel.Now())
	return errors.Join(w.SetGrant(g), s.kernel.Note(w, c, audit.Entry{Act: audit.Revoke, Token: id, Reason: why}))
}

// Revoke ends the grant of a token that an assistant gives back (RFC 7009): a refresh token of
// this client, or an access token for one of the resources. It does nothing for any other.
func (s *Service) Revoke(ctx context.Context, shown, client string, resources []string) error {
	const op, why = "revoke", "given_back"
	if !ump.IsToken(shown) {
		secret, owner := s.cut(shown)
		if len(secret) != 2*partLength {
			return nil
		}
		family, rotation := secret[:partLength], secret[partLength:]
		_, err := s.change(ctx, owner, op, digestOf("family", family), func(w store.Writer, c memory.Caller, row store.Session, _ time.Time) (Tokens, error) {
			var kept familyRow
			if err := json.Unmarshal([]byte(row.Code), &kept); err != nil {
				return Tokens{}, err
			}
			if row.Use != store.Refresh || !same(kept.Client, digestOf("client", client)) {
				return Tokens{}, invalid(op)
			}
			if !same(kept.Rotation, digestOf("rotation", rotation)) {
				return Tokens{}, s.end(w, c, kept.Grant, "refresh_reused")
			}
			return Tokens{}, s.revoke(w, c, kept.Grant, why)
		})
		if memory.KindOf(err) == memory.Unauthorized {
			return nil
		}
		return err
	}
	for _, resource := range resources {
		if c, err := s.kernel.AdmitTo(ctx, shown, resource); err == nil && c.Grant != nil {
			owner := memory.Caller{Owner: c.Owner, Role: memory.Owner}
			err := s.kernel.Store().Update(ctx, c.Owner, func(w store.Writer) error { return s.revoke(w, owner, c.Grant.ID, why) })
			return s.kernel.Refusal(owner, op, "", err)
		}
	}
	return nil
}
