package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"

	"github.com/satchel-memory/satchel/internal/store/stored"
	"github.com/satchel-memory/satchel/memory"
)

// mostFindings is how many rows of a table a check names.
const mostFindings = 20

// checkSeals reads every row of every sealed table and compares it with its
// seal, and the seals of each owner with their sum.
func (s *Store) checkSeals(ctx context.Context, c *conn) ([]string, error) {
	x := sealCheck{store: s, owners: make(map[int64]*ownerSeals)}
	if err := x.meet(c); err != nil {
		return nil, err
	}
	for _, t := range allTables() {
		x.begin(t)
		err := c.each(t.rows, nil, func(rows *sql.Rows) error {
			row, err := t.scan(rows.Scan)
			if err != nil {
				return err
			}
			x.row(row)
			return ctx.Err()
		})
		if err != nil {
			return x.findings, err
		}
		x.end()
	}
	x.sums()
	return x.findings, nil
}

// sealCheck holds the state of a check of seals.
type sealCheck struct {
	store    *Store
	owners   map[int64]*ownerSeals
	arriving map[int64]bool // arriving owners, whose rows are checked after they have arrived
	findings []string

	table *table // the current one
	found int    // findings in it
	owner int64  // of the last row
	nth   int    // number of the last row among the owner's rows in the table
}

// ownerSeals holds the seals of an owner during a check.
type ownerSeals struct {
	did   memory.DID
	seals *stored.Sealer
	other bool // the rows were sealed with a secret that is not at hand, and are not checked
	said  stored.Sum
	found stored.Sum
}

// meet reads the owners and whether their secrets are at hand.
func (x *sealCheck) meet(c *conn) error {
	err := c.each(`SELECT owner, did, total, secret FROM owners ORDER BY owner`, nil, func(rows *sql.Rows) error {
		var number int64
		var did, secret, total any
		if err := rows.Scan(&number, &did, &total, &secret); err != nil {
			return err
		}
		name, _ := did.(string) // a value of another type matches no seal
		id, _ := secret.([]byte)
		said, _ := total.([]byte)
		o := &ownerSeals{did: memory.DID(name), said: stored.ParseSum(said)}
		x.owners[number], o.seals = o, x.store.sealer(o.did)
		o.other = !bytes.Equal(id, o.seals.ID) && !bytes.Equal(id, o.seals.Plain.ID)
		if o.other && o.seals.Keyed { // a caller without a secret asks for Unchecked
			x.findings = append(x.findings, fmt.Sprintf("owner %d: the rows were sealed with another secret, "+
				"so that what was changed outside of satchel cannot be found", number))
		}
		return nil
	})
	if err != nil {
		return err
	}
	x.arriving = make(map[int64]bool)
	return c.each(`SELECT owner FROM arrivals WHERE state <> 'settled' ORDER BY owner`, nil, func(rows *sql.Rows) error {
		var number int64
		err := rows.Scan(&number)
		x.arriving[number] = true
		x.findings = append(x.findings, fmt.Sprintf("owner %d has not arrived wholly from another store: "+
			"run satchel store move again, or abandon that move", number))
		return err
	})
}

func (x *sealCheck) begin(t *table) { x.table, x.found, x.owner, x.nth = t, 0, -1, 0 }

// end reports how many faulty rows were not named.
func (x *sealCheck) end() {
	if x.found > mostFindings {
		x.findings = append(x.findings, fmt.Sprintf("table %s: and %d more rows", x.table.Name, x.found-mostFindings))
	}
}

func (x *sealCheck) row(row fileRow) {
	if row.owner != x.owner {
		x.owner, x.nth = row.owner, 0
	}
	x.nth++
	o := x.owners[row.owner]
	if x.arriving[row.owner] {
		return
	}
	if o == nil {
		x.report(row, "belongs to an owner that does not exist")
		return
	}
	if x.table.Name != ownersTable.Name {
		o.found = o.found.Plus(row.Seal)
	}
	switch {
	case o.other && !x.mistaken(o, row):
	case o.seals.Fits(x.table.Name, row.Values, row.Seal):
	case o.seals.Keyed && o.seals.Plain.Fits(x.table.Name, row.Values, row.Seal):
		x.report(row, "was written without the owner's secret, so that nothing vouches for it")
	default:
		x.report(row, "was changed outside of satchel")
	}
}

// mistaken reports whether an owner's row claims that its seals were made with a
// secret although its own seal was not.
func (x *sealCheck) mistaken(o *ownerSeals, row fileRow) bool {
	if x.table.Name != ownersTable.Name {
		return false
	}
	values := slices.Clone(row.Values)
	values[len(values)-1] = o.seals.Plain.ID
	return o.seals.Plain.Fits(x.table.Name, values, row.Seal)
}

// Unchecked lists the owners whose rows were sealed with a secret that is not at
// hand. Check cannot find changes in their rows.
func (s *Store) Unchecked(ctx context.Context) ([]memory.DID, error) {
	x := sealCheck{store: s, owners: make(map[int64]*ownerSeals)}
	err := s.read(ctx, x.meet)
	var dids []memory.DID
	for _, number := range slices.Sorted(maps.Keys(x.owners)) {
		if o := x.owners[number]; o.other {
			dids = append(dids, o.did)
		}
	}
	return dids, translate("check", err)
}

// report names a row by its number, or by its position among the owner's rows if its
// key may quote a memory.
func (x *sealCheck) report(row fileRow, what string) {
	x.found++
	if x.found > mostFindings {
		return
	}
	name := fmt.Sprintf("owner %d, row number %d by key", x.owner, x.nth)
	if x.table.Key == 0 {
		name = fmt.Sprintf("row of owner %d", x.owner)
	} else if key, ok := row.Values[x.table.Key-1].(int64); ok && !x.table.Private {
		name = fmt.Sprintf("row %d of owner %d", key, x.owner)
	}
	x.findings = append(x.findings, fmt.Sprintf("table %s, %s: %s", x.table.Name, name, what))
}

func (x *sealCheck) sums() {
	for _, number := range slices.Sorted(maps.Keys(x.owners)) {
		if o := x.owners[number]; o.said != o.found {
			x.findings = append(x.findings, fmt.Sprintf(
				"owner %d: rows were removed, added or put back to an earlier state outside of satchel", number))
		}
	}
}
