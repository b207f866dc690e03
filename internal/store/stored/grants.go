package stored

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/satchel-memory/satchel/internal/store"
)

// Table grants: the capability tokens that an owner issued or revoked.
//
//	owner, id         key; id is the token's
//	claims … issued   see [store.Grant]; claims NULL: issued elsewhere
//	expires, revoked  NULL: not known, in force
//
// A server accepts a token without a row for what the token says itself, so that a
// missing row matters: the owner's row says which grants are revoked.
var grantsTable = Named("grants")

// GrantRow returns the columns of table grants for a grant.
func GrantRow(g store.Grant) []any {
	return []any{g.ID, g.Claims, g.Name, Micros(g.Issued), openMicros(g.Expires), openMicros(g.Revoked)}
}

// GrantOf is the inverse of [GrantRow], and reports whether the row is as the store wrote
// it, as far as it can tell.
func GrantOf(tx Tx, row TableRow) (g store.Grant, genuine bool) {
	open := func(place int) (n int64, valid bool) { n, valid = row.Values[place].(int64); return n, valid }
	g.ID, _ = row.Values[0].(string)
	g.Claims = content(row.Values[1])
	g.Name, _ = row.Values[2].(string)
	issued, _ := row.Values[3].(int64)
	g.Issued, g.Expires, g.Revoked = Instant(issued), openInstant(open(4)), openInstant(open(5))
	return g, Genuine(tx, "grants", row) && grantsTable.Holds(row.Values)
}

// GrantInList is [GrantOf] for a list: a grant whose row was changed outside of the store
// counts as revoked.
func GrantInList(tx Tx, row TableRow) store.Grant {
	g, genuine := GrantOf(tx, row)
	if !genuine {
		g.Revoked = cmp.Or(g.Revoked, g.Issued, Instant(0)) // never the zero time
	}
	return g
}

// RevokePutBack revokes those grants that only seem to be in force, see [PutBack].
func RevokePutBack(grants []store.Grant, back []string) {
	for i, g := range grants {
		if g.Revoked.IsZero() && slices.Contains(back, g.ID) {
			grants[i].Revoked = cmp.Or(g.Issued, Instant(0))
		}
	}
}

// CheckRevoked fails with [store.ErrAltered] in three cases: the owner's row is not
// genuine; other grants are revoked than it says; or id is one of those, although its own
// row does not say so. revoked returns the ids of the revoked grants, in order.
func CheckRevoked(tx Tx, id string, revoked func() ([]string, error)) error {
	seals, o := tx.Secret(), tx.OwnerRow()
	if seals == nil || !o.Known {
		return nil
	}
	if o.Heir != seals && !seals.Fits(OwnersTable, o.Values(), o.Seal) {
		return store.ErrAltered
	}
	if !o.Revokes() {
		return nil
	}
	ids, err := revoked()
	if err == nil && (!bytes.Equal(RevokedDigest(ids), o.Revoked) || slices.Contains(ids, id)) {
		err = store.ErrAltered
	}
	return err
}
