package embed

import (
	"cmp"
	"math/bits"
	"slices"
)

// Matrix holds the vectors of many documents. Its search compares the signs of all vectors
// with the question's first, and computes exactly with those that agree most. A copy of a
// Matrix stays as it is while vectors are added to the original.
type Matrix struct {
	dim    int
	docs   []int64
	scales []float32
	codes  []int8   // dim for each document
	signs  []uint64 // words() for each document: bit i is set if component i is positive
}

// Match is a document and the cosine of its vector and the question's.
type Match struct {
	Doc    int64
	Cosine float64
}

// NewMatrix returns an empty matrix of vectors with dim components.
func NewMatrix(dim int) Matrix { return Matrix{dim: dim} }

// Len returns the number of documents.
func (m *Matrix) Len() int { return len(m.docs) }

// Bytes returns about how much memory the matrix takes.
func (m *Matrix) Bytes() int { return len(m.docs) * (m.dim + 8*m.words() + 12) }

func (m *Matrix) words() int { return (m.dim + 63) / 64 }

// Add adds a document's vector. It fails if that has another number of components.
func (m *Matrix) Add(doc int64, v Vector) error {
	if len(v.Codes) != m.dim {
		return ErrDimension
	}
	m.docs, m.scales, m.codes = append(m.docs, doc), append(m.scales, v.Scale), append(m.codes, v.Codes...)
	m.signs = appendSigns(m.signs, v.Codes)
	return nil
}

func appendSigns(to []uint64, codes []int8) []uint64 {
	for part := range slices.Chunk(codes, 64) {
		word := uint64(0)
		for i, c := range part {
			if c > 0 {
				word |= 1 << i
			}
		}
		to = append(to, word)
	}
	return to
}

// Without returns a matrix without some documents. It shares nothing with m.
func (m *Matrix) Without(gone map[int64]bool) Matrix {
	left := NewMatrix(m.dim)
	for i, doc := range m.docs {
		if !gone[doc] {
			left.docs, left.scales = append(left.docs, doc), append(left.scales, m.scales[i])
			left.codes = append(left.codes, m.codesOf(i)...)
			left.signs = append(left.signs, m.signs[i*m.words():(i+1)*m.words()]...)
		}
	}
	return left
}

func (m *Matrix) codesOf(i int) []int8 { return m.codes[i*m.dim : (i+1)*m.dim] }

// The search computes exactly with at least leastExact documents, and with a part of many.
const (
	leastExact = 4096
	exactPart  = 64
)

// Nearest returns the most documents closest to a question's vector, those with a cosine
// above floor, closest first; ties go to the later document. With all, it computes exactly
// with every document, so that the result for a part of the documents does not depend on
// the others.
func (m *Matrix) Nearest(q Vector, most int, floor float64, all bool) []Match {
	if len(q.Codes) != m.dim {
		return nil
	}
	var found []Match
	for _, i := range m.candidates(q, all) {
		c := float64(dot(m.codesOf(i), q.Codes)) * (float64(m.scales[i]) * float64(q.Scale))
		if c > floor {
			found = append(found, Match{m.docs[i], c})
		}
	}
	slices.SortFunc(found, func(a, b Match) int { return cmp.Or(cmp.Compare(b.Cosine, a.Cosine), cmp.Compare(b.Doc, a.Doc)) })
	return found[:min(len(found), most)]
}

// candidates returns the places of the documents to compute exactly with: all, or those
// whose signs differ least from the question's. Documents with equally many differences are
// in or out together.
func (m *Matrix) candidates(q Vector, all bool) []int {
	n := len(m.docs)
	if all || n <= leastExact {
		places := make([]int, n)
		for i := range places {
			places[i] = i
		}
		return places
	}
	signs, words := appendSigns(nil, q.Codes), m.words()
	differing := make([]uint16, n)
	counts := make([]int, m.dim+1)
	for i, rest := 0, m.signs; i < n; i, rest = i+1, rest[words:] {
		d, row := 0, rest[:len(signs)]
		for w, word := range row {
			d += bits.OnesCount64(word ^ signs[w])
		}
		differing[i] = uint16(d)
		counts[d]++
	}
	limit, kept := 0, counts[0]
	for kept < max(leastExact, n/exactPart) && limit < m.dim {
		limit++
		kept += counts[limit]
	}
	places := make([]int, 0, kept)
	for i, d := range differing {
		if int(d) <= limit {
			places = append(places, i)
		}
	}
	return places
}
