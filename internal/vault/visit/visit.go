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

// Resume returns the caller of a visit by its secret: the owner in person. It fails with
// kind Unauthorized if there is no such visit, or none any more.
func (s *Service) Resume(ctx context.Context, secret string) (memory.Caller, error) {
	const op = "visit"
	owner := s.ownerOf(secret)
	c, now := memory.Caller{Owner: owner, Role: memory.Owner}, vault.Instant(s.kernel.Now())
	var found store.Session
	err := s.kernel.Store().View(ctx, owner, func(r store.Reader) (err error) {
		found, err = r.Sessions().Session(digestOf(secret))
		return err
	})
	switch {
	case errors.Is(err, store.ErrNotFound), err == nil && (found.Use != store.Visit || !now.Before(found.Ends)):
		return memory.Caller{}, unknown(op)
	case err != nil:
		return memory.Caller{}, s.kernel.Refusal(c, op, "", err)
	}
	if err := vault.OpenAccount(ctx, s.kernel, owner); err != nil {
		return memory.Caller{}, s.kernel.Refusal(c, op, "", err)
	}
	if now.Sub(found.Seen) >= touchEvery {
		return c, s.touch(ctx, c, found.Digest, now)
	}
	return c, nil
}

// SignsElsewhere reports whether an owner keeps their own key, so that nothing can be signed
// here. The owner is one whose visit Resume returned.
func (s *Service) SignsElsewhere(owner memory.DID) bool { return s.kernel.SignsAlone(owner) }

// touch notes that a visit was used, unless it ended meanwhile.
func (s *Service) touch(ctx context.Context, c memory.Caller, digest string, now time.Time) error {
	const op = "visit"
	err := s.kernel.Store().Update(ctx, c.Owner, func(w store.Writer) error {
		v, err := w.SessionKeeper().Session(digest)
		if err != nil {
			return err
		}
		v.Seen, v.Ends = now, endOf(v.Made, now)
		return w.SessionKeeper().PutSession(v)
	})
	if errors.Is(err, store.ErrNotFound) {
		return unknown(op)
	}
	return s.kernel.Refusal(c, op, "", err)
}

// Leave ends a visit by its secret. Without one it does nothing.
func (s *Service) Leave(ctx context.Context, secret string) error {
	c, err := s.Resume(ctx, secret)
	if memory.KindOf(err) == memory.Unauthorized {
		return nil
	}
	if err != nil {
		return err
	}
	visit := digestOf(secret)
	_, err = s.end(ctx, c, func(v store.Session) bool {
		return v.Use == store.Visit && sameDigest(v.Digest, visit) || v.Use == store.Raised && sameDigest(v.Code, visit)
	})
	return err
}

// LeaveAll ends every visit to the caller, who is the owner in person, and every entrance
// that nobody used; passkeys and remote assistants stay. It returns how many visits it ended.
func (s *Service) LeaveAll(ctx context.Context, c memory.Caller) (visits int, err error) {
	const op = "leave"
	if err := errors.Join(s.kernel.MayWrite(op, c), s.kernel.MayOwn(op, c)); err != nil {
		return 0, err
	}
	return s.end(ctx, c, func(v store.Session) bool {
		return !slices.Contains([]store.SessionUse{store.Passkey, store.Code, store.SpentCode, store.Refresh}, v.Use)
	})
}

// end drops the sessions that match, and returns how many of them were visits in force.
func (s *Service) end(ctx context.Context, c memory.Caller, match func(store.Session) bool) (visits int, err error) {
	now := vault.Instant(s.kernel.Now())
	err = s.kernel.Store().Update(ctx, c.Owner, func(w store.Writer) error {
		visits = 0
		list, err := w.SessionKeeper().SessionList()
		if err != nil {
			return err
		}
		for _, v := range list {
			if !match(v) {
				continue
			}
			if v.Use == store.Visit && now.Before(v.Ends) {
				visits++
			}
			if err := w.SessionKeeper().DropSession(v.Digest); err != nil {
				return err
			}
		}
		if visits == 0 {
			return nil
		}
		return s.kernel.Note(w, c, audit.Entry{Act: audit.Leave, Count: visits})
	})
	return visits, s.kernel.Refusal(c, "leave", "", err)
}
