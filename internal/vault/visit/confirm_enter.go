package visit

import (
	"context"
	"errors"
	"time"

	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// enterByConfirmation lets a browser in by the code of a [Confirmation], at a site that others
// reach too. The new visit is confirmed by that. The code is that of the owner of the vault's
// home: it does not say whose it is.
//
// The code is short, and anybody may guess. So a code that was followed by too many wrong ones
// lets nobody in any more. It still confirms what a visit does, which counts its own tries.
func (s *Service) enterByConfirmation(ctx context.Context, at Site, code, label string) (secret string, err error) {
	const op = "enter"
	c := memory.Caller{Owner: s.kernel.Home(), Role: memory.Owner}
	if s.kernel.ReadOnly() {
		return "", vault.ReadOnly(op)
	}
	now := vault.Instant(s.kernel.Now())
	list, err := s.sessions(ctx, c.Owner)
	if err == nil {
		_, err = issuedIn(list, now) // without a code, a guess writes nothing
	}
	var refused error // the wrong code is stored all the same
	if err == nil {
		err = s.kernel.Store().Update(ctx, c.Owner, func(w store.Writer) (err error) {
			secret, refused, err = s.spendToEnter(w, c, at, code, label, now)
			return err
		})
	}
	if errors.Is(err, store.ErrNotFound) {
		return "", unknown(op)
	}
	return secret, s.kernel.Refusal(c, op, "", errors.Join(err, refused))
}

// spendToEnter spends a code for a new visit, or keeps the failed try and returns why it is
// refused.
func (s *Service) spendToEnter(w store.Writer, c memory.Caller, at Site, code, label string, now time.Time) (secret string, refused, err error) {
	keeper := w.SessionKeeper()
	list, err := keeper.SessionList()
	if err != nil {
		return "", nil, err
	}
	issued, err := issuedIn(list, now)
	switch {
	case err != nil:
		return "", nil, err
	case triesOf(list, issued.Digest, now) >= mostTries:
		return "", errGuesses(), nil
	case !sameDigest(issued.Code, confirmDigest(code)):
		return "", unknown("enter"), errors.Join(keeper.DropEnded(now), keeper.PutSession(failed(issued.Digest, now)))
	}
	secret, visit := s.begin(c.Owner, at, label, now)
	return secret, nil, errors.Join(keeper.DropSession(issued.Digest), keeper.DropEnded(now), keeper.PutSession(visit), keeper.PutSession(raised(visit.Digest, now)),
		s.kernel.Note(w, c, audit.Entry{Act: audit.Enter}), s.kernel.Note(w, c, audit.Entry{Act: audit.Confirm}))
}

func errGuesses() error {
	return &memory.Error{Kind: memory.RateLimited, Message: "too many wrong codes were shown: use a passkey, a new code, or the link or the longer code of satchel open, which nobody can use up"}
}
