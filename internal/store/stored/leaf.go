package stored

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"

	"github.com/satchel-memory/satchel/internal/store"
)

// A leaf holds some hundred postings of a term, however far apart their documents are. It is
// a string of entries:
//
//	the distance to the document before, as a varint
//	how often the document holds the term, one byte
//	the document's length, as a varint
//
// The first of entries that were added together has 0 in place of a distance, and the
// document's number as a varint after it. So entries can be added without reading the leaf.
// Which entries a term has is determined by the terms that records list; where leaves end, and
// which entries were added together, is not.

// LeafSize is how many bytes an open leaf has at least when it is closed. Each addition is
// shorter, so that a leaf stays below twice as many, and several fit in a page of SQLite.
const LeafSize = 448

// AppendLeaf appends postings, in the order of documents, to a leaf.
func AppendLeaf(leaf []byte, postings []store.Posting) []byte {
	before := int64(0)
	for i, p := range postings {
		distance := uint64(p.Document - before)
		if i == 0 {
			leaf = append(leaf, 0)
		}
		leaf = binary.AppendUvarint(leaf, distance)
		leaf = append(leaf, p.Frequency)
		leaf = binary.AppendUvarint(leaf, uint64(p.Length))
		before = p.Document
	}
	return leaf
}

func unpackLeaf(to []store.Posting, leaf []byte) ([]store.Posting, bool) {
	document := uint64(0)
	for i := 0; i < len(leaf); {
		if few := leaf[i:]; i > 0 && len(few) > 3 && document < 1<<40-0x4000 { // most entries have 3 or 4 bytes
			if few[0]-1 < 0x7f && few[2] < 0x80 {
				document += uint64(few[0])
				to = append(to, store.Posting{Document: int64(document), Frequency: few[1], Length: uint16(few[2])})
				i += 3
				continue
			}
			if few[0] >= 0x80 && few[1]-1 < 0x7f && few[3] < 0x80 {
				document += uint64(few[0]&0x7f) | uint64(few[1])<<7
				to = append(to, store.Posting{Document: int64(document), Frequency: few[2], Length: uint16(few[3])})
				i += 4
				continue
			}
		}
		step, n := varint(leaf[i:])
		if i == 0 && step != 0 {
			return to, false
		}
		i += n
		if step == 0 && n > 0 {
			if step, n = varint(leaf[i:]); step <= document {
				return to, false
			}
			i, step = i+n, step-document
		}
		if document += step; n <= 0 || max(step, document) >= 1<<40 || i >= len(leaf) {
			return to, false
		}
		frequency := leaf[i]
		length, n := varint(leaf[i+1:])
		if i += 1 + n; n <= 0 || length > math.MaxUint16 {
			return to, false
		}
		to = append(to, store.Posting{Document: int64(document), Frequency: frequency, Length: uint16(length)})
	}
	return to, true
}

// varint reads a number in its shortest form. n is 0 if there is none.
func varint(b []byte) (v uint64, n int) {
	if len(b) > 0 && b[0] < 0x80 {
		return uint64(b[0]), 1
	}
	if v, n = binary.Uvarint(b); n <= 0 || b[n-1] == 0 {
		return 0, 0
	}
	return v, n
}

// Split parts listings into those that are one leaf each, and longer ones. It returns the least
// document of all.
func Split(listings []Listing) (few, many []Listing, first int64) {
	first = math.MaxInt64
	few = make([]Listing, 0, len(listings))
	for _, l := range listings {
		first = min(first, l.Postings[0].Document)
		if fitting(l.Postings) == len(l.Postings) {
			few = append(few, l)
		} else {
			many = append(many, l)
		}
	}
	return few, many, first
}

// Listing is postings of a term, in the order of documents.
type Listing struct {
	Term     string
	Postings []store.Posting
}

// Leaves cuts postings into leaves. The last one gets the number last; it is as small as what is
// left.
func (l Listing) Leaves(last int64) []IndexRow {
	var leaves []IndexRow
	for left := l.Postings; len(left) > 0; {
		n := fitting(left)
		row := IndexRow{Term: l.Term, Number: last, Entries: AppendLeaf(nil, left[:n])}
		if left = left[n:]; len(left) > 0 {
			row.Number = FirstLeaf + left[0].Document
		}
		leaves = append(leaves, row)
	}
	return leaves
}

// fitting returns how many postings make a leaf.
func fitting(postings []store.Posting) int {
	var entry [2*binary.MaxVarintLen64 + 2]byte
	size := len(AppendLeaf(entry[:0], postings[:1]))
	for i := 1; i < len(postings); i++ {
		n := binary.PutUvarint(entry[:], uint64(postings[i].Document-postings[i-1].Document))
		n += 1 + binary.PutUvarint(entry[:], uint64(postings[i].Length))
		if size += n; size >= LeafSize {
			return i
		}
	}
	return len(postings)
}

// Gathered returns a term's postings out of its rows, each document once. It leaves out those
// that cannot be read any more: a row that is written again loses them, and a check of the store
// misses them, since records list their terms.
func Gathered(term string, rows ...IndexRow) Listing {
	l := Listing{Term: term}
	for _, r := range rows {
		l.Postings, _ = r.Unpack(l.Postings)
	}
	if !ascending(l.Postings) {
		slices.SortStableFunc(l.Postings, func(a, b store.Posting) int { return cmp.Compare(a.Document, b.Document) })
		l.Postings = slices.CompactFunc(l.Postings, func(a, b store.Posting) bool { return a.Document == b.Document })
	}
	return l
}

// PackTerms packs the terms of which an earlier release wrote blocks, among the rows that each
// tells of: at most so many, in the order of the key. pack makes leaves of all rows of a term, and
// returns how many there were. The results are those of Pack of [store.Writer].
func PackTerms(most int, pack func(term string) (rows int, err error), each func(see func(IndexRow)) error) (next string, more bool, err error) {
	var blocks []string
	seen := 0
	err = each(func(r IndexRow) {
		if seen++; next != r.Term+"\x00" && r.IsBlock() { // blocks are the first rows of a term
			blocks = append(blocks, r.Term)
		}
		next = r.Term + "\x00"
	})
	more = seen == most
	for packed, i := 0, 0; err == nil && i < len(blocks); i++ {
		if packed >= most {
			return blocks[i], true, nil
		}
		n := 0
		n, err = pack(blocks[i])
		packed += n
	}
	return next, more, err
}

// With returns the listing with a posting more. One of the same document gives way.
func (l Listing) With(p store.Posting) Listing {
	at, found := l.place(p.Document)
	if l.Postings = slices.Clone(l.Postings); found {
		l.Postings[at] = p
	} else {
		l.Postings = slices.Insert(l.Postings, at, p)
	}
	return l
}

// Without returns the listing without some documents, which are in order.
func (l Listing) Without(documents ...int64) Listing {
	l.Postings = slices.DeleteFunc(slices.Clone(l.Postings), func(p store.Posting) bool {
		_, found := slices.BinarySearch(documents, p.Document)
		return found
	})
	return l
}

// Holds reports whether a document is listed.
func (l Listing) Holds(document int64) bool {
	_, found := l.place(document)
	return found
}

func (l Listing) place(document int64) (int, bool) {
	return slices.BinarySearchFunc(l.Postings, document, func(p store.Posting, d int64) int { return cmp.Compare(p.Document, d) })
}
