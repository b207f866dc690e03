package embed

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/satchel-memory/satchel/internal/racing"
)

// random returns a vector around one of some centres, as those of texts with a few
// subjects are.
func random(t testing.TB, r *rand.Rand, centres [][]float32) Vector {
	x := slices.Clone(centres[r.IntN(len(centres))])
	for i := range x {
		x[i] += float32(r.NormFloat64())
	}
	v, err := quantise(x)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func centres(r *rand.Rand, n, dim int) [][]float32 {
	all := make([][]float32, n)
	for i := range all {
		all[i] = make([]float32, dim)
		for j := range all[i] {
			all[i][j] = float32(r.NormFloat64())
		}
	}
	return all
}

func filled(t testing.TB, n, dim int) (Matrix, Vector) {
	r := rand.New(rand.NewPCG(1, 2))
	subjects := centres(r, 200, dim)
	m := NewMatrix(dim)
	for doc := range n {
		if err := m.Add(int64(doc+1), random(t, r, subjects)); err != nil {
			t.Fatal(err)
		}
	}
	return m, random(t, r, subjects)
}

// TestNearest compares the search with a prefilter to the exact search.
func TestNearest(t *testing.T) {
	racing.Skip(t)
	m, q := filled(t, 30000, 96)
	all := m.Nearest(q, 20, 0, true)
	if len(all) != 20 || !slices.IsSortedFunc(all, func(a, b Match) int { return int(math.Copysign(1, b.Cosine-a.Cosine)) }) {
		t.Fatalf("found %v", all)
	}
	if some := m.Nearest(q, 20, 0, false); !slices.Equal(some, all) {
		t.Errorf("by signs first: %v\nwant %v", some, all)
	}
	for _, match := range m.Nearest(q, 20, all[5].Cosine, true) {
		if match.Cosine <= all[5].Cosine {
			t.Errorf("%v is not above the floor", match)
		}
	}
	kept := m
	smaller := m.Without(map[int64]bool{all[0].Doc: true})
	if got := smaller.Nearest(q, 19, 0, true); smaller.Len() != m.Len()-1 || !slices.Equal(got, all[1:]) {
		t.Errorf("without the first: %v", got)
	}
	if err := m.Add(99999, q); err != nil || kept.Len() != 30000 || m.Nearest(q, 1, 0, false)[0].Doc != 99999 || kept.Nearest(q, 1, 0, false)[0] != all[0] {
		t.Errorf("adding one changes the copy, or is not found: %v", err)
	}
}

func TestVectorBytes(t *testing.T) {
	v, err := quantise([]float32{3, -4, 0, 1e-9})
	if err != nil {
		t.Fatal(err)
	}
	again, err := ParseVector(v.Bytes())
	if err != nil || again.Scale != v.Scale || !slices.Equal(again.Codes, v.Codes) {
		t.Errorf("read %v, want %v; %v", again, v, err)
	}
	if c := cosine(v, v); math.Abs(c-1) > 1e-6 {
		t.Errorf("the length is %v", c)
	}
	for i := range v.Bytes() {
		if cut := v.Bytes()[:i]; i < 6 {
			if _, err := ParseVector(cut); err == nil {
				t.Errorf("read %d bytes", i)
			}
		}
	}
	for name, bad := range map[string][]byte{"layout": {9, 0, 0, 128, 63, 1}, "scale 0": {1, 0, 0, 0, 0, 1}, "scale NaN": {1, 0, 0, 192, 127, 1}, "scale 2": {1, 0, 0, 0, 64, 1}} {
		if _, err := ParseVector(bad); err == nil {
			t.Errorf("%s: read", name)
		}
	}
	inf := float32(math.Inf(1))
	for _, bad := range [][]float32{nil, {0, 0}, {inf, 1}, {float32(math.NaN()), 1}, make([]float32, mostDim+1)} {
		if _, err := quantise(bad); err == nil {
			t.Errorf("quantised %v", bad[:min(len(bad), 3)])
		}
	}
}

func BenchmarkNearest(b *testing.B) {
	for _, n := range []int{10_000, 100_000, 1_000_000} {
		m, q := filled(b, n, 384)
		for _, all := range []bool{false, true} {
			b.Run(fmt.Sprintf("%d/all=%v", n, all), func(b *testing.B) {
				for b.Loop() {
					m.Nearest(q, 32, 0, all)
				}
			})
		}
	}
}
