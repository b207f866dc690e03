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

// AskPasskey asks whoever is there for a passkey of any owner. It returns the question as
// JSON for navigator.credentials.get.
func (s *Service) AskPasskey(ctx context.Context, at Site) ([]byte, error) {
	if s.kernel.ReadOnly() {
		return nil, vault.ReadOnly("enter")
	}
	question, asked, err := at.ask()
	if err != nil {
		return nil, err
	}
	// Nobody knows yet who will answer.
	return question, s.ask(ctx, memory.Caller{Owner: s.kernel.Home(), Role: memory.Owner}, asked)
}

// EnterByPasskey returns the secret of a new visit for the answer of a device to
// [Service.AskPasskey], in the JSON of PublicKeyCredential. Any failure to find or verify the
// passkey is of kind Unauthorized, and says nothing more.
func (s *Service) EnterByPasskey(ctx context.Context, at Site, label string, answer []byte) (secret string, err error) {
	const op = "enter"
	owner, err := s.answered(ctx, at, answer, func(w store.Writer, c memory.Caller, now time.Time) error {
		var visit store.Session
		secret, visit = s.begin(c.Owner, at, label, now)
		return errors.Join(w.SessionKeeper().PutSession(visit), s.kernel.Note(w, c, audit.Entry{Act: audit.Enter}))
	})
	return secret, s.entered(op, owner, err)
}

// ConfirmByPasskey is [Service.Confirm] by a passkey of the visit's owner instead of a code.
func (s *Service) ConfirmByPasskey(ctx context.Context, secret string, at Site, answer []byte) error {
	const op = "confirm"
	visitor, err := s.Resume(ctx, secret)
	if err != nil {
		return err
	}
	owner, err := s.answered(ctx, at, answer, func(w store.Writer, c memory.Caller, now time.Time) error {
		if c.Owner != visitor.Owner {
			return store.ErrNotFound
		}
		return errors.Join(w.SessionKeeper().PutSession(raised(digestOf(secret), now)), s.kernel.Note(w, c, audit.Entry{Act: audit.Confirm}))
	})
	return s.entered(op, owner, err)
}

// entered turns an error of answered into that of an operation.
func (s *Service) entered(op string, owner memory.DID, err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return unknown(op)
	}
	return s.kernel.Refusal(memory.Caller{Owner: owner, Role: memory.Owner}, op, "", err)
}

// answered verifies the answer of a device, and does something for the owner of its passkey,
// all or nothing. It fails with ErrNotFound if the answer is none.
func (s *Service) answered(ctx context.Context, at Site, answer []byte, do func(store.Writer, memory.Caller, time.Time) error) (owner memory.DID, err error) {
	owner = s.kernel.Home()
	if s.kernel.ReadOnly() {
		return owner, vault.ReadOnly("enter")
	}
	text, err := challengeOf(answer)
	if err != nil {
		return owner, store.ErrNotFound
	}
	asked, err := s.spend(ctx, owner, text)
	if err != nil {
		return owner, err
	}
	shown, err := shownBy(answer)
	if err != nil {
		return owner, store.ErrNotFound
	}
	err = s.kernel.Store().View(ctx, shown.owner, func(r store.Reader) error { // a passkey of nobody writes nothing
		_, err := r.Sessions().Session(digestOf(shown.id))
		return err
	})
	if err == nil {
		err = vault.OpenAccount(ctx, s.kernel, shown.owner)
	}
	if err != nil {
		return owner, err
	}
	c, now := memory.Caller{Owner: shown.owner, Role: memory.Owner}, vault.Instant(s.kernel.Now())
	err = s.kernel.Store().Update(ctx, c.Owner, func(w store.Writer) error {
		row, err := w.SessionKeeper().Session(digestOf(shown.id))
		if err != nil {
			return err
		}
		if row.Code, err = at.verify(holderOf(c.Owner, []store.Session{row}), asked, answer); err != nil {
			return store.ErrNotFound
		}
		row.Seen = now
		return errors.Join(w.SessionKeeper().PutSession(row), w.SessionKeeper().DropEnded(now), do(w, c, now))
	})
	return c.Owner, err
}
