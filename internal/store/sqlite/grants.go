package sqlite

import (
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
)

// grants reads table grants.
type grants struct{ *ownerTx }

var grantsTable = tableOf("grants")

// Grants lists the grants.
func (g grants) Grants() ([]store.Grant, error) {
	var list []store.Grant
	err := g.Whole(grantsTable.Name, selectGrants, nil, func(row stored.TableRow) error {
		list = append(list, stored.GrantInList(g, row))
		return nil
	})
	if err != nil {
		return nil, err
	}
	back, err := g.putBack()
	stored.RevokePutBack(list, back)
	return list, err
}

// Grant looks a grant up.
func (g grants) Grant(id string) (store.Grant, error) {
	row, err := g.Find(grantsTable.Name, id)
	var grant store.Grant
	if err == nil {
		genuine := false
		if grant, genuine = stored.GrantOf(g, row); !genuine {
			return store.Grant{}, store.ErrAltered
		}
	}
	if err == nil && grant.Revoked.IsZero() || err == store.ErrNotFound {
		if missing := stored.CheckRevoked(g, id, g.listRevoked); missing != nil {
			return store.Grant{}, missing
		}
	}
	return grant, err
}

// putBack returns the grants that only seem to be in force, see [stored.PutBack].
func (g grants) putBack() ([]string, error) {
	if g.Secret() == nil || !g.owner.Revokes() {
		return nil, g.Ready()
	}
	revoked, err := g.listRevoked()
	if err != nil || g.owner.Agrees(revoked) {
		return nil, err
	}
	inForce, err := g.list(selectInForce)
	return stored.PutBack(g.owner.Revoked, revoked, inForce), err
}

// listRevoked returns the ids of the revoked grants, in order.
func (g grants) listRevoked() ([]string, error) { return g.list(selectRevoked) }

func (g grants) list(query string) ([]string, error) {
	var ids []string
	err := g.Query(query, nil, func(row stored.Scanner) error {
		var id string
		err := row.Scan(&id)
		ids = append(ids, id)
		return err
	})
	return ids, err
}

var selectGrants = `SELECT ` + grantsTable.list + ` FROM grants WHERE owner = ? ORDER BY issued DESC, id`

const (
	selectRevoked = `SELECT id FROM grants WHERE owner = ? AND revoked IS NOT NULL ORDER BY id`
	selectInForce = `SELECT id FROM grants WHERE owner = ? AND revoked IS NULL`
)
