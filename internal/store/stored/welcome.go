package stored

import (
	"bytes"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/internal/store"
)

// ArrivalRecord is what a store remembers of an owner's arrival from another store.
type ArrivalRecord struct {
	State ArrivalState
	Said  []byte // [digest] of the owner's row in the other store
	As    []byte // [Identity] of the row when it settled
	Owed  bool   // rows of the owner were removed here, so content has left
	Table string // of the last arrived row; "": none
	Key   []byte // of that row, see [PackKey]
}

// ArrivalState is the progress of an arrival.
type ArrivalState string

// The states of an arrival.
const (
	Clearing ArrivalState = "clearing" // former rows are being removed
	Coming   ArrivalState = "coming"   // rows arrive
	Settled  ArrivalState = "settled"  // the owner lives here
)

// Welcome decides how an owner with a row arrives. c is the record of an earlier arrival,
// if known, and here the owner's row in this store, or nil. It returns the new record: the
// arrival continues, has settled already, or begins anew. It fails with [store.ErrExists]
// if that would lose something.
func Welcome(row, here []any, c ArrivalRecord, known bool) (ArrivalRecord, error) {
	said := digest(row)
	same := known && bytes.Equal(said, c.Said)
	anew := ArrivalRecord{State: Clearing, Said: said, Owed: true}
	switch {
	case here == nil && same && c.State != Settled:
		return c, nil
	case here == nil && known:
		return anew, nil
	case here == nil:
		return ArrivalRecord{State: Coming, Said: said}, nil
	case known && c.State != Settled: // a row that no store made
		return c, store.ErrExists
	case same && !away(here):
		return c, nil
	case same: // went on to a third store, as whoever comes again does not know
		return c, store.ErrExists
	case away(here) && continues(row, here):
		return anew, nil
	case known && bytes.Equal(c.As, Identity(here)): // nobody has written for the owner since
		return anew, nil
	}
	return c, store.ErrExists
}

// away reports whether an owner's row says that the owner moved to another store.
func away(row []any) bool {
	moved, _ := row[Named(OwnersTable).Place("moved")].(string)
	word, _, _ := strings.Cut(moved, " ")
	return word == store.Elsewhere
}

// fleeting are the columns of an owner's row that change without a write for the owner,
// when files are cleaned.
var fleeting = [...]string{"erased", "cleaned", "secret"}

// Identity is a digest of the owner's rows and account as the owner's row states them.
func Identity(row []any) []byte {
	t := Named(OwnersTable)
	row = slices.Clone(row[:len(t.Columns)])
	for _, column := range fleeting {
		row[t.Place(column)] = nil
	}
	return digest(row)
}
