package postgres

import (
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
)

var grantsTable = tableOf("grants")

// grants reads table grants.
type grants struct{ *ownerTx }

// Grants lists the grants.
func (g grants) Grants() ([]store.Grant, error) {
	var list []store.Grant
	var revoked, inForce []string
	scan := func(rows pgx.Rows) error {
		row, err := grantsTable.scan(rows)
		if err == nil {
			list = append(list, stored.GrantInList(g, row))
		}
		return err
	}
	err := g.all(statement{query: selectGrants, scan: scan}, listGrants(selectRevoked, &revoked), listGrants(selectInForce, &inForce))
	if err == nil && g.Secret() != nil && g.owner.Revokes() {
		stored.RevokePutBack(list, stored.PutBack(g.owner.Revoked, revoked, inForce))
	}
	return list, err
}

// Grant looks a grant up. It compares a grant that is missing, or not revoked, with
// the revoked grants.
func (g grants) Grant(id string) (store.Grant, error) {
	var row stored.TableRow
	var revoked []string
	if err := g.all(grantsTable.statement(&row, id), listGrants(selectRevoked, &revoked)); err != nil {
		return store.Grant{}, err
	}
	var grant store.Grant
	if row.Values != nil {
		genuine := false
		if grant, genuine = stored.GrantOf(g, row); !genuine {
			return store.Grant{}, store.ErrAltered
		}
		if !grant.Revoked.IsZero() {
			return grant, nil
		}
	}
	if err := stored.CheckRevoked(g, id, func() ([]string, error) { return revoked, nil }); err != nil {
		return store.Grant{}, err
	}
	if row.Values == nil {
		return store.Grant{}, store.ErrNotFound
	}
	return grant, nil
}

// SetGrant files a grant. If a revoked grant has gone missing, the owner's row
// continues to show that.
func (w *writer) SetGrant(g store.Grant) error {
	if err := w.Enrol(); err != nil {
		return err
	}
	var old stored.TableRow
	var revoked []string
	if err := w.all(grantsTable.statement(&old, g.ID), listGrants(selectRevoked, &revoked)); err != nil {
		return err
	}
	if w.owner.Agrees(revoked) {
		revoked = slices.DeleteFunc(revoked, func(id string) bool { return id == g.ID })
		if !g.Revoked.IsZero() {
			revoked = append(revoked, g.ID)
		}
		slices.Sort(revoked)
		w.owner.Revoked, w.owner.Changed = stored.RevokedDigest(revoked), true
	}
	if old.Values == nil {
		return w.putOne(grantsTable, stored.GrantRow(g)...)
	}
	return w.change(grantsTable, old, stored.GrantRow(g))
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

var selectGrants = `SELECT ` + grantsTable.list + ` FROM grants WHERE owner = $1 ORDER BY issued DESC, id`

const (
	selectRevoked = `SELECT id FROM grants WHERE owner = $1 AND revoked IS NOT NULL ORDER BY id`
	selectInForce = `SELECT id FROM grants WHERE owner = $1 AND revoked IS NULL`
)
