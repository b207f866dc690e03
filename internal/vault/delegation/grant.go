package delegation

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// Order is what an owner grants to an assistant. Audience of the token is the resource that
// it is for.
type Order struct {
	Token     vault.TokenOrder
	Client    string // the assistant's id at this server
	Redirect  string // where the code goes
	Challenge string // what the assistant proves to know the origin of (RFC 7636, S256)
	// Replaces: what the assistant was granted before for the same audience ends when it
	// spends the code.
	Replaces bool
}

// codeRow is a code as the store keeps it.
type codeRow struct {
	Grant     string `json:"grant"`
	Client    string `json:"client"`
	Redirect  string `json:"redirect"`
	Challenge string `json:"challenge"`
	Replaces  bool   `json:"replaces,omitempty"`
}

// familyRow is what the store keeps of a grant's refresh secrets.
type familyRow struct {
	Grant    string `json:"grant"`
	Client   string `json:"client"`
	Rotation string `json:"rotation"`         // digest of the half that is good now
	Before   string `json:"before,omitempty"` // digest of the half that it follows
	Salt     string `json:"salt,omitempty"`   // with which it follows
}

// Grant makes a grant by the owner in person, and returns the code for it.
func (s *Service) Grant(ctx context.Context, c memory.Caller, o Order) (code string, err error) {
	const op = "consent"
	now := vault.Instant(s.kernel.Now())
	if err := vault.OpenAccount(ctx, s.kernel, c.Owner); err != nil {
		return "", s.kernel.Refusal(c, op, "", err)
	}
	_, grant, err := vault.NewGrant(s.kernel, op, c, o.Token)
	if err != nil {
		return "", err
	}
	secret := newPart()
	kept, err := json.Marshal(codeRow{grant.ID, digestOf("client", o.Client), o.Redirect, o.Challenge, o.Replaces})
	if err != nil {
		return "", err
	}
	row := store.Session{Digest: digestOf("code", secret), Use: store.Code, Code: string(kept), Made: now, Seen: now, Ends: now.Add(codeKept)}
	err = s.kernel.Store().Update(ctx, c.Owner, func(w store.Writer) error {
		return errors.Join(vault.FileGrant(s.kernel, w, c, o.Token, grant), w.SessionKeeper().DropEnded(now), w.SessionKeeper().PutSession(row))
	})
	return s.named(secret, c.Owner), s.kernel.Refusal(c, op, "", err)
}

// Has reports whether an assistant has a grant of the caller's that it uses.
func (s *Service) Has(ctx context.Context, c memory.Caller, client string) (has bool, err error) {
	now, want := s.kernel.Now(), digestOf("client", client)
	err = s.kernel.Store().View(ctx, c.Owner, func(r store.Reader) error {
		has = false
		list, err := r.Sessions().SessionList()
		for _, row := range list {
			var f familyRow
			if row.Use != store.Refresh || !now.Before(row.Ends) || json.Unmarshal([]byte(row.Code), &f) != nil || f.Client != want {
				continue
			}
			if g, err := r.Grant(f.Grant); err == nil && inForce(g, now) {
				has = true
			}
		}
		return err
	})
	return has, s.kernel.Refusal(c, "consent", "", err)
}

func inForce(g store.Grant, now time.Time) bool {
	return g.Revoked.IsZero() && now.Before(g.Expires) && len(g.Claims) > 0
}
