package stored

import (
	"bytes"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/internal/store"
)

// ArrivalRecord is what a store remembers of how an owner came from another store.
type ArrivalRecord struct {
	State ArrivalState
	Said  []byte // [Digest] of the owner's row as the other store had it
	As    []byte // [Identity] of the row as it was settled
	Owed  bool   // rows of the owner were removed here, so that content has left
	Table string // of the last row that has arrived; "": none has
	Key   []byte // of that row, see [PackKey]
}

// ArrivalState is how far an owner has come.
type ArrivalState string

// The states of an arrival.
const (
	Clearing ArrivalState = "clearing" // former rows are being removed, before any arrives
	Coming   ArrivalState = "coming"   // rows arrive
	Settled  ArrivalState = "settled"  // the owner lives here
)

// Welcome says what becomes of an owner who comes with a row: c is what is
// remembered of an arrival, if there was one, and here the owner's row in this
// store, nil where the owner does not live here. It returns what is to be remembered
// from now on: the owner goes on, has settled already, or begins anew. It fails with
// [store.ErrExists] where that would lose something.
func Welcome(row, here []any, c ArrivalRecord, known bool) (ArrivalRecord, error) {
	said := Digest(row)
	same := known && bytes.Equal(said, c.Said)
	anew := ArrivalRecord{State: Clearing, Said: said, Owed: true}
	switch {
	case here == nil && same && c.State != Settled:
		return c, nil
	case here == nil && known:
		return anew, nil
	case here == nil:
		return ArrivalRecord{State: Coming, Said: said}, nil
	case known && c.State != Settled: // a row that nobody can have made
		return c, store.ErrExists
	case same && !away(here):
		return c, nil
	case same: // went on to a third store, as whoever comes again does not know
		return c, store.ErrExists
	case away(here) && Continues(row, here):
		return anew, nil
	case known && bytes.Equal(c.As, Identity(here)): // nobody has written for the owner since
		return anew, nil
	}
	return c, store.ErrExists
}

// away reports whether an owner's row says that the owner went to another store.
func away(row []any) bool {
	moved, _ := row[Named(OwnersTable).Place("moved")].(string)
	word, _, _ := strings.Cut(moved, " ")
	return word == store.Elsewhere
}

// fleeting are the columns of an owner's row that change although nobody writes for
// the owner, when files are cleaned.
var fleeting = [...]string{"erased", "cleaned", "secret"}

// Identity is a digest of what an owner's row says of the owner's rows and account.
func Identity(row []any) []byte {
	t := Named(OwnersTable)
	row = slices.Clone(row[:len(t.Columns)])
	for _, column := range fleeting {
		row[t.Place(column)] = nil
	}
	return Digest(row)
}
