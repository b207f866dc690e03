package store_test

import (
	"slices"
	"testing"

	"github.com/satchel-memory/satchel/internal/store"
)

// TestDocumentSorted: the order that is given is kept, unless it does not fit the terms.
func TestDocumentSorted(t *testing.T) {
	terms, want := map[string]int{"b": 1, "a": 2, "c": 3}, []string{"a", "b", "c"}
	for _, order := range [][]string{nil, want, {"a", "b"}} {
		if got := (store.Document{Terms: terms, Order: order}).Sorted(); !slices.Equal(got, want) {
			t.Errorf("given %q, sorted %q", order, got)
		}
	}
}
