package visit

import (
	"context"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// Visit is a browser that is let in.
type Visit struct {
	ID      string // names it for End; it lets nobody in
	Browser string
	Made    time.Time
	Seen    time.Time // to some minutes
	Ends    time.Time
	This    bool // the visit of the cookie that was shown
}

// idLength is how many digits of a digest name a visit.
const idLength = 16

// Visits lists the visits in force, latest made first. The caller is the owner in person;
// cookie is the secret of the visit that asks, if one does.
func (s *Service) Visits(ctx context.Context, c memory.Caller, cookie string) (all []Visit, err error) {
	const op = "visits"
	if err := s.kernel.MayOwn(op, c); err != nil {
		return nil, err
	}
	now, shown := vault.Instant(s.kernel.Now()), digestOf(cookie)
	err = s.kernel.Store().View(ctx, c.Owner, func(r store.Reader) error {
		list, err := r.Sessions().SessionList()
		all = nil
		for _, v := range list {
			if v.Use == store.Visit && now.Before(v.Ends) {
				all = append(all, Visit{ID: v.Digest[:min(idLength, len(v.Digest))], Browser: v.Label, Made: v.Made, Seen: v.Seen, Ends: v.Ends, This: sameDigest(v.Digest, shown)})
			}
		}
		return err
	})
	return all, s.kernel.Refusal(c, op, "", err)
}

// End ends a visit by its ID. It fails with kind NotFound if there is none in force. The
// caller is the owner in person.
func (s *Service) End(ctx context.Context, c memory.Caller, id string) error {
	const op = "leave"
	if err := s.kernel.MayOwn(op, c); err != nil {
		return err
	}
	n, err := s.end(ctx, c, func(v store.Session) bool {
		return v.Use == store.Visit && len(id) == idLength && len(v.Digest) > idLength && sameDigest(v.Digest[:idLength], id)
	})
	if err == nil && n == 0 {
		err = &memory.Error{Kind: memory.NotFound, Op: op, Message: "that browser is not let in any more; load the page Sharing again"}
	}
	return err
}
