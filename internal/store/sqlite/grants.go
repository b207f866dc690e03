package sqlite

import (
	"database/sql"

	"github.com/satchel-memory/satchel/internal/store"
)

// Table grants: the capability tokens that an owner issued or revoked.
//
//	owner, id         key; id is the token's
//	claims … issued   see [store.Grant]; claims NULL: issued elsewhere
//	expires, revoked  NULL: not known, in force
var grantsTable = newTable("grants", 2, "owner", "id", "claims", "name", "issued", "expires", "revoked")

const grantColumns = `id, claims, name, issued, expires, revoked`

// Grants lists the grants.
func (s *session) Grants() ([]store.Grant, error) {
	var grants []store.Grant
	err := s.each(selectGrants, []any{s.owner.number}, func(rows *sql.Rows) error {
		g, err := scanGrant(rows.Scan)
		grants = append(grants, g)
		return err
	})
	return grants, err
}

const selectGrants = `SELECT ` + grantColumns + ` FROM grants WHERE owner = ? ORDER BY issued DESC, id`

// Grant looks a grant up.
func (s *session) Grant(id string) (store.Grant, error) {
	return scanGrant(func(into ...any) error {
		return s.first(selectGrant, []any{s.owner.number, id}, into...)
	})
}

const selectGrant = `SELECT ` + grantColumns + ` FROM grants WHERE owner = ? AND id = ?`

func scanGrant(scan func(...any) error) (store.Grant, error) {
	var g store.Grant
	var issued int64
	var expires, revoked sql.NullInt64
	if err := scan(&g.ID, &g.Claims, &g.Name, &issued, &expires, &revoked); err != nil {
		return store.Grant{}, err
	}
	g.Issued, g.Expires, g.Revoked = instant(issued), openInstant(expires), openInstant(revoked)
	return g, nil
}

// SetGrant files a grant.
func (w *writer) SetGrant(g store.Grant) error {
	if err := w.enrol(); err != nil {
		return err
	}
	return w.set(grantsTable, w.owner.number, g.ID, g.Claims, g.Name, micros(g.Issued), openMicros(g.Expires),
		openMicros(g.Revoked))
}
