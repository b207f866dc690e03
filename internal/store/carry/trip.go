package carry

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
	"github.com/satchel-memory/satchel/memory"
)

// trip is the move of one owner.
type trip struct {
	*mover
	owner   memory.DID
	left    map[string]store.Tally // by table: rows at the source
	of      int64                  // the number of these rows
	arrived int64
	carried int64 // of these rows, moved now
}

// tables returns the tables whose rows move.
func tables() []stored.Table { return stored.Tables()[1:] }

// carry copies the rows that have not arrived yet. It may be called again after a
// failed commit.
func (t *trip) carry(ctx context.Context, l store.OwnerRows) error {
	t.arrived, t.carried = 0, 0
	row, err := t.inspect(ctx, l)
	if err != nil {
		return err
	}
	a, err := t.to.Arrive(ctx, t.owner, row)
	switch {
	case errors.Is(err, store.ErrExists):
		return refusal(t.owner, err, "lives at the target already, and did not come from here as things are now: "+
			"erase the owner at one of the two stores, or export and import")
	case err != nil:
		return err
	case a.Settled():
		return nil
	}
	if err := t.carryTables(ctx, l, a); err != nil {
		return err
	}
	if err := t.compare(ctx, a); err != nil {
		return err
	}
	return a.Settle(ctx)
}

// inspect returns the owner's row, after it has made sure that all rows of the owner
// can move.
func (t *trip) inspect(ctx context.Context, l store.OwnerRows) ([]any, error) {
	row, err := l.Owner()
	if err != nil {
		return nil, t.explain(err)
	}
	owners := stored.Named(stored.OwnersTable)
	if !whole(owners, row) {
		return nil, t.altered("the owner's row")
	}
	if where, ok := gone(row[owners.Place("moved")].(string)); ok {
		return nil, goneError{where}
	}
	var sum stored.Sum
	t.left, t.of = make(map[string]store.Tally), 0
	for _, table := range tables() {
		tally, err := l.Tally(table.Name)
		if err != nil {
			return nil, err
		}
		t.left[table.Name] = tally
		t.of += tally.Rows
		sum = sum.Plus(tally.Seals[:])
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	if !bytes.Equal(sum.Bytes(), row[owners.Place("total")].([]byte)) {
		return nil, refusal(t.owner, store.ErrAltered,
			"rows were removed, added or put back to an earlier state outside of satchel: run satchel doctor")
	}
	return row, nil
}

// carryTables continues after the last row that has arrived.
func (t *trip) carryTables(ctx context.Context, l store.OwnerRows, a store.Arrival) error {
	last, after := a.Last()
	for _, table := range tables() {
		if last != "" && table.Name != last {
			t.arrived += t.left[table.Name].Rows
			continue
		}
		if last != "" {
			tally, err := a.Tally(ctx, last)
			if err != nil {
				return err
			}
			t.arrived += tally.Rows
		}
		if err := t.carryTable(ctx, l, a, table, after); err != nil {
			return err
		}
		last, after = "", nil
	}
	return nil
}

// carryTable copies the rows of a table after a key, page by page.
func (t *trip) carryTable(ctx context.Context, l store.OwnerRows, a store.Arrival, table stored.Table, after []any) error {
	for ask := t.opt.Batch; ; {
		rows, err := l.Rows(table.Name, after, ask)
		if err != nil || len(rows) == 0 {
			return err
		}
		for _, row := range rows {
			if !whole(table, row) {
				return t.altered("a row of table " + table.Name)
			}
		}
		if err := a.Put(ctx, table.Name, rows); err != nil {
			return t.explain(err)
		}
		t.told(table.Name, len(rows))
		after = rows[len(rows)-1][:table.Key]
		ask = min(t.opt.Batch, max(2*len(rows), 16)) // the source returns less when rows are large
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

func (t *trip) told(table string, rows int) {
	t.arrived += int64(rows)
	t.carried += int64(rows)
	if t.opt.Progress != nil {
		t.opt.Progress(Progress{Owner: t.owner, Nth: len(t.seen), Owners: t.owners, Table: table, Rows: t.arrived, Of: t.of})
	}
}

// compare makes sure that the arrived rows equal the rows at the source.
func (t *trip) compare(ctx context.Context, a store.Arrival) error {
	for _, table := range tables() {
		got, err := a.Tally(ctx, table.Name)
		if err != nil {
			return err
		}
		if want := t.left[table.Name]; got != want {
			return refusal(t.owner, store.ErrAltered, fmt.Sprintf("of table %s, %d rows have left and %d arrived, or their "+
				"content differs: abandon this move, then move again", table.Name, want.Rows, got.Rows))
		}
	}
	return nil
}

// whole reports whether a row has valid values for its table, and a seal.
func whole(t stored.Table, row []any) bool {
	last := len(row) - 1
	if last < 0 || !t.Holds(row[:last]) {
		return false
	}
	seal, ok := row[last].([]byte)
	return ok && len(seal) == stored.SealSize
}

func (t *trip) altered(what string) error {
	return refusal(t.owner, store.ErrAltered,
		what+" was changed outside of satchel, and cannot be carried: run satchel doctor, or restore a backup")
}

// explain says what a store's refusal of a row means.
func (t *trip) explain(err error) error {
	if errors.Is(err, store.ErrAltered) {
		return t.altered("a row")
	}
	return err
}
