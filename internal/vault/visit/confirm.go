package visit

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// Limits of a confirmation. A code has 30 bits, so that a browser may try few.
const (
	shortLength    = 6
	confirmedLasts = 10 * time.Minute
	mostTries      = 5 // wrong codes of one visit within confirmedLasts
)

// Confirmation is a code by which the owner, at a terminal, confirms an act of a browser
// that cannot be undone or that lets others in.
type Confirmation struct {
	Code string
	Ends time.Time
}

// IssueCode makes a code for the caller, the owner in person. An earlier code is good no
// more.
func (s *Service) IssueCode(ctx context.Context, c memory.Caller) (Confirmation, error) {
	const op = "open"
	if err := errors.Join(s.kernel.MayWrite(op, c), s.kernel.MayOwn(op, c)); err != nil {
		return Confirmation{}, err
	}
	now := vault.Instant(s.kernel.Now())
	issued := Confirmation{Code: newDigits(shortLength), Ends: now.Add(ForLink)}
	row := store.Session{Digest: digestOf(rand.Text()), Use: store.Confirmation, Code: confirmDigest(issued.Code), Made: now, Seen: now, Ends: issued.Ends}
	err := s.kernel.Store().Update(ctx, c.Owner, func(w store.Writer) error {
		list, err := w.SessionKeeper().SessionList()
		for _, earlier := range list {
			if earlier.Use == store.Confirmation {
				err = errors.Join(err, w.SessionKeeper().DropSession(earlier.Digest))
			}
		}
		return errors.Join(err, w.SessionKeeper().DropEnded(now), w.SessionKeeper().PutSession(row))
	})
	return issued, s.kernel.Refusal(c, op, "", err)
}

// Confirmed reports whether the owner has confirmed a visit, by its secret, in the last
// minutes.
func (s *Service) Confirmed(ctx context.Context, secret string) (bool, error) {
	owner, now := s.ownerOf(secret), vault.Instant(s.kernel.Now())
	var found store.Session
	err := s.kernel.Store().View(ctx, owner, func(r store.Reader) (err error) {
		found, err = r.Sessions().Session(raisedDigest(digestOf(secret)))
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	c := memory.Caller{Owner: owner, Role: memory.Owner}
	return err == nil && found.Use == store.Raised && now.Before(found.Ends), s.kernel.Refusal(c, "confirm", "", err)
}

// Confirm spends a code for a visit, by the visit's secret: for ten minutes the visit may
// do what needs a confirmation. It fails with kind ForbiddenScope if the code is wrong, used
// or too old, and with kind RateLimited after too many wrong codes.
func (s *Service) Confirm(ctx context.Context, secret, code string) error {
	const op = "confirm"
	owner, now := s.ownerOf(secret), vault.Instant(s.kernel.Now())
	c := memory.Caller{Owner: owner, Role: memory.Owner}
	if s.kernel.ReadOnly() {
		return vault.ReadOnly(op)
	}
	var refused error // the failed try is stored all the same
	err := s.kernel.Store().Update(ctx, owner, func(w store.Writer) (err error) {
		refused, err = s.confirm(w, c, digestOf(secret), code, now)
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return unknown(op)
	}
	return s.kernel.Refusal(c, op, "", errors.Join(err, refused))
}

// confirm spends a code, or keeps the failed try and returns why it is refused.
func (s *Service) confirm(w store.Writer, c memory.Caller, visit, code string, now time.Time) (refused, err error) {
	keeper := w.SessionKeeper()
	if v, err := keeper.Session(visit); err != nil || v.Use != store.Visit || !now.Before(v.Ends) {
		return nil, errors.Join(err, store.ErrNotFound)
	}
	list, err := keeper.SessionList()
	if err != nil {
		return nil, err
	}
	if triesOf(list, visit, now) >= mostTries {
		return errTries(), nil
	}
	issued, err := issuedIn(list, now)
	if err != nil || !sameDigest(issued.Code, confirmDigest(code)) {
		return errCode(), errors.Join(keeper.DropEnded(now), keeper.PutSession(failed(visit, now)))
	}
	return nil, errors.Join(keeper.DropSession(issued.Digest), keeper.DropEnded(now), keeper.PutSession(raised(visit, now)), s.kernel.Note(w, c, audit.Entry{Act: audit.Confirm}))
}

// raised returns the row that says that a visit, by its digest, is confirmed.
func raised(visit string, now time.Time) store.Session {
	return store.Session{Digest: raisedDigest(visit), Use: store.Raised, Code: visit, Made: now, Seen: now, Ends: now.Add(confirmedLasts)}
}

// failed returns the row of a wrong code, by the digest of the visit that showed it.
func failed(visit string, now time.Time) store.Session {
	return store.Session{Digest: digestOf(rand.Text()), Use: store.Failed, Code: visit, Made: now, Seen: now, Ends: now.Add(confirmedLasts)}
}

// triesOf counts the wrong codes of a visit that still count.
func triesOf(list []store.Session, visit string, now time.Time) (n int) {
	for _, s := range list {
		if s.Use == store.Failed && sameDigest(s.Code, visit) && now.Before(s.Ends) {
			n++
		}
	}
	return n
}

// issuedIn finds the code that is good, or fails with ErrNotFound.
func issuedIn(list []store.Session, now time.Time) (store.Session, error) {
	at := slices.IndexFunc(list, func(s store.Session) bool { return s.Use == store.Confirmation && now.Before(s.Ends) })
	if at < 0 {
		return store.Session{}, store.ErrNotFound
	}
	return list[at], nil
}

// confirmDigest returns what the store keeps of a code for a confirmation.
func confirmDigest(code string) string { return digestOf("confirm " + plainCode(code)) }

// raisedDigest names the row that says that a visit, by its digest, is confirmed.
func raisedDigest(visit string) string { return digestOf("raised " + visit) }

func errCode() error {
	return &memory.Error{Kind: memory.ForbiddenScope, Message: "this code is wrong, was used, or is older than five minutes; satchel open --confirm prints a new one"}
}

func errTries() error {
	return &memory.Error{Kind: memory.RateLimited, Message: "too many wrong codes: wait ten minutes, then run satchel open --confirm again"}
}
