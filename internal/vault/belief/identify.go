package belief

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// Identify replaces the identity; the earlier one becomes history. An equal identity
// changes nothing.
func (s *Service) Identify(ctx context.Context, c memory.Caller, i engram.Identity) (engram.Identity, error) {
	if err := checkIdentity(i); err != nil {
		return engram.Identity{}, err
	}
	var done engram.Identity
	err := s.govern(ctx, c, "identify", s.kernel.Store().Update, func(g beliefTx) (err error) {
		done, err = g.identify(i, g.now)
		return err
	})
	return done, err
}

func checkIdentity(i engram.Identity) error {
	if strings.TrimSpace(i.DisplayName) == "" {
		return wrongRequest("ENGRAM-3.3-1", "display_name is missing: say how you want to be addressed")
	}
	if _, err := time.LoadLocation(i.Timezone); i.Timezone == "" || i.Timezone == "Local" || err != nil {
		return wrongRequest("ENGRAM-3.3-2", "timezone is a name of the IANA database, such as Asia/Singapore")
	}
	return nil
}

// identify writes the identity from now on, as the successor of the present one.
func (g beliefTx) identify(i engram.Identity, updated time.Time) (engram.Identity, error) {
	before, was, err := g.identity()
	if err != nil {
		return i, err
	}
	if i.LastUpdated = updated; i.CreatedAt.IsZero() || i.CreatedAt.After(updated) {
		i.CreatedAt = g.now
	}
	if before != nil {
		if i.CreatedAt = was.CreatedAt; sameIdentity(was, i) {
			return was, nil
		}
	}
	rec, err := g.tell.IdentityRecord(i)
	if err != nil {
		return i, err
	}
	if before != nil {
		rec.Supersedes = []memory.ID{before.ID}
		rec.Scope, rec.Consent = before.Scope, before.Consent
		rec.Time.Created = rec.Time.Observed
	}
	as := store.Created
	if before != nil {
		as = store.Revised
	}
	_, err = g.lay(rec, as)
	return i, err
}

// identity returns the record of the identity and its content; nil: there is none.
func (g beliefTx) identity() (*memory.Record, engram.Identity, error) {
	for _, id := range g.index.identities {
		rec, err := g.stored(id)
		if err != nil {
			return nil, engram.Identity{}, err
		}
		if i, ok := g.tell.Identity([]memory.Record{rec}); ok {
			return &rec, i, nil
		}
	}
	return nil, engram.Identity{}, nil
}

func sameIdentity(a, b engram.Identity) bool {
	return a.DisplayName == b.DisplayName && a.Timezone == b.Timezone && a.Locale == b.Locale &&
		a.Role == b.Role && a.Bio == b.Bio && slices.Equal(a.Domains, b.Domains)
}
