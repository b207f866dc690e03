package stored

import (
	"bytes"
	"slices"
	"testing"
)

// TestLateColumn expects that owners who have never had an attachment keep the seals
// that their rows had before these were counted, and that nobody else does.
func TestLateColumn(t *testing.T) {
	row := ownersRow(5, "")
	row = row[:len(row)-1]
	before := slices.Delete(slices.Clone(row), placeAttached, placeAttached+1)
	seals := NewSealer([]byte("secret"))
	old := seals.Seal(OwnersTable, before)
	row[placeAttached] = int64(0)
	if got := seals.Seal(OwnersTable, row); !bytes.Equal(got, old) {
		t.Errorf("%x, and before the column came %x", got, old)
	}
	if got := seals.Seal("records", row); bytes.Equal(got, seals.Seal("records", before)) {
		t.Error("a column of another table is left out")
	}
	for _, v := range []any{int64(1), nil, "", []byte{}, float64(0)} {
		row[placeAttached] = v
		if got := seals.Seal(OwnersTable, row); bytes.Equal(got, old) {
			t.Errorf("%v is sealed as nothing", v)
		}
	}
}

// TestLateUnits expects the same of imports of documents that have no units.
func TestLateUnits(t *testing.T) {
	row := []any{int64(1), "digest", "format", "name", int64(2), "published", int64(0), int64(3), int64(4), int64(0), nil}
	before := slices.Delete(slices.Clone(row), placeUnits, placeUnits+1)
	seals := NewSealer([]byte("secret"))
	old := seals.Seal("imports", before)
	if got := seals.Seal("imports", row); !bytes.Equal(got, old) {
		t.Errorf("%x, and before the column came %x", got, old)
	}
	row[placeUnits] = int64(1)
	if got := seals.Seal("imports", row); bytes.Equal(got, old) {
		t.Error("one unit is sealed as none")
	}
}

// TestLateDeparture expects the same of checkpoints that never left, and that for whom and
// to where one left are told apart.
func TestLateDeparture(t *testing.T) {
	row := func(at int64, bound, address string) []any {
		return []any{"x", "a", "run", "paused", "elsewhere", int64(1), int64(2), at, bound, address, []byte("{}")}
	}
	before := slices.Delete(row(0, "", ""), placeDeparted, placeAddress+1)
	seals := NewSealer([]byte("secret"))
	old := seals.Seal("states", before)
	if got := seals.Seal("states", row(0, "", "")); !bytes.Equal(got, old) {
		t.Errorf("%x, and before the columns came %x", got, old)
	}
	seen := [][]byte{old}
	for _, left := range [][]any{row(7, "", ""), row(7, "b", ""), row(7, "", "b"), row(7, "b", "b"), row(0, "b", "")} {
		seal := seals.Seal("states", left)
		if slices.ContainsFunc(seen, func(other []byte) bool { return bytes.Equal(other, seal) }) {
			t.Errorf("%v is sealed as another", left[placeDeparted:placeAddress+1])
		}
		seen = append(seen, seal)
	}
}
