package stored

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-memory/satchel/internal/store"
)

// ownersRow makes an owner's row with one number in all counters.
func ownersRow(n int64, moved string) []any {
	t := Named(OwnersTable)
	row := make([]any, len(t.Columns)+1)
	for i, c := range t.Columns {
		switch c.Type {
		case Number:
			row[i] = n
		case Text, Word:
			row[i] = ""
		case Blob:
			row[i] = []byte{}
		}
	}
	row[t.Place("moved")] = moved
	row[len(row)-1] = []byte("seal")
	return row
}

func TestWelcome(t *testing.T) {
	row, other := ownersRow(5, ""), ownersRow(6, "")
	coming := ArrivalRecord{State: Coming, Said: digest(row), Table: "records", Key: PackKey([]any{int64(3)})}
	clearing := ArrivalRecord{State: Clearing, Said: digest(row), Owed: true}
	settled := ArrivalRecord{State: Settled, Said: digest(row), As: Identity(row)}
	begins, anew := ArrivalRecord{State: Coming, Said: digest(row)}, clearing
	cleaned := slices.Clone(row)
	cleaned[Named(OwnersTable).Place("cleaned")] = int64(9)
	settledOther := ArrivalRecord{State: Settled, Said: digest(other), As: Identity(row)}
	tests := []struct {
		name   string
		here   []any
		before *ArrivalRecord
		want   *ArrivalRecord // nil: ErrExists
	}{
		{"nobody is here", nil, nil, &begins},
		{"on the way", nil, &coming, &coming},
		{"former rows are not removed yet", nil, &clearing, &clearing},
		{"on the way as somebody else", nil, &ArrivalRecord{State: Coming, Said: digest(other)}, &anew},
		{"the owner lives here", row, nil, nil},
		{"settled", row, &settled, &settled},
		{"settled and written for", other, &settled, &settled},
		{"settled from another row, nobody has written", row, &settledOther, &anew},
		{"settled from another row, only cleaned since", cleaned, &settledOther, &anew},
		{"settled from another row and written for", other, &settledOther, nil},
		{"went elsewhere", ownersRow(5, "elsewhere x"), nil, &anew},
		{"went elsewhere with more", ownersRow(6, "elsewhere x"), nil, nil},
		{"went elsewhere after settling from another row", ownersRow(4, "elsewhere x"), &settledOther, &anew},
		{"went elsewhere after settling from this row", ownersRow(5, "elsewhere x"), &settled, nil},
		{"goes over to another key", ownersRow(5, "begun did:key:x"), nil, nil},
		{"a row without a purpose", row, &coming, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var before ArrivalRecord
			if tt.before != nil {
				before = *tt.before
			}
			got, err := Welcome(row, tt.here, before, tt.before != nil)
			if tt.want == nil {
				if !errors.Is(err, store.ErrExists) {
					t.Errorf("got %v, %v; want ErrExists", got, err)
				}
				return
			}
			if diff := cmp.Diff(*tt.want, got); diff != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}

func TestPackKey(t *testing.T) {
	for _, key := range [][]any{{}, {int64(0)}, {int64(-1), "a\x00\xff"}, {"", ""}, {"x", int64(1 << 40)}} {
		packed := PackKey(key)
		got, ok := UnpackKey(packed)
		if diff := cmp.Diff(key, got); diff != "" || !ok {
			t.Errorf("%v, ok %v (-want +got):\n%s", key, ok, diff)
		}
		for n := 1; n < len(packed); n++ {
			if short, ok := UnpackKey(packed[:n]); ok && bytes.Equal(PackKey(short), packed) {
				t.Errorf("%v: its first %d bytes are read as all", key, n)
			}
		}
	}
	if _, ok := UnpackKey([]byte("something else")); ok {
		t.Error("something else is read as a key")
	}
}

func TestTallier(t *testing.T) {
	a, b := []any{"s", "a", []byte("0123456789abcdef")}, []any{"s", "b", []byte("0123456789abcdeg")}
	tally := func(rows ...[]any) store.Tally {
		x := NewRowCounter("t")
		for _, row := range rows {
			x.Add(row)
		}
		return x.Tally()
	}
	if tally(a, b) != tally(b, a) {
		t.Error("the order of rows matters")
	}
	if tally(a, b) == tally(a) || tally(a, a) == tally(a, b) {
		t.Error("rows do not matter")
	}
	changed := []any{"s", "c", b[2]}
	if x, y := tally(a, b), tally(a, changed); x.Seals != y.Seals || x.Content == y.Content {
		t.Error("what changes with the seal of old does not show in the content alone")
	}
}
