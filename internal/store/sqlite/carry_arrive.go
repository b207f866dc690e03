package sqlite

import (
	"context"
	"database/sql"
	"errors"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
	"github.com/satchel-memory/satchel/memory"
)

// Table arrivals: the owners who arrived from another store, or are arriving.
//
//	owner          number of the owner, under which the rows are filed
//	did            the owner's DID
//	state … reached_key  see [stored.ArrivalRecord]
//
// Until the state is settled there is no row in table owners, so that no caller can
// read or write for the owner.

// arrival is an owner who is arriving.
type arrival struct {
	store  *Store
	did    memory.DID
	number int64
	row    []any
	stored.ArrivalRecord
}

// Arrive begins an arrival or continues it, see [store.Carrier].
func (s *Store) Arrive(ctx context.Context, owner memory.DID, row []any) (store.Arrival, error) {
	a := &arrival{store: s, did: owner, row: row}
	err := s.transact(ctx, func(w *writeTx) error { return a.begin(w) })
	if err == nil && a.State == stored.Clearing {
		err = a.clear(ctx)
	}
	if err == nil && a.State == stored.Clearing {
		next := stored.ArrivalRecord{State: stored.Coming, Said: a.Said, Owed: a.Owed}
		err = s.transact(ctx, func(w *writeTx) error { return a.save(w, next) })
	}
	if err != nil {
		return nil, err
	}
	return a, nil
}

// begin decides how the arrival starts. An owner who lived here gives way.
func (a *arrival) begin(w *writeTx) error {
	known, err := a.load(w.c)
	if err != nil {
		return err
	}
	here, err := ownersRow(w.c, a.did)
	if errors.Is(err, store.ErrNotFound) {
		here, err = nil, nil
	}
	if err != nil {
		return err
	}
	next, err := stored.Welcome(a.row, here, a.ArrivalRecord, known)
	if err != nil || known && next.State == a.State && next.State != stored.Clearing {
		return err
	}
	switch {
	case here != nil:
		err = w.first(`DELETE FROM owners WHERE did = ? RETURNING owner`, []any{string(a.did)}, &a.number)
	case !known:
		err = w.first(`SELECT `+nextOwner, nil, &a.number)
	}
	if err != nil {
		return err
	}
	return a.save(w, next)
}

// load reads the stored state of the owner's arrival, if there is one.
func (a *arrival) load(c *conn) (known bool, err error) {
	var key []byte
	err = c.first(`SELECT owner, state, said, settled_as, owed, reached, reached_key FROM arrivals WHERE did = ?`,
		[]any{string(a.did)}, &a.number, &a.State, &a.Said, &a.As, &a.Owed, &a.Table, &key)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	a.Key = key
	return err == nil, translate("read", err)
}

// save stores how far the arrival is.
func (a *arrival) save(w *writeTx, next stored.ArrivalRecord) error {
	_, err := w.exec(`INSERT INTO arrivals (owner, did, state, said, settled_as, owed, reached, reached_key)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (owner) DO UPDATE SET state = excluded.state, said = excluded.said,
		settled_as = excluded.settled_as, owed = excluded.owed, reached = excluded.reached, reached_key = excluded.reached_key`,
		a.number, string(a.did), string(next.State), next.Said, next.As, next.Owed, next.Table, next.Key)
	if err == nil {
		a.ArrivalRecord = next
	}
	return err
}

// clear removes the rows under the owner's number, some rows at a time.
func (a *arrival) clear(ctx context.Context) error {
	if err := a.store.transact(ctx, func(w *writeTx) error {
		_, err := w.exec(clearDue, a.number)
		return err
	}); err != nil {
		return err
	}
	for _, t := range append(stored.Tables()[1:], postings) {
		query, args := newCarryTable(t).clear(a.number)
		for n := int64(clearSize); n >= clearSize; {
			err := a.store.transact(ctx, func(w *writeTx) (err error) {
				n, err = w.exec(query, args...)
				return err
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// postings describes the table of the index, as far as removing its rows needs.
var postings = stored.Table{Name: "postings", Key: 2, Columns: []stored.Column{{Name: "term"}, {Name: "block"}}}

// Settled reports whether this store is the owner's home.
func (a *arrival) Settled() bool { return a.State == stored.Settled }

// Last returns the table and key that the arrival has reached.
func (a *arrival) Last() (table string, key []any) {
	if a.Table == "" {
		return "", nil
	}
	key, _ = stored.UnpackKey(a.Key)
	return a.Table, key
}

// Put adds rows.
func (a *arrival) Put(ctx context.Context, table string, rows [][]any) error {
	if len(rows) == 0 {
		return nil
	}
	t := newCarryTable(stored.Named(table))
	return a.store.transact(ctx, func(w *writeTx) error {
		err := w.insertMany(t.insert(), len(rows), func(i int, args []any) []any { return t.args(args, a.number, rows[i]) })
		if err == nil && table == recordsTable.Name {
			err = a.file(w, rows)
		}
		if err != nil {
			return err
		}
		next := a.ArrivalRecord
		next.Table, next.Key = table, stored.PackKey(rows[len(rows)-1][:t.Key])
		return a.save(w, next)
	})
}

// file indexes records.
func (a *arrival) file(w *writeTx, rows [][]any) error {
	filed, err := stored.IndexOf(rows)
	if err != nil {
		return err
	}
	return w.file(a.number, filed)
}

// Tally counts the rows that have arrived.
func (a *arrival) Tally(ctx context.Context, table string) (tally store.Tally, err error) {
	err = a.store.read(ctx, func(c *conn) (err error) {
		tally, err = tallyOf(ctx, c, table, a.number)
		return err
	})
	return tally, translate("read", err)
}

// Settle files the owner's row. If rows of the owner were removed here, the row
// records that content has left.
func (a *arrival) Settle(ctx context.Context) error {
	t := newCarryTable(stored.Named(stored.OwnersTable))
	err := a.store.transact(ctx, func(w *writeTx) error {
		if _, err := w.exec(t.insert().sql(1), t.args(nil, a.number, a.row)...); err != nil {
			return err
		}
		if a.Owed {
			if err := a.owe(w); err != nil {
				return err
			}
		}
		for _, work := range store.AllWork() {
			if _, err := w.exec(insteadDue, a.number, string(work), 0); err != nil {
				return err
			}
		}
		next := a.ArrivalRecord
		next.State, next.As, next.Table, next.Key = stored.Settled, stored.Identity(a.row), "", nil
		return a.save(w, next)
	})
	if err == nil {
		a.store.watch.signal()
	}
	return err
}

// owe counts content that has left.
func (a *arrival) owe(w *writeTx) error {
	w.did, w.seals = a.did, a.store.sealer(a.did)
	if err := w.begin(); err != nil {
		return err
	}
	w.owner.Leave()
	return w.finish()
}
