package stored

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/satchel-memory/satchel/internal/store"
)

// listing returns postings of documents that are mostly so far apart.
func listing(n int, apart int64) Listing {
	rnd := rand.New(rand.NewPCG(5, uint64(apart)))
	l, document := Listing{Term: "a"}, int64(0)
	for range n {
		document += 1 + rnd.Int64N(2*apart)
		l.Postings = append(l.Postings, Posting(document, rnd.IntN(400), rnd.IntN(1<<(3+rnd.IntN(16)))))
	}
	return l
}

// TestLeaf cuts postings into leaves and blocks, and gathers them again.
func TestLeaf(t *testing.T) {
	for _, apart := range []int64{1, 3, 100, 5000, 1 << 28} {
		for _, n := range []int{1, 2, 100, 1000} {
			l := listing(n, apart)
			leaves := l.Leaves(OpenLeaf)
			least := int64(0)
			for i, r := range leaves {
				postings, ok := r.Unpack(nil)
				if next, inOrder := r.Follow(postings, least); !ok || !inOrder {
					t.Fatalf("leaf %d of %d, %d apart: %v, %v", i, len(leaves), apart, ok, inOrder)
				} else if least = next; len(r.Entries) >= LeafSize || i < len(leaves)-1 && len(r.Entries) < LeafSize-20 {
					t.Errorf("leaf %d of %d has %d bytes", i, len(leaves), len(r.Entries))
				}
			}
			few, many, first := Split([]Listing{l})
			if len(few)+len(many) != 1 || (len(few) == 1) != (len(leaves) == 1) || first != l.Postings[0].Document {
				t.Errorf("%d leaves: %d, %d, %d", len(leaves), len(few), len(many), first)
			}
			for _, rows := range [][]IndexRow{leaves, l.Blocks()} {
				if got := Gathered("a", rows...); !slices.Equal(got.Postings, l.Postings) {
					t.Errorf("%d, %d apart: got %v", n, apart, got)
				}
				slices.Reverse(rows)
				if got := Gathered("a", append(rows, rows...)...); !slices.Equal(got.Postings, l.Postings) {
					t.Errorf("%d, %d apart, twice and in disorder: got %v", n, apart, got)
				}
			}
		}
	}
	if rows := (Listing{Term: "a"}).Leaves(OpenLeaf); len(rows) > 0 {
		t.Errorf("no postings are %v", rows)
	}
}

// TestLeafAdded adds to a leaf without reading it.
func TestLeafAdded(t *testing.T) {
	l := listing(100, 20)
	var leaf []byte
	for added := range slices.Chunk(l.Postings, 7) {
		leaf = append(leaf, AppendLeaf(nil, added)...)
	}
	got, ok := IndexRow{Number: OpenLeaf, Entries: leaf}.Unpack(nil)
	if !ok || !slices.Equal(got, l.Postings) {
		t.Errorf("got %v, %v", got, ok)
	}
}

// TestLeafRefused reads what no release writes.
func TestLeafRefused(t *testing.T) {
	for name, row := range map[string]IndexRow{
		"no number":             {Number: OpenLeaf, Entries: []byte{0}},
		"document 0":            {Number: OpenLeaf, Entries: []byte{0, 0, 1, 1}},
		"no frequency":          {Number: OpenLeaf, Entries: []byte{0, 5}},
		"no length":             {Number: OpenLeaf, Entries: []byte{0, 5, 1}},
		"half a length":         {Number: OpenLeaf, Entries: []byte{0, 5, 1, 0x80}},
		"a distance first":      {Number: OpenLeaf, Entries: []byte{5, 1, 1}},
		"the same document":     {Number: OpenLeaf, Entries: []byte{0, 5, 1, 1, 0, 5, 1, 1}},
		"a document before":     {Number: OpenLeaf, Entries: []byte{0, 5, 1, 1, 0, 4, 1, 1}},
		"a long number":         {Number: OpenLeaf, Entries: []byte{0, 0x85, 0, 1, 1}},
		"a long length":         {Number: OpenLeaf, Entries: []byte{0, 5, 1, 0x80, 0x80, 0x04}},
		"a document too high":   {Number: OpenLeaf, Entries: []byte{0, 0x80, 0x80, 0x80, 0x80, 0x80, 0x20, 1, 1}},
		"a distance too high":   {Number: OpenLeaf, Entries: []byte{0, 0xff, 0xff, 0xff, 0xff, 0xff, 0x1f, 1, 1, 1, 1, 1}},
		"a distance around":     {Number: OpenLeaf, Entries: []byte{0, 5, 1, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 1, 1}},
		"not below its number":  {Number: FirstLeaf + 5, Entries: []byte{0, 5, 1, 1}},
		"beyond the open leaf":  {Number: OpenLeaf + 1, Entries: []byte{0, 5, 1, 1}},
		"half an entry":         {Number: 3, Entries: []byte{1, 1, 1}},
		"a block in disorder":   {Number: 3, Entries: []byte{2, 1, 1, 0, 1, 1, 1, 0}},
		"a block with the same": {Number: 3, Entries: []byte{2, 1, 1, 0, 2, 1, 1, 0}},
	} {
		if got, ok := row.Unpack(nil); ok {
			t.Errorf("%s: read %v", name, got)
		}
	}
}

func FuzzLeaf(f *testing.F) {
	for _, apart := range []int64{1, 100, 5000} {
		f.Add(AppendLeaf(nil, listing(9, apart).Postings))
	}
	f.Fuzz(func(t *testing.T, leaf []byte) {
		got, ok := IndexRow{Number: OpenLeaf, Entries: leaf}.Unpack(nil)
		if !ascending(got) {
			t.Errorf("read %v", got)
		}
		if again, _ := (IndexRow{Number: OpenLeaf, Entries: AppendLeaf(nil, got)}).Unpack(nil); ok && len(got) > 0 && !slices.Equal(again, got) {
			t.Errorf("read %v, and then %v", got, again)
		}
	})
}

// BenchmarkLeaf reads ten thousand postings, of documents as short as most memories are and of
// any length.
func BenchmarkLeaf(b *testing.B) {
	for _, apart := range []int64{10, 100} {
		for _, words := range []int{60, 1 << 16} {
			l := listing(10_000, apart)
			for i := range l.Postings {
				l.Postings[i].Length %= uint16(words - 1)
			}
			rows := l.Leaves(OpenLeaf)
			b.Run(fmt.Sprintf("%d apart, %d words", apart, words), func(b *testing.B) {
				var found []store.Posting
				for b.Loop() {
					found = found[:0]
					for _, r := range rows {
						found, _ = r.Unpack(found)
					}
				}
			})
		}
	}
}
