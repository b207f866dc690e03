package delegation

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// Proof is what an assistant shows besides a code.
type Proof struct {
	Client    string
	Redirect  string // empty: it names none, and the challenge stands for it (OAuth 2.1, section 10.2)
	Challenge string // of the verifier that it shows
	Resource  string // empty: it names none
}

// Tokens are what an assistant gets.
type Tokens struct {
	Access, Refresh string
	Claims          ump.Claims // of Access
}

// Exchange spends a code. It fails with kind Unauthorized if the code is not good or the
// proof is not the right one. A code that comes again ends the grant.
func (s *Service) Exchange(ctx context.Context, shown string, p Proof) (Tokens, error) {
	const op = "exchange"
	secret, owner := s.cut(shown)
	family, rotation := newPart(), newPart()
	return s.change(ctx, owner, op, digestOf("code", secret), func(w store.Writer, c memory.Caller, row store.Session, now time.Time) (Tokens, error) {
		var kept codeRow
		if err := json.Unmarshal([]byte(row.Code), &kept); err != nil {
			return Tokens{}, err
		}
		if row.Use == store.SpentCode {
			return Tokens{}, s.end(w, c, kept.Grant, "code_reused")
		}
		fits := same(kept.Client, digestOf("client", p.Client)) && (p.Redirect == "" || same(kept.Redirect, p.Redirect)) && same(kept.Challenge, p.Challenge)
		if row.Use != store.Code || !fits || !now.Before(row.Made.Add(codeLasts)) {
			return Tokens{}, invalid(op)
		}
		claims, err := s.granted(w, kept.Grant, now)
		if err == nil && p.Resource != "" && p.Resource != claims.Audience {
			err = wrongResource(op)
		}
		if err != nil {
			return Tokens{}, err
		}
		if kept.Replaces {
			if err := s.replace(w, c, kept, claims.Audience, now); err != nil {
				return Tokens{}, err
			}
		}
		row.Use, row.Seen = store.SpentCode, now
		next := store.Session{Digest: digestOf("family", family), Use: store.Refresh, Made: now}
		err = errors.Join(w.SessionKeeper().PutSession(row), putFamily(w, next, familyRow{Grant: kept.Grant, Client: kept.Client, Rotation: digestOf("rotation", rotation)}, claims, now))
		if err != nil {
			return Tokens{}, err
		}
		return s.tokens(claims, family+rotation, now)
	})
}

// change finds a row by its digest and lets do change it, if the owner is known here. If do
// fails with a [reuse], change keeps what do wrote and fails with kind Unauthorized.
func (s *Service) change(ctx context.Context, owner memory.DID, op, digest string, do func(store.Writer, memory.Caller, store.Session, time.Time) (Tokens, error)) (t Tokens, err error) {
	c := memory.Caller{Owner: owner, Role: memory.Owner}
	if s.kernel.ReadOnly() {
		return t, vault.ReadOnly(op)
	}
	err = s.kernel.Store().View(ctx, owner, func(r store.Reader) error { // a wrong secret writes nothing
		_, err := r.Sessions().Session(digest)
		return err
	})
	if err == nil {
		err = vault.OpenAccount(ctx, s.kernel, owner)
	}
	var reused *reuse
	if err == nil {
		now := vault.Instant(s.kernel.Now())
		err = s.kernel.Store().Update(ctx, owner, func(w store.Writer) error {
			row, err := w.SessionKeeper().Session(digest)
			if err != nil {
				return err
			}
			reused = nil
			t, err = do(w, c, row, now)
			if errors.As(err, &reused) { // ending the grant has to last
				return nil
			}
			return err
		})
	}
	switch {
	case reused != nil, errors.Is(err, store.ErrNotFound):
		return Tokens{}, invalid(op)
	case err != nil:
		var refused *memory.Error
		if errors.As(err, &refused) {
			return Tokens{}, err
		}
		return Tokens{}, s.kernel.Refusal(c, op, "", err)
	}
	return t, nil
}

// granted returns the claims of a grant that is in force.
func (s *Service) granted(r store.Reader, id string, now time.Time) (ump.Claims, error) {
	g, err := r.Grant(id)
	switch {
	case errors.Is(err, store.ErrNotFound), errors.Is(err, store.ErrAltered), err == nil && !inForce(g, now):
		return ump.Claims{}, invalid("grant")
	case err != nil:
		return ump.Claims{}, err
	}
	return ump.ParseClaims(g.Claims)
}

// tokens signs a capability token with claims, which ends soon.
func (s *Service) tokens(claims ump.Claims, refresh string, now time.Time) (Tokens, error) {
	key := s.kernel.Holder(claims.Issuer)
	if key == nil {
		return Tokens{}, &memory.Error{Kind: memory.Unsupported, Op: "grant", Message: "the owner's key is not open here: tokens cannot be signed"}
	}
	if soon := now.Add(accessLasts); soon.Before(claims.Expires) {
		claims.Expires = soon.UTC()
	}
	access, err := ump.MintToken(claims, *key)
	return Tokens{Access: access, Refresh: s.named(refresh, claims.Issuer), Claims: claims}, err
}

func putFamily(w store.Writer, row store.Session, f familyRow, claims ump.Claims, now time.Time) error {
	kept, err := json.Marshal(f)
	if err != nil {
		return err
	}
	row.Code, row.Seen, row.Ends = string(kept), now, now.Add(unusedLasts)
	if claims.Expires.Before(row.Ends) {
		row.Ends = claims.Expires
	}
	return w.SessionKeeper().PutSession(row)
}

func wrongResource(op string) error {
	return &memory.Error{Kind: memory.InvalidRecord, Op: op, Path: "/resource", Message: "the grant is for another resource"}
}
