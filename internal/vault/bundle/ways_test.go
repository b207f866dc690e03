package bundle_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/belief"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
)

// manyEdges is a bundle of two chunks with so many edges, by turns from some of them.
func manyEdges(n, sources int) vaulttest.Bundle {
	b := vaulttest.Bundle{Chunks: []vaulttest.Object{vaulttest.Chunk("0", "one end"), vaulttest.Chunk("1", "the other end")}}
	for i := range n {
		b.Edges = append(b.Edges, vaulttest.Edge(fmt.Sprint(i%sources), "0", vaulttest.Object{"edge_type": fmt.Sprintf("x-%d", i)}))
	}
	return b
}

// TestManyEdgesOfOneRecord: what an edge costs does not grow with how many its
// record has.
func TestManyEdgesOfOneRecord(t *testing.T) {
	racing.Skip(t)
	onEach(t, testManyEdgesOfOneRecord)
}

func testManyEdgesOfOneRecord(t *testing.T, open opener) {
	spent := func(n int) uint64 {
		h := open(t)
		// The batches of this vault are as large as those of the program.
		h.Vault = vault.New(vault.Options{Beliefs: belief.Open, Store: h.Store, Now: vaulttest.Start, Key: h.Holds, Signed: true, Tokens: true, Owner: h.Key.DID(), Producer: "satchel-test"})
		b := manyEdges(n, 2).Open(t)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r, err := h.ImportBrain(h.Ctx, h.Me(), b, aimem.Import{})
		runtime.ReadMemStats(&after)
		if err != nil || r.Edges.Inserted != n {
			t.Fatalf("%d edges: %+v, %v", n, r.Edges, err)
		}
		again, err := h.ImportBrain(h.Ctx, h.Me(), b, aimem.Import{})
		if err != nil || again.Edges.Skipped != n || again.Import != 0 {
			t.Errorf("AIMEM-5.4-1 again: %+v, %v", again, err)
		}
		return after.TotalAlloc - before.TotalAlloc
	}
	few, many := spent(300), spent(1200)
	if many > 8*few {
		t.Errorf("4 times the edges take %d times the memory: %d and %d bytes", many/few, few, many)
	}
}

// TestMoreEdgesThanRelations: a record that is full takes no more relations, and its
// edges stand beside it.
func TestMoreEdgesThanRelations(t *testing.T) {
	racing.Skip(t)
	h := open(t)
	h.TakesIn(vaulttest.Bundle{Chunks: manyEdges(0, 1).Chunks}, aimem.Import{})
	n := aimem.MaxRelations + 300
	b := manyEdges(n, 1)
	if r := h.TakesIn(b, aimem.Import{}); r.Edges.Inserted != n {
		t.Errorf("edges: %+v", r.Edges)
	}
	if got := len(h.MustGet(h.LiveSaying("one end")).Relations); got != aimem.MaxRelations {
		t.Errorf("AIMEM-2.4-1 the record has %d relations, want %d", got, aimem.MaxRelations)
	}
	if r := h.TakesIn(b, aimem.Import{}); r.Edges.Skipped != n || r.Import != 0 {
		t.Errorf("AIMEM-5.4-1 again: %+v", r)
	}
	if got := len(h.Left(aimem.Export{}).Get("edges").Items()); got != n {
		t.Errorf("%d edges leave", got)
	}
	h.Healthy()
}
