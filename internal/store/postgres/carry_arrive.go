package postgres

import (
	"context"
	"errors"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
	"github.com/satchel-memory/satchel/memory"
)

// Table arrivals: the owners who arrived from another store, or are arriving.
//
//	owner                key
//	state … reached_key  see [stored.ArrivalRecord]
//
// Until the state is settled, the row in table owners only says that the owner is
// arriving. It changes with every page that arrives, so that outcome can tell whether
// a commit was made.

// arriving is the value of column moved in the row of an arriving owner.
const arriving = "arriving"

var errArriving = refusal("find owner", store.ErrArriving,
	"the owner is on the way from another store: run satchel store move again, or abandon that move")

// arrival is an owner who is arriving.
type arrival struct {
	store *Store
	did   memory.DID
	row   []any
	stored.ArrivalRecord
}

// Arrive begins an arrival or continues it, see [store.Carrier]. Where former rows
// are removed, the audit log stays: it only grows, and the arriving log begins with
// the entries that exist here.
func (s *Store) Arrive(ctx context.Context, owner memory.DID, row []any) (store.Arrival, error) {
	a := &arrival{store: s, did: owner, row: row}
	err := a.transact(ctx, a.begin)
	if err == nil && a.State == stored.Clearing {
		err = a.clear(ctx)
	}
	if err == nil && a.State == stored.Clearing {
		next := stored.ArrivalRecord{State: stored.Coming, Said: a.Said, Owed: a.Owed}
		err = a.transact(ctx, func(w *writer) error { return a.save(w, next) })
	}
	if err != nil {
		return nil, err
	}
	return a, nil
}

// transact runs fn in a transaction that has locked the owner's row.
func (a *arrival) transact(ctx context.Context, fn func(*writer) error) error {
	return a.store.update(ctx, a.did, true, func(any store.Writer) error {
		w := any.(*writer)
		if err := w.takeTime(); err != nil {
			return err
		}
		return fn(w)
	})
}

// begin decides how the arrival starts. An owner who lived here gives way.
func (a *arrival) begin(w *writer) error {
	known, err := a.load(w)
	if err != nil {
		return err
	}
	var here []any
	if w.owner.Known && w.owner.Moved != arriving {
		here = ownersRow(&w.owner)
	}
	next, err := stored.Welcome(a.row, here, a.ArrivalRecord, known)
	if err != nil || known && next.State == a.State && next.State != stored.Clearing {
		return err
	}
	if here != nil {
		w.owner = stored.Owner{Known: true, DID: string(a.did), Heir: w.seals, Secret: w.seals.ID, Revoked: stored.RevokedDigest(nil)}
	}
	if err := w.Enrol(); err != nil {
		return err
	}
	w.owner.Moved = arriving
	return a.save(w, next)
}

// load reads the stored state of the owner's arrival, if there is one.
func (a *arrival) load(w *writer) (known bool, err error) {
	a.ArrivalRecord = stored.ArrivalRecord{}
	err = w.first(selectArrival, nil, &a.State, &a.Said, &a.As, &a.Owed, &a.Table, &a.Key)
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// save stores how far the arrival is.
func (a *arrival) save(w *writer, next stored.ArrivalRecord) error {
	w.later(upsertArrival, string(next.State), next.Said, next.As, next.Owed, next.Table, next.Key)
	w.touch()
	a.ArrivalRecord = next
	return w.failed()
}

// touch changes the row of an arriving owner, so that outcome can tell whether the
// commit was made.
func (w *writeTx) touch() {
	if w.owner.Moved == arriving {
		w.owner.Sequence, w.owner.Changed = w.owner.Sequence+1, true
	}
}

const (
	selectArrival = `SELECT state, said, settled_as, owed, reached, reached_key FROM arrivals WHERE owner = $1`
	upsertArrival = `INSERT INTO arrivals (owner, state, said, settled_as, owed, reached, reached_key)
		VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (owner) DO UPDATE SET state = excluded.state, said = excluded.said,
		settled_as = excluded.settled_as, owed = excluded.owed, reached = excluded.reached, reached_key = excluded.reached_key`
)

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

// Put adds rows. Entries of the audit log may exist already, see Arrive.
func (a *arrival) Put(ctx context.Context, name string, rows [][]any) error {
	if len(rows) == 0 {
		return nil
	}
	t := tableOf(name)
	query := t.bulk
	switch name {
	case "audit", "audit_hashes":
		query += ` ON CONFLICT DO NOTHING`
	case "audit_heads":
		query += ` ON CONFLICT (owner) DO UPDATE SET head = excluded.head, seal = excluded.seal`
	}
	return a.transact(ctx, func(w *writer) error {
		for start := 0; start < len(rows); start += bulkSize {
			w.later(query, t.lists(rows[start:min(start+bulkSize, len(rows))])...)
		}
		if name == recordsTable.Name {
			if err := w.file(rows); err != nil {
				return err
			}
		}
		next := a.ArrivalRecord
		next.Table, next.Key = name, stored.PackKey(rows[len(rows)-1][:t.Key])
		return a.save(w, next)
	})
}

// file indexes records.
func (w *indexer) file(rows [][]any) error {
	filed, err := stored.IndexOf(rows)
	if err != nil {
		return err
	}
	for i := range filed {
		filed[i].Term = short(filed[i].Term)
	}
	w.fileListings(filed)
	return w.failed()
}

// Tally counts the rows that have arrived.
func (a *arrival) Tally(ctx context.Context, table string) (tally store.Tally, err error) {
	err = a.transact(ctx, func(w *writer) (err error) {
		tally, err = w.tally(table)
		return err
	})
	return tally, err
}

// Settle files the owner's row. If rows of the owner were removed here, the row
// records that content has left.
func (a *arrival) Settle(ctx context.Context) error {
	return a.transact(ctx, func(w *writer) error {
		o, seals := &w.owner, w.seals
		last := len(a.row) - 1
		seal, _ := a.row[last].([]byte)
		*o = stored.Owner{}
		o.Read(a.row[:last], seal)
		if w.seals = stored.NewSealer(nil); a.Owed { // the seal stays as it arrived
			w.seals = seals
			o.Inherit(seals)
			o.Leave()
		}
		o.Changed = true
		for _, work := range store.AllWork() {
			w.later(insteadDue, string(work), int64(0))
		}
		next := a.ArrivalRecord
		next.State, next.As, next.Table, next.Key = stored.Settled, stored.Identity(a.row), "", nil
		return a.save(w, next)
	})
}
