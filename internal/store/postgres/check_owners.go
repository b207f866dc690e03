package postgres

import (
	"context"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
	"github.com/satchel-memory/satchel/memory"
)

// early lists the tables that may hold rows of an owner before that owner has a row
// in table owners.
var early = []string{"owners", "rates", "arrivals"}

// selectLeft asks whether an owner has rows in any table other than the early ones.
var selectLeft = func() string {
	var parts []string
	for _, t := range owned {
		if !slices.Contains(early, t.name) {
			parts = append(parts, `EXISTS (SELECT FROM `+t.name+` WHERE owner = $1)`)
		}
	}
	return `SELECT ` + strings.Join(parts, ` OR `)
}()

// orphans counts the rows whose owner has no row in table owners. No policy shows
// them to the role of the programs, so the user of the URL must be exempt from
// row-level security, as the owner of the tables is. Other users cannot see them.
func (x *check) orphans(ctx context.Context) error {
	err := withOwner(ctx, x.store.config.ConnConfig.Copy(), func(c *pgx.Conn) error {
		blind := false
		if err := c.QueryRow(ctx, `SELECT row_security_active('owners')`).Scan(&blind); err != nil || blind {
			return err
		}
		all := &pgx.Batch{}
		for _, t := range owned {
			if slices.Contains(early, t.name) {
				continue
			}
			all.Queue(`SELECT count(*), count(DISTINCT r.owner) FROM ` + t.name +
				` AS r WHERE NOT EXISTS (SELECT FROM owners AS o WHERE o.owner = r.owner)`).QueryRow(func(found pgx.Row) error {
				var rows, owners int64
				err := found.Scan(&rows, &owners)
				if rows > 0 {
					x.report("table %s: %d rows are of owners whose row in table owners is gone (%d of them), so that nobody finds them", t.name, rows, owners)
				}
				return err
			})
		}
		return c.SendBatch(ctx, all).Close()
	})
	return translate("check", err)
}

var _ store.Summer = (*Store)(nil)

// Summed adds up the seals of an owner's rows, see [store.Summer].
func (s *Store) Summed(ctx context.Context, owner memory.DID) (bool, error) {
	same := true
	err := s.View(ctx, owner, func(r store.Reader) error {
		view := r.(*session)
		if !view.owner.Known {
			return nil
		}
		var sum stored.Sum
		if err := view.tx.send(ctx, "check", statement{query: `SET LOCAL statement_timeout = 0`}); err != nil { // a check has no time limit
			return err
		}
		var list []statement
		for _, t := range tables() {
			if t.Name == ownersTable.Name {
				continue
			}
			list = append(list, statement{query: `SELECT seal FROM ` + t.Name + ` WHERE owner = $1`, scan: func(rows pgx.Rows) error {
				var seal []byte
				err := rows.Scan(&seal)
				sum = sum.Plus(seal)
				return err
			}})
		}
		err := view.all(list...)
		same = sum == view.owner.Total
		return err
	})
	return same, err
}
