package sqlite

import (
	"context"
	"database/sql"
	"errors"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
	"github.com/satchel-memory/satchel/memory"
)

// ownerTx is a transaction on the rows of one owner.
type ownerTx struct {
	known
	c      *conn
	ctx    context.Context
	tail   tail                  // documents that are not in the index yet
	sealer func() *stored.Sealer // of the owner; nil: not known yet
	writes bool                  // in an Update
	ended  bool
}

// known is what a transaction knows of its owner. A reader's connection keeps that for its
// next transaction, as long as nobody has changed the file; see [Store.begin]. It holds no
// content.
type known struct {
	did    memory.DID
	owner  owner       // the zero owner has no rows
	runs   stored.Runs // staged documents, once they are known
	knows  bool        // runs is filled in
	taught *bool       // whether the owner has lessons; nil: not known
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
func (x *ownerTx) OwnerRow() *stored.Owner { return &x.owner.Owner }

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

// Key returns the text itself, which is the whole index key.
func (x *ownerTx) Key(text string) string { return text }

// Document returns the number of a record, staged or not.
func (x *ownerTx) Document(id memory.ID) (int64, error) {
	doc, err := x.find(id)
	return number(doc), err
}

// find returns the key of a record, staged or not.
func (x *ownerTx) find(id memory.ID) (int64, error) {
	var doc int64
	err := x.first(selectDoc, []any{x.owner.number, string(id)}, &doc)
	return doc, err
}

const selectDoc = `SELECT doc FROM records WHERE owner = ? AND id = ?`

// Query runs a query whose first parameter is the number of the owner.
func (x *ownerTx) Query(query string, args []any, scan func(stored.Scanner) error) error {
	return x.each(query, x.owned(args), func(rows *sql.Rows) error { return scan(rows) })
}

// owned puts the number of the owner before arguments.
func (x *ownerTx) owned(args []any) []any {
	return append(append(make([]any, 0, 1+len(args)), x.owner.number), args...)
}

// Whole is Query for rows of a table.
func (x *ownerTx) Whole(name, query string, args []any, row func(stored.TableRow) error, more ...any) error {
	t := tableOf(name)
	return x.each(query, x.owned(args), func(rows *sql.Rows) error {
		r, err := t.scan(rows.Scan, more...)
		if err != nil {
			return err
		}
		return row(r.TableRow)
	})
}

// Find reads a row by its key.
func (x *ownerTx) Find(name string, key ...any) (stored.TableRow, error) {
	r, err := x.whole(tableOf(name), key...)
	return r.TableRow, err
}

// whole is Find for a table.
func (x *ownerTx) whole(t *table, key ...any) (fileRow, error) {
	return t.scan(func(into ...any) error { return x.first(t.row, t.by(x.owner.number, key), into...) })
}

// each runs a query and calls scan for each of its rows.
func (x *ownerTx) each(query string, args []any, scan func(*sql.Rows) error) error {
	if err := x.Ready(); err != nil {
		return err
	}
	return translate("read", x.c.each(query, args, scan))
}

// values calls read for each row of a query until it returns errEnough, see [conn.values].
func (x *ownerTx) values(query string, args []any, read func([]any) error) error {
	if err := x.Ready(); err != nil {
		return err
	}
	if err := x.c.values(query, args, read); err != errEnough {
		return translate("read", err)
	}
	return nil
}

// first scans the first row of a query, or returns [store.ErrNotFound].
func (x *ownerTx) first(query string, args []any, into ...any) error {
	if err := x.Ready(); err != nil {
		return err
	}
	err := x.c.first(query, args, into...)
	if errors.Is(err, sql.ErrNoRows) {
		return store.ErrNotFound
	}
	return translate("read", err)
}

// identify finds the owner's row. An owner without one has no rows anywhere, or is
// arriving, see [store.Carrier].
func (x *ownerTx) identify() error {
	err := x.c.first(selectOwner, []any{string(x.did)}, x.owner.fields()...)
	if errors.Is(err, sql.ErrNoRows) {
		return refuseArriving(x.c, x.did)
	}
	if err != nil {
		return translate("read", err)
	}
	x.owner.Known, x.owner.DID = true, string(x.did)
	return nil
}

var selectOwner = `SELECT owner, ` + ownersTable.fields() + `, seal FROM owners WHERE did = ?`
