package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
	"github.com/satchel-memory/satchel/memory"
)

// ownerTx is a transaction on the rows of one owner.
type ownerTx struct {
	tx      *tx
	ctx     context.Context
	did     memory.DID
	id      ownerID
	owner   stored.Owner
	runs    stored.Runs         // staged documents
	taught  *bool               // whether the owner has lessons; nil: not known
	docs    map[memory.ID]int64 // number of the document with an id, as far as known; 0: none
	ahead   ahead               // what is known of terms, see ahead
	writes  bool                // in an Update
	leaves  bool                // all programs can read leaves
	ended   bool
	carries bool                  // it may work on an arriving owner
	sealer  func() *stored.Sealer // of the owner; nil: not known yet
}

var _ stored.Tx = (*ownerTx)(nil)

var errEnded = errors.New("a Reader or Writer was used after its function had returned")

func (x *ownerTx) end() { x.ended = true }

// Ready refuses calls after the end of the transaction.
func (x *ownerTx) Ready() error {
	if x.ended {
		return &memory.Error{Kind: memory.Internal, Op: "read", Err: errEnded}
	}
	return x.ctx.Err()
}

// OwnerRow returns the owner's row.
func (x *ownerTx) OwnerRow() *stored.Owner { return &x.owner }

// Secret returns the sealer of the owner, or nil if the secret is not at hand, so
// that changes cannot be found.
func (x *ownerTx) Secret() *stored.Sealer {
	if x.sealer == nil {
		return nil
	}
	if seals := x.sealer(); seals.Keyed {
		return seals
	}
	return nil
}

// Key returns the index key of a text.
func (x *ownerTx) Key(text string) string { return short(text) }

// Document returns the number of a record, staged or not.
func (x *ownerTx) Document(id memory.ID) (int64, error) {
	if doc, known := x.docs[id]; known {
		if doc == 0 {
			return 0, x.missing()
		}
		return doc, x.Ready()
	}
	var doc int64
	err := x.first(selectDoc, []any{short(id)}, &doc)
	if err == nil || err == store.ErrNotFound {
		x.know(id, doc)
	}
	return doc, err
}

const selectDoc = `SELECT doc FROM records WHERE owner = $1 AND by_id = $2`

// missing returns the error for a row that does not exist.
func (x *ownerTx) missing() error {
	if err := x.Ready(); err != nil {
		return err
	}
	return store.ErrNotFound
}

// know remembers the number of the document with an id; 0: none.
func (x *ownerTx) know(id memory.ID, doc int64) {
	if x.docs == nil {
		x.docs = make(map[memory.ID]int64)
	}
	x.docs[id] = doc
}

// Query is each, for the code that all stores share.
func (x *ownerTx) Query(query string, args []any, scan func(stored.Scanner) error) error {
	return x.each(query, args, func(rows pgx.Rows) error { return scan(rows) })
}

// Whole is Query for rows of a table.
func (x *ownerTx) Whole(name, query string, args []any, row func(stored.TableRow) error, more ...any) error {
	t := tableOf(name)
	return x.each(query, args, func(rows pgx.Rows) error {
		r, err := t.scan(rows, more...)
		if err != nil {
			return err
		}
		return row(r)
	})
}

// Find reads a row by its key.
func (x *ownerTx) Find(name string, key ...any) (stored.TableRow, error) {
	return x.whole(tableOf(name), key...)
}

// whole is Find for a table.
func (x *ownerTx) whole(t *table, key ...any) (r stored.TableRow, err error) {
	err = x.all(t.statement(&r, key...))
	if err == nil && r.Values == nil {
		err = store.ErrNotFound
	}
	return r, err
}

// each runs a query and calls scan for each of its rows. It puts the owner, $1,
// before args. Queued statements go to the server first, in the same round trip. scan
// must not run another query.
func (x *ownerTx) each(query string, args []any, scan func(pgx.Rows) error) error {
	return x.all(statement{query: query, args: args, scan: scan})
}

// first scans the first row of a query, or returns [store.ErrNotFound].
func (x *ownerTx) first(query string, args []any, into ...any) error {
	return stored.First(x, query, args, into...)
}

// all runs several queries in one round trip, in their order.
func (x *ownerTx) all(list ...statement) error {
	if err := x.Ready(); err != nil {
		return err
	}
	return x.tx.send(x.ctx, "read", x.named(list)...)
}

// named puts the owner before the arguments of statements.
func (x *ownerTx) named(list []statement) []statement {
	for i, st := range list {
		list[i].args = append([]any{[16]byte(x.id)}, outgoing(append([]any(nil), st.args...))...)
	}
	return list
}
