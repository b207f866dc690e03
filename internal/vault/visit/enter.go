package visit

import (
	"context"
	"crypto/subtle"
	"errors"
	"time"

	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// Entrance holds the two secrets of an entrance: either lets one browser in, once.
type Entrance struct {
	Secret string // for a link
	Code   string // for people who type it
	Ends   time.Time
}

// Invite makes an entrance for the caller, the owner in person, that is good for so long.
// Only the owner of the vault's home gets a code: a code does not say whose it is.
func (s *Service) Invite(ctx context.Context, c memory.Caller, lasts time.Duration) (Entrance, error) {
	const op = "open"
	if err := errors.Join(s.kernel.MayWrite(op, c), s.kernel.MayOwn(op, c)); err != nil {
		return Entrance{}, err
	}
	now := vault.Instant(s.kernel.Now())
	e := Entrance{Secret: s.secretOf(c.Owner), Ends: now.Add(lasts)}
	row := store.Session{Digest: digestOf(e.Secret), Use: store.Entrance, Made: now, Seen: now, Ends: e.Ends}
	if c.Owner == s.kernel.Home() {
		e.Code = newCode()
		row.Code = digestOf(plainCode(e.Code))
	}
	err := s.kernel.Store().Update(ctx, c.Owner, func(w store.Writer) error {
		return errors.Join(w.SessionKeeper().DropEnded(now), w.SessionKeeper().PutSession(row))
	})
	return e, s.kernel.Refusal(c, op, "", err)
}

// Exchange makes an entrance for an owner who shows a token of their own instead of a link:
// one that makes its bearer the owner in person, for an audience that is the origin of the
// pages. A token that was given to another origin lets nobody in here. Whatever is wrong
// with the token, the error is of kind Unauthorized and the same.
func (s *Service) Exchange(ctx context.Context, token, origin string) (Entrance, error) {
	c, err := s.kernel.AdmitTo(ctx, token, origin)
	switch {
	case memory.KindOf(err) == memory.Unauthorized, err == nil && c.Role != memory.Owner:
		return Entrance{}, unknown("open")
	case err != nil:
		return Entrance{}, err
	}
	return s.Invite(ctx, c, ForLink)
}

// maxLabel is the most bytes of a browser's name.
const maxLabel = 60

// Enter spends an entrance, by its secret or its code, and returns the
// secret of a new visit. label names the browser. Any failure to find an entrance is of kind
// Unauthorized, and says nothing more. At a site with a name the code of a [Confirmation] lets
// in as well: that fails with kind RateLimited after too many wrong codes.
//
// The functions that take the secret of a visit want it followed by "@" and the name of the
// site, where it has one.
func (s *Service) Enter(ctx context.Context, at Site, shown, label string) (secret string, err error) {
	const op = "enter"
	if at.Name != "" && len(plainCode(shown)) == shortLength {
		return s.enterByConfirmation(ctx, at, shown, label)
	}
	owner := s.ownerOf(shown)
	c := memory.Caller{Owner: owner, Role: memory.Owner}
	if s.kernel.ReadOnly() {
		return "", vault.ReadOnly(op)
	}
	now := vault.Instant(s.kernel.Now())
	secret, visit := s.begin(owner, at, label, now)
	err = s.kernel.Store().View(ctx, owner, func(r store.Reader) error { // a wrong secret writes nothing
		_, err := findEntrance(r.Sessions(), shown, now)
		return err
	})
	if err == nil {
		err = vault.OpenAccount(ctx, s.kernel, owner)
	}
	if err == nil {
		err = s.kernel.Store().Update(ctx, owner, func(w store.Writer) error {
			entrance, err := findEntrance(w.SessionKeeper(), shown, now)
			if err != nil {
				return err
			}
			return errors.Join(w.SessionKeeper().DropSession(entrance.Digest), w.SessionKeeper().DropEnded(now), w.SessionKeeper().PutSession(visit),
				s.kernel.Note(w, c, audit.Entry{Act: audit.Enter}))
		})
	}
	if errors.Is(err, store.ErrNotFound) {
		return "", unknown(op)
	}
	if err != nil {
		return "", s.kernel.Refusal(c, op, "", err)
	}
	return secret, nil
}

// begin returns the secret of a new visit, and its row.
func (s *Service) begin(owner memory.DID, at Site, label string, now time.Time) (secret string, visit store.Session) {
	secret = s.secretOf(owner)
	return secret, store.Session{Digest: digestOf(at.bound(secret)), Use: store.Visit, Made: now, Seen: now, Ends: endOf(now, now), Label: label[:min(len(label), maxLabel)]}
}

// findEntrance finds the entrance with a secret or a code, or fails with ErrNotFound.
func findEntrance(all store.Sessions, shown string, now time.Time) (store.Session, error) {
	list, err := all.SessionList()
	if err != nil {
		return store.Session{}, err
	}
	bySecret, byCode := digestOf(shown), digestOf(plainCode(shown))
	for _, e := range list {
		if e.Use == store.Entrance && now.Before(e.Ends) && (sameDigest(e.Digest, bySecret) || sameDigest(e.Code, byCode)) {
			return e, nil
		}
	}
	return store.Session{}, store.ErrNotFound
}

func sameDigest(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// endOf returns when a visit ends that began at made and was last used at seen.
func endOf(made, seen time.Time) time.Time {
	if end := seen.Add(idle); end.Before(made.Add(longest)) {
		return end
	}
	return made.Add(longest)
}

func unknown(op string) error {
	return &memory.Error{Kind: memory.Unauthorized, Op: op, Message: "this lets nobody in: it was used, it has expired, or it never did; run satchel open again"}
}
