package delegation

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
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
	families, err := familiesOf(w.SessionKeeper(), id)
	for digest := range families {
		err = errors.Join(err, w.SessionKeeper().DropSession(digest))
	}
	if err != nil || !g.Revoked.IsZero() {
		return err
	}
	g.Revoked = vault.Instant(s.kernel.Now())
	return errors.Join(w.SetGrant(g), s.kernel.Note(w, c, audit.Entry{Act: audit.Revoke, Token: id, Reason: why}))
}

// familiesOf returns what the store keeps of a grant's refresh secrets, by digest.
func familiesOf(all store.Sessions, grant string) (map[string]familyRow, error) {
	families := map[string]familyRow{}
	list, err := all.SessionList()
	for _, row := range list {
		var f familyRow
		if row.Use == store.Refresh && json.Unmarshal([]byte(row.Code), &f) == nil && f.Grant == grant {
			families[row.Digest] = f
		}
	}
	return families, err
}

// givenBack is why a grant ended that its assistant gave back.
const givenBack = "given_back"

// replace ends the other grants that a client uses for an audience.
func (s *Service) replace(w store.Writer, c memory.Caller, by codeRow, audience string, now time.Time) error {
	list, err := w.SessionKeeper().SessionList()
	if err != nil {
		return err
	}
	for _, row := range list {
		var f familyRow
		if row.Use != store.Refresh || json.Unmarshal([]byte(row.Code), &f) != nil || f.Client != by.Client || f.Grant == by.Grant {
			continue
		}
		claims, err := s.granted(w, f.Grant, now)
		switch {
		case memory.KindOf(err) == memory.Unauthorized, err == nil && claims.Audience != audience:
		case err != nil:
			return err
		default:
			if err := s.revoke(w, c, f.Grant, "replaced"); err != nil {
				return err
			}
		}
	}
	return nil
}

// Revoke ends the grant of a token that this client gives back (RFC 7009): a refresh token, or
// an access token for one of the resources. It does nothing for any other.
func (s *Service) Revoke(ctx context.Context, shown, client string, resources []string) error {
	const op = "revoke"
	if ump.IsToken(shown) {
		return s.revokeAccess(ctx, shown, client, resources)
	}
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
		return Tokens{}, s.revoke(w, c, kept.Grant, givenBack)
	})
	if memory.KindOf(err) == memory.Unauthorized {
		return nil
	}
	return err
}

func (s *Service) revokeAccess(ctx context.Context, token, client string, resources []string) error {
	const op = "revoke"
	if s.kernel.ReadOnly() {
		return vault.ReadOnly(op)
	}
	for _, resource := range resources {
		c, err := s.kernel.AdmitTo(ctx, token, resource)
		if err != nil || c.Grant == nil {
			continue
		}
		owner := memory.Caller{Owner: c.Owner, Role: memory.Owner}
		err = s.kernel.Store().Update(ctx, c.Owner, func(w store.Writer) error {
			families, err := familiesOf(w.SessionKeeper(), c.Grant.ID)
			for _, f := range families {
				if err == nil && same(f.Client, digestOf("client", client)) {
					return s.revoke(w, owner, c.Grant.ID, givenBack)
				}
			}
			return err
		})
		return s.kernel.Refusal(owner, op, "", err)
	}
	return nil
}

// EndAll revokes every grant that a remote assistant holds a code or a refresh secret for, as
// after a restore, which brings back grants that were revoked since. It drops no secrets.
func EndAll(w store.Writer, now time.Time) error {
	list, err := w.SessionKeeper().SessionList()
	if err != nil {
		return err
	}
	for _, row := range list {
		var kept struct {
			Grant string `json:"grant"` // of a codeRow as of a familyRow
		}
		if !slices.Contains([]store.SessionUse{store.Code, store.SpentCode, store.Refresh}, row.Use) || json.Unmarshal([]byte(row.Code), &kept) != nil {
			continue
		}
		g, err := w.Grant(kept.Grant)
		if errors.Is(err, store.ErrNotFound) || err == nil && !g.Revoked.IsZero() {
			continue
		}
		if g.Revoked = now; err == nil {
			err = w.SetGrant(g)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
