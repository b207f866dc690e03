package visit

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// Limits of passkeys.
const (
	askedLasts = 2 * time.Minute  // how long a challenge is good
	freshLasts = 10 * time.Minute // how long whoever has just entered may add a passkey
	mostKeys   = 20
)

// never is the end of what has none.
func never() time.Time { return time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC) }

// Passkey is a key that a device of the owner's keeps. The device signs with it for its
// user only, and only for the site that it was made for (WebAuthn level 3).
type Passkey struct {
	ID    string // names it in this store
	Label string // the browser that added it
	Made  time.Time
	Seen  time.Time // when it last let somebody in
}

// Passkeys lists the passkeys of the caller, the owner in person, latest first.
func (s *Service) Passkeys(ctx context.Context, c memory.Caller) ([]Passkey, error) {
	const op = "passkeys"
	if err := s.kernel.MayOwn(op, c); err != nil {
		return nil, err
	}
	list, err := s.sessions(ctx, c.Owner)
	var all []Passkey
	for _, row := range list {
		if row.Use == store.Passkey {
			all = append(all, Passkey{row.Digest, row.Label, row.Made, row.Seen})
		}
	}
	return all, s.kernel.Refusal(c, op, "", err)
}

func (s *Service) sessions(ctx context.Context, owner memory.DID) (list []store.Session, err error) {
	err = s.kernel.Store().View(ctx, owner, func(r store.Reader) (err error) {
		list, err = r.Sessions().SessionList()
		return err
	})
	return list, err
}

// OfferPasskey asks the device of a visit, by the visit's secret, for a new passkey. It
// returns the question as JSON for navigator.credentials.create. The visit must have begun
// or have been confirmed minutes ago; it fails with kind ForbiddenScope otherwise.
func (s *Service) OfferPasskey(ctx context.Context, secret string, at Site) ([]byte, error) {
	const op = "passkey"
	c, err := s.mayAdd(ctx, secret)
	if err != nil {
		return nil, err
	}
	list, err := s.sessions(ctx, c.Owner)
	if err != nil {
		return nil, s.kernel.Refusal(c, op, "", err)
	}
	question, asked, err := at.offer(holderOf(c.Owner, list))
	if err != nil {
		return nil, err
	}
	return question, s.ask(ctx, c, asked)
}

// mayAdd returns the caller of a visit that may add a passkey.
func (s *Service) mayAdd(ctx context.Context, secret string) (memory.Caller, error) {
	c, err := s.Resume(ctx, secret)
	if err != nil {
		return c, err
	}
	if err := s.kernel.MayWrite("passkey", c); err != nil {
		return c, err
	}
	list, err := s.sessions(ctx, c.Owner)
	if err != nil {
		return c, s.kernel.Refusal(c, "passkey", "", err)
	}
	digest, now, may := digestOf(secret), vault.Instant(s.kernel.Now()), false
	for _, row := range list {
		begun := row.Use == store.Visit && sameDigest(row.Digest, digest) && now.Before(row.Made.Add(freshLasts))
		confirmed := row.Use == store.Raised && sameDigest(row.Code, digest) && now.Before(row.Ends)
		may = may || begun || confirmed
	}
	switch {
	case !may:
		return c, &memory.Error{Kind: memory.ForbiddenScope, Op: "passkey", Message: "a passkey is added within ten minutes of entering: leave, enter again, and add it"}
	case countKeys(list) >= mostKeys:
		return c, tooManyKeys()
	}
	return c, nil
}

func countKeys(list []store.Session) (n int) {
	for _, row := range list {
		if row.Use == store.Passkey {
			n++
		}
	}
	return n
}

func tooManyKeys() error {
	return &memory.Error{Kind: memory.InvalidRecord, Op: "passkey", Message: "there are twenty passkeys already: remove one first"}
}

// ask stores a challenge that a device was asked to sign.
func (s *Service) ask(ctx context.Context, c memory.Caller, asked challenge) error {
	now := vault.Instant(s.kernel.Now())
	row := store.Session{Digest: digestOf(asked.text), Use: store.Challenge, Code: asked.session, Made: now, Seen: now, Ends: now.Add(askedLasts)}
	err := s.kernel.Store().Update(ctx, c.Owner, func(w store.Writer) error {
		return errors.Join(w.SessionKeeper().DropEnded(now), w.SessionKeeper().PutSession(row))
	})
	return s.kernel.Refusal(c, "passkey", "", err)
}

// spend removes a challenge of an owner and returns what was asked. It fails with
// ErrNotFound if nothing was, or not within minutes.
func (s *Service) spend(ctx context.Context, owner memory.DID, text string) (asked string, err error) {
	now := vault.Instant(s.kernel.Now())
	err = s.kernel.Store().View(ctx, owner, func(r store.Reader) error { // a made-up challenge writes nothing
		_, err := r.Sessions().Session(digestOf(text))
		return err
	})
	if err != nil {
		return "", err
	}
	err = s.kernel.Store().Update(ctx, owner, func(w store.Writer) error {
		row, err := w.SessionKeeper().Session(digestOf(text))
		if err == nil && (row.Use != store.Challenge || !now.Before(row.Ends)) {
			err = store.ErrNotFound
		}
		if err != nil {
			return err
		}
		asked = row.Code
		return w.SessionKeeper().DropSession(row.Digest)
	})
	return asked, err
}

// AddPasskey keeps the passkey that a device made for [Service.OfferPasskey], in the JSON of
// PublicKeyCredential. label names the browser.
func (s *Service) AddPasskey(ctx context.Context, secret string, at Site, label string, answer []byte) error {
	const op = "passkey"
	c, err := s.mayAdd(ctx, secret)
	if err != nil {
		return err
	}
	text, err := challengeOf(answer)
	if err != nil {
		return unknown(op)
	}
	asked, err := s.spend(ctx, c.Owner, text)
	if errors.Is(err, store.ErrNotFound) {
		return unknown(op)
	}
	if err != nil {
		return s.kernel.Refusal(c, op, "", err)
	}
	id, key, err := at.made(holderOf(c.Owner, nil), asked, answer)
	if err != nil {
		return unknown(op)
	}
	now := vault.Instant(s.kernel.Now())
	row := store.Session{Digest: digestOf(id), Use: store.Passkey, Code: key, Made: now, Seen: now, Ends: never(), Label: label[:min(len(label), maxLabel)]}
	full := false
	err = s.kernel.Store().Update(ctx, c.Owner, func(w store.Writer) error {
		list, err := w.SessionKeeper().SessionList()
		if full = err == nil && countKeys(list) >= mostKeys; full || err != nil {
			return err
		}
		return errors.Join(w.SessionKeeper().PutSession(row), s.kernel.Note(w, c, audit.Entry{Act: audit.AddPasskey}))
	})
	if full {
		return tooManyKeys()
	}
	return s.kernel.Refusal(c, op, "", err)
}

// DropPasskey removes a passkey of the caller, the owner in person. It does nothing for one
// that is not there.
func (s *Service) DropPasskey(ctx context.Context, c memory.Caller, id string) error {
	const op = "passkey"
	if err := errors.Join(s.kernel.MayWrite(op, c), s.kernel.MayOwn(op, c)); err != nil {
		return err
	}
	err := s.kernel.Store().Update(ctx, c.Owner, func(w store.Writer) error {
		list, err := w.SessionKeeper().SessionList()
		if err != nil || !slices.ContainsFunc(list, func(row store.Session) bool { return row.Use == store.Passkey && row.Digest == id }) {
			return err
		}
		return errors.Join(w.SessionKeeper().DropSession(id), s.kernel.Note(w, c, audit.Entry{Act: audit.DropPasskey}))
	})
	return s.kernel.Refusal(c, op, "", err)
}
