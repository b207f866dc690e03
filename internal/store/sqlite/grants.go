package sqlite

import (
	"bytes"
	"cmp"
	"database/sql"
	"slices"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
)

// Table grants: the capability tokens that an owner issued or revoked.
//
//	owner, id         key; id is the token's
//	claims … issued   see [store.Grant]; claims NULL: issued elsewhere
//	expires, revoked  NULL: not known, in force
//
// A token of which no row tells is let in for what it says itself, so that a row
// that is missing matters: the owner's row says which grants are revoked.
var grantsTable = newTable("grants")

var grantColumns = grantsTable.list + `, id, claims, name, issued, expires, revoked`

// Grants lists the grants.
func (s *session) Grants() ([]store.Grant, error) {
	var grants []store.Grant
	err := s.each(selectGrants, []any{s.owner.number}, func(rows *sql.Rows) error {
		g, genuine, err := s.scanGrant(rows.Scan)
		if !genuine {
			g.Revoked = cmp.Or(g.Revoked, g.Issued, stored.Instant(0)) // never the zero time
		}
		grants = append(grants, g)
		return err
	})
	if err != nil {
		return nil, err
	}
	back, err := s.putBack()
	for i, g := range grants {
		if g.Revoked.IsZero() && slices.Contains(back, g.ID) {
			grants[i].Revoked = cmp.Or(g.Issued, stored.Instant(0))
		}
	}
	return grants, err
}

var selectGrants = `SELECT ` + grantColumns + ` FROM grants WHERE owner = ? ORDER BY issued DESC, id`

// Grant looks a grant up.
func (s *session) Grant(id string) (store.Grant, error) {
	g, genuine, err := s.scanGrant(func(into ...any) error {
		return s.first(selectGrant, []any{s.owner.number, id}, into...)
	})
	switch {
	case err == nil && !genuine:
		return store.Grant{}, store.ErrAltered
	case err == nil && g.Revoked.IsZero(), err == store.ErrNotFound:
		if missing := s.checkRevoked(id); missing != nil {
			return store.Grant{}, missing
		}
	}
	return g, err
}

var selectGrant = `SELECT ` + grantColumns + ` FROM grants WHERE owner = ? AND id = ?`

func (s *session) scanGrant(scan func(...any) error) (g store.Grant, genuine bool, err error) {
	var issued int64
	var expires, revoked sql.NullInt64
	genuine, err = s.genuine(grantsTable, scan, &g.ID, &g.Claims, &g.Name, &issued, &expires, &revoked)
	if err != nil {
		return store.Grant{}, false, err
	}
	g.Issued, g.Expires, g.Revoked = stored.Instant(issued), stored.OpenInstant(expires.Int64, expires.Valid), stored.OpenInstant(revoked.Int64, revoked.Valid)
	return g, genuine, nil
}

// SetGrant files a grant. When one that was revoked has gone missing, that stays
// to be seen.
func (w *writer) SetGrant(g store.Grant) error {
	if err := w.enrol(); err != nil {
		return err
	}
	before, err := w.listRevoked()
	if err != nil {
		return err
	}
	err = w.set(grantsTable, g.ID, g.Claims, g.Name, stored.Micros(g.Issued), stored.OpenMicros(g.Expires),
		stored.OpenMicros(g.Revoked))
	if err != nil || w.owner.revokes() && !bytes.Equal(stored.Revoked(before), w.owner.revoked) {
		return err
	}
	after, err := w.listRevoked()
	w.owner.revoked = stored.Revoked(after)
	return err
}

// checkRevoked fails with [store.ErrAltered] when the owner's row cannot be
// believed, when others are revoked than it says, and when id is one of them,
// although it was not found.
func (s *session) checkRevoked(id string) error {
	seals, o := s.secret(), &s.owner
	if seals == nil || o.number == 0 {
		return nil
	}
	if o.heir != seals && !seals.Fits(ownersTable.Name, o.values(s.did), o.seal) {
		return store.ErrAltered
	}
	if !o.revokes() {
		return nil
	}
	ids, err := s.listRevoked()
	if err == nil && (!bytes.Equal(stored.Revoked(ids), o.revoked) || slices.Contains(ids, id)) {
		err = store.ErrAltered
	}
	return err
}

// putBack returns which grants only seem to be in force, see [stored.PutBack].
func (s *session) putBack() ([]string, error) {
	if s.secret() == nil || !s.owner.revokes() {
		return nil, s.ready()
	}
	revoked, err := s.listRevoked()
	if err != nil || bytes.Equal(stored.Revoked(revoked), s.owner.revoked) {
		return nil, err
	}
	inForce, err := s.listGrants(selectInForce)
	return stored.PutBack(s.owner.revoked, revoked, inForce), err
}

// listRevoked returns the ids of the grants that are revoked, in their order.
func (s *session) listRevoked() ([]string, error) { return s.listGrants(selectRevoked) }

func (s *session) listGrants(query string) ([]string, error) {
	var ids []string
	err := s.each(query, []any{s.owner.number}, func(rows *sql.Rows) error {
		var id string
		err := rows.Scan(&id)
		ids = append(ids, id)
		return err
	})
	return ids, err
}

const (
	selectRevoked = `SELECT id FROM grants WHERE owner = ? AND revoked IS NOT NULL ORDER BY id`
	selectInForce = `SELECT id FROM grants WHERE owner = ? AND revoked IS NULL`
)

// revokes reports whether the owner has revoked grants.
func (o *owner) revokes() bool { return !bytes.Equal(o.revoked, stored.Revoked(nil)) }
