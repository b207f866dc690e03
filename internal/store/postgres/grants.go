package postgres

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
)

// Table grants: the capability tokens that an owner issued or revoked.
//
//	owner, id         key; id is the token's
//	claims … issued   see [store.Grant]; claims NULL: issued elsewhere
//	expires, revoked  NULL: not known, in force
//	by_id             see short
//
// A token of which no row tells is let in for what it says itself, so that a row
// that is missing matters: the owner's row says which grants are revoked.
var grantsTable = newTable("grants")

// Grants lists the grants.
func (s *session) Grants() ([]store.Grant, error) {
	var grants []store.Grant
	var revoked, inForce []string
	scan := func(rows pgx.Rows) error {
		values, seal, err := grantsTable.scan(rows)
		if err != nil {
			return err
		}
		g := grantOf(values)
		if !s.fits(grantsTable, values, seal) {
			g.Revoked = cmp.Or(g.Revoked, g.Issued, stored.Instant(0)) // never the zero time
		}
		grants = append(grants, g)
		return nil
	}
	err := s.all(statement{query: selectGrants, scan: scan}, listGrants(selectRevoked, &revoked), listGrants(selectInForce, &inForce))
	if err != nil || s.secret() == nil || !s.owner.revokes() {
		return grants, err
	}
	back := stored.PutBack(s.owner.revoked, revoked, inForce)
	for i, g := range grants {
		if g.Revoked.IsZero() && slices.Contains(back, g.ID) {
			grants[i].Revoked = cmp.Or(g.Issued, stored.Instant(0))
		}
	}
	return grants, nil
}

var selectGrants = `SELECT ` + grantsTable.list + ` FROM grants WHERE owner = $1 ORDER BY issued DESC, id`

func grantOf(values []any) (g store.Grant) {
	g.ID, _ = values[0].(string)
	claims, _ := values[1].([]byte)
	g.Claims = someBytes(claims)
	g.Name, _ = values[2].(string)
	issued, _ := values[3].(int64)
	g.Issued = stored.Instant(issued)
	g.Expires, g.Revoked = stored.OpenInstant(numberOf(values[4])), stored.OpenInstant(numberOf(values[5]))
	return g
}

// numberOf returns a number that may be NULL.
func numberOf(value any) (n int64, valid bool) {
	n, valid = value.(int64)
	return n, valid
}

// Grant looks a grant up. One that is there and not revoked, or is not there, is
// compared with those that are revoked.
func (s *session) Grant(id string) (store.Grant, error) {
	var values []any
	var seal []byte
	var revoked []string
	if err := s.all(grantsTable.statement(&values, &seal, id), listGrants(selectRevoked, &revoked)); err != nil {
		return store.Grant{}, err
	}
	var g store.Grant
	if values != nil {
		if !s.fits(grantsTable, values, seal) {
			return store.Grant{}, store.ErrAltered
		}
		if g = grantOf(values); !g.Revoked.IsZero() {
			return g, nil
		}
	}
	if err := s.checkRevoked(id, revoked); err != nil {
		return store.Grant{}, err
	}
	if values == nil {
		return store.Grant{}, store.ErrNotFound
	}
	return g, nil
}

// SetGrant files a grant. When one that was revoked has gone missing, that stays
// to be seen.
func (w *writer) SetGrant(g store.Grant) error {
	if err := w.enrol(); err != nil {
		return err
	}
	var old []any
	var seal []byte
	var revoked []string
	if err := w.all(grantsTable.statement(&old, &seal, g.ID), listGrants(selectRevoked, &revoked)); err != nil {
		return err
	}
	if !w.owner.revokes() || bytes.Equal(stored.Revoked(revoked), w.owner.revoked) {
		revoked = slices.DeleteFunc(revoked, func(id string) bool { return id == g.ID })
		if !g.Revoked.IsZero() {
			revoked = append(revoked, g.ID)
		}
		slices.Sort(revoked)
		w.owner.revoked, w.dirty = stored.Revoked(revoked), true
	}
	values := []any{g.ID, g.Claims, g.Name, stored.Micros(g.Issued), stored.OpenMicros(g.Expires), stored.OpenMicros(g.Revoked)}
	if old == nil {
		return w.putOne(grantsTable, values...)
	}
	return w.replace(grantsTable, old, seal, values)
}

// checkRevoked fails with [store.ErrAltered] when the owner's row cannot be
// believed, when others are revoked than it says, and when id is one of them,
// although it was not found.
func (s *session) checkRevoked(id string, revoked []string) error {
	seals, o := s.secret(), &s.owner
	if seals == nil || !o.known {
		return nil
	}
	if o.heir != seals && !seals.Fits(ownersTable.Name, o.values(), o.seal) {
		return store.ErrAltered
	}
	if o.revokes() && (!bytes.Equal(stored.Revoked(revoked), o.revoked) || slices.Contains(revoked, id)) {
		return store.ErrAltered
	}
	return nil
}

// listGrants reads ids of grants.
func listGrants(query string, ids *[]string) statement {
	return statement{query: query, scan: func(rows pgx.Rows) error {
		var id string
		err := rows.Scan(&id)
		*ids = append(*ids, id)
		return err
	}}
}

const (
	selectRevoked = `SELECT id FROM grants WHERE owner = $1 AND revoked IS NOT NULL ORDER BY id`
	selectInForce = `SELECT id FROM grants WHERE owner = $1 AND revoked IS NULL`
)

// revokes reports whether the owner has revoked grants.
func (o *owner) revokes() bool { return !bytes.Equal(o.revoked, stored.Revoked(nil)) }
