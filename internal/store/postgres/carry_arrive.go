package postgres

import (
	"context"
	"errors"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
	"github.com/satchel-memory/satchel/memory"
)

// Table arrivals: the owners who came from another store, or are on the way.
//
//	owner                key
//	state … reached_key  see [stored.Carried]
//
// Until the state is settled, the row in table owners stands for no more than that
// the owner is on the way. It changes with every page that arrives, so that it can
// be told whether a commit was made, see outcome.

// arriving is what stands in the column moved of such a row.
const arriving = "arriving"

var errArriving = refusal("find owner", store.ErrArriving,
	"the owner is on the way from another store: run satchel store move again, or abandon that move")

// arrival is an owner on the way.
type arrival struct {
	store *Store
	did   memory.DID
	row   []any
	stored.Carried
}

// Arrive begins an arrival or goes on with it, see [store.Carrier]. Where former rows
// are removed, the audit log stays: it only ever grows, and what arrives begins with
// what is there.
func (s *Store) Arrive(ctx context.Context, owner memory.DID, row []any) (store.Arrival, error) {
	a := &arrival{store: s, did: owner, row: row}
	err := a.transact(ctx, a.begin)
	if err == nil && a.State == stored.Clearing {
		err = a.clear(ctx)
	}
	if err == nil && a.State == stored.Clearing {
		next := stored.Carried{State: stored.Coming, Said: a.Said, Owed: a.Owed}
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

// begin finds out what becomes of who comes. An owner who lived here gives way.
func (a *arrival) begin(w *writer) error {
	known, err := a.load(w)
	if err != nil {
		return err
	}
	var here []any
	if w.owner.known && w.owner.moved != arriving {
		here = w.owner.row()
	}
	next, err := stored.Welcome(a.row, here, a.Carried, known)
	if err != nil || known && next.State == a.State && next.State != stored.Clearing {
		return err
	}
	if here != nil {
		w.owner = owner{known: true, did: string(a.did), heir: w.seals, secret: w.seals.ID, revoked: stored.Revoked(nil)}
	}
	if err := w.enrol(); err != nil {
		return err
	}
	w.owner.moved = arriving
	return a.save(w, next)
}

// load reads what is remembered of the owner's arrival, if anything is.
func (a *arrival) load(w *writer) (known bool, err error) {
	a.Carried = stored.Carried{}
	err = w.first(selectArrival, nil, &a.State, &a.Said, &a.As, &a.Owed, &a.Table, &a.Key)
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// save remembers how far the owner has come.
func (a *arrival) save(w *writer, next stored.Carried) error {
	w.later(upsertArrival, string(next.State), next.Said, next.As, next.Owed, next.Table, next.Key)
	w.touch()
	a.Carried = next
	return w.failed()
}

// touch changes the row of an owner on the way, so that it can be told whether the
// commit was made.
func (w *writer) touch() {
	if w.owner.moved == arriving {
		w.owner.sequence, w.dirty = w.owner.sequence+1, true
	}
}

const (
	selectArrival = `SELECT state, said, settled_as, owed, reached, reached_key FROM arrivals WHERE owner = $1`
	upsertArrival = `INSERT INTO arrivals (owner, state, said, settled_as, owed, reached, reached_key)
		VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (owner) DO UPDATE SET state = excluded.state, said = excluded.said,
		settled_as = excluded.settled_as, owed = excluded.owed, reached = excluded.reached, reached_key = excluded.reached_key`
)

// Settled reports whether the owner lives here.
func (a *arrival) Settled() bool { return a.State == stored.Settled }

// Last returns how far the owner has come.
func (a *arrival) Last() (table string, key []any) {
	if a.Table == "" {
		return "", nil
	}
	key, _ = stored.UnpackKey(a.Key)
	return a.Table, key
}

// Put adds rows. Those of the audit log may be there already, see Arrive.
func (a *arrival) Put(ctx context.Context, name string, rows [][]any) error {
	if len(rows) == 0 {
		return nil
	}
	t := newTable(name)
	query := t.bulk
	switch name {
	case auditTable.Name, auditHashesTable.Name:
		query += ` ON CONFLICT DO NOTHING`
	case auditHeadsTable.Name:
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
		next := a.Carried
		next.Table, next.Key = name, stored.PackKey(rows[len(rows)-1][:t.Key])
		return a.save(w, next)
	})
}

// file indexes records.
func (w *writer) file(rows [][]any) error {
	filed, err := stored.File(rows)
	if err != nil {
		return err
	}
	blocks := make([]block, len(filed.Blocks))
	for i, b := range filed.Blocks {
		blocks[i] = block{blockKey{short(b.Term), b.Number}, b.Entries}
	}
	counts := make(map[string]int64, len(filed.Occurrences))
	for _, o := range filed.Occurrences {
		counts[short(o.Term)] = o.Documents
	}
	w.sendBlocks(appendBlocks, blocks)
	w.sendCounts(counts)
	return w.failed()
}

// Tally counts what has arrived.
func (a *arrival) Tally(ctx context.Context, table string) (tally store.Tally, err error) {
	err = a.transact(ctx, func(w *writer) (err error) {
		tally, err = w.tally(table)
		return err
	})
	return tally, err
}

// Settle files the owner's row. Where rows of the owner were removed here, the row
// says that content has left.
func (a *arrival) Settle(ctx context.Context) error {
	return a.transact(ctx, func(w *writer) error {
		o, seals := &w.owner, w.seals
		last := len(a.row) - 1
		seal, _ := a.row[last].([]byte)
		*o = owner{}
		o.fill(a.row[:last], seal)
		if w.seals = stored.NewSealer(nil); a.Owed { // the seal stays as it came
			w.seals, o.heir = seals, seals.Heir(o.secret, ownersTable.Name, o.values(), o.seal)
			w.leave()
		}
		w.dirty = true
		next := a.Carried
		next.State, next.As, next.Table, next.Key = stored.Settled, stored.Identity(a.row), "", nil
		return a.save(w, next)
	})
}
