package bundle_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
)

// TestOrderOfChunks: chunks of one time leave in the order of their ids, in which
// order ever they came.
func TestOrderOfChunks(t *testing.T) {
	racing.Skip(t)
	onEach(t, testOrderOfChunks)
}

func testOrderOfChunks(t *testing.T, open opener) {
	for what, size := range map[string]int{"few": 10, "more than is held": 40_000} {
		t.Run("AIMEM-4-4 AIMEM-2.3-10 "+what, func(t *testing.T) {
			var b vaulttest.Bundle
			for i := range 70 {
				b.Chunks = append(b.Chunks, vaulttest.Chunk(fmt.Sprint(i), fmt.Sprint(i, strings.Repeat("y", size)), vaulttest.Object{"created_at": "2026-04-01T09:00:00.0000001Z"}))
			}
			b.Chunks = append(b.Chunks, vaulttest.Chunk("first", "first", vaulttest.Object{"created_at": "2026-04-01T09:00:00Z"}), vaulttest.Chunk("last", "last", vaulttest.Object{"created_at": "2026-04-01T09:00:00.000001Z"}))
			one, other := open(t), open(t)
			one.TakesIn(b, aimem.Import{})
			slices.Reverse(b.Chunks)
			other.TakesIn(b, aimem.Import{})
			got, want := one.Left(aimem.Export{}), other.Left(aimem.Export{})
			if !canon.Equal(got.Get("chunks"), want.Get("chunks")) {
				t.Error("two stores with the same give it in two orders")
			}
			var ids []string
			for _, c := range got.Get("chunks").Items() {
				ids = append(ids, c.Get("id").Text())
			}
			texts := got.Contents()
			if len(ids) != 72 || !slices.IsSorted(ids[1:71]) || texts[0] != "first" || texts[71] != "last" {
				t.Errorf("%d chunks, %v", len(ids), ids)
			}
		})
	}
}
