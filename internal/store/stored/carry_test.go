package stored

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-memory/satchel/internal/store"
)

func TestHolds(t *testing.T) {
	table := Table{Columns: columns("number ? word W text T? blob B")}
	tests := []struct {
		name   string
		values []any
		want   bool
	}{
		{"all", []any{int64(1), "w", "t", []byte{}}, true},
		{"open", []any{nil, "w", nil, []byte("b")}, true},
		{"bytes in text", []any{nil, "w", "\x00\xff", []byte("b")}, true},
		{"nothing where something is", []any{nil, nil, nil, []byte("b")}, false},
		{"no bytes where some are", []any{nil, "w", nil, []byte(nil)}, false},
		{"text as number", []any{"1", "w", nil, []byte("b")}, false},
		{"real number", []any{1.5, "w", nil, []byte("b")}, false},
		{"bytes as text", []any{nil, "w", []byte("t"), []byte("b")}, false},
		{"text as bytes", []any{nil, "w", nil, "b"}, false},
		{"broken word", []any{nil, "\xff", nil, []byte("b")}, false},
		{"zero byte in word", []any{nil, "w\x00", nil, []byte("b")}, false},
		{"one too few", []any{nil, "w", nil}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := table.Holds(tt.values); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestContinues(t *testing.T) {
	table := Named(OwnersTable)
	row := func(change func([]any)) []any {
		values := make([]any, len(table.Columns)+1)
		for _, column := range given {
			values[table.Place(column)] = int64(5)
		}
		change(values)
		return values
	}
	same := row(func([]any) {})
	if !continues(same, same) {
		t.Error("a row does not continue itself")
	}
	for _, column := range given {
		at := table.Place(column)
		if !continues(row(func(r []any) { r[at] = int64(6) }), same) {
			t.Errorf("%s: more does not continue less", column)
		}
		if continues(row(func(r []any) { r[at] = int64(4) }), same) {
			t.Errorf("%s: less continues more", column)
		}
		if continues(row(func(r []any) { r[at] = "5" }), same) {
			t.Errorf("%s: what is no number continues", column)
		}
	}
	other := slices.Clone(same)
	other[len(other)-1] = []byte("seal")
	if string(digest(same)) == string(digest(other)) {
		t.Error("the digest leaves the seal out")
	}
}

// TestFile compares what is filed for some records with what they say one by one.
func TestFile(t *testing.T) {
	table := Named("records")
	record := func(doc, length int64, words []byte) []any {
		values := make([]any, len(table.Columns)+1)
		values[table.Place("doc")], values[table.Place("length")] = doc, length
		if words != nil {
			values[table.Place("words")] = words
		}
		return values
	}
	got, err := IndexOf([][]any{
		record(254, 3, packEntry(store.Document{Terms: map[string]int{"a": 2, "b\x00": 1}, Digest: []byte("x")}, []string{"a", "b\x00"})),
		record(255, 0, nil),
		record(256, 1, packEntry(store.Document{Terms: map[string]int{"a": 1}, Digest: []byte("x")}, []string{"a"})),
		record(258, 70000, packEntry(store.Document{Terms: map[string]int{"a": 300}, Digest: []byte("x")}, []string{"a"})),
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []Listing{
		{"a", []store.Posting{Posting(254, 2, 3), Posting(256, 1, 1), Posting(258, 255, 65535)}},
		{"b\x00", []store.Posting{Posting(254, 1, 3)}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("filed (-want +got):\n%s", diff)
	}
	if _, err := IndexOf([][]any{record(1, 1, []byte{200})}); !errors.Is(err, store.ErrAltered) {
		t.Errorf("a broken list of terms: got %v, want ErrAltered", err)
	}
}
