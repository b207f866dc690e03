package postgres

import (
	"encoding/binary"
	"hash/maphash"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/satchel-memory/satchel/internal/store/stored"
)

// indexCheck compares the index of an owner, which it reads once, with the terms that
// records list. A change of any byte of the index makes some sum wrong.
type indexCheck struct {
	*ownerCheck
	indexed map[int64]uint64 // by document: the sum of the hashes of the terms the index has for it
	counts  map[uint64]int64 // by hash of a term: documents that hold it, less the number that table terms says
	stray   int              // postings of no record
	odd     int              // rows of an invalid form
}

// index checks the owner's index.
func (o *ownerCheck) index() error {
	x := indexCheck{ownerCheck: o, indexed: make(map[int64]uint64), counts: make(map[uint64]int64)}
	if err := x.postings(); err != nil {
		return err
	}
	if err := x.terms(); err != nil {
		return err
	}
	unlike, wrong := 0, 0
	for doc, sum := range o.lists {
		if x.indexed[doc] != sum {
			unlike++
		}
	}
	for _, more := range x.counts {
		if more != 0 {
			wrong++
		}
	}
	for _, f := range []struct {
		count int
		what  string
	}{
		{unlike, "%d records are indexed under other terms than they list"},
		{x.stray, "%d postings name documents that do not exist"},
		{wrong, "%d terms occur in another number of documents than is said"},
		{x.odd, "%d rows of the index are not as satchel writes them"},
	} {
		if f.count > 0 {
			o.report(f.what, f.count)
		}
	}
	return nil
}

// postings reads table postings.
func (x *indexCheck) postings() error {
	return x.each(`SELECT term, block, entries FROM postings WHERE owner = $1`, nil, func(rows pgx.Rows) error {
		var b stored.Block
		err := rows.Scan(&b.Term, &b.Number, &b.Entries)
		x.block(b)
		return err
	})
}

func (x *indexCheck) block(b stored.Block) {
	if len(b.Entries) == 0 || !stored.Ascending(b.Entries) {
		x.odd++
		return
	}
	hash := x.check.hash(b.Term)
	x.counts[hash] += int64(len(b.Entries) / stored.EntrySize)
	for e := range slices.Chunk(b.Entries, stored.EntrySize) {
		doc := b.Number*stored.BlockSize + int64(e[0])
		if _, there := x.lists[doc]; !there {
			x.stray++
			continue
		}
		x.indexed[doc] += x.check.posting(hash, e[1:])
	}
}

// terms reads table terms.
func (x *indexCheck) terms() error {
	return x.each(`SELECT term, documents FROM terms WHERE owner = $1`, nil, func(rows pgx.Rows) error {
		var term string
		var documents int64
		err := rows.Scan(&term, &documents)
		if documents <= 0 {
			x.odd++
		}
		x.counts[x.check.hash(term)] -= documents
		return err
	})
}

func (x *check) hash(term string) uint64 { return maphash.String(x.seed, term) }

// posting hashes the term of a posting with all its fields except the document.
func (x *check) posting(term uint64, rest []byte) uint64 {
	return maphash.Comparable(x.seed, [2]uint64{term, uint64(rest[0])<<16 | uint64(binary.LittleEndian.Uint16(rest[1:]))})
}

// listSum returns the sum that the index should have for a record.
func (x *check) listSum(length int64, packed []byte) uint64 {
	terms, ok := stored.UnpackTerms(packed)
	if !ok {
		return maphash.Bytes(x.seed, packed) // equal to no other sum
	}
	sum := uint64(0)
	for _, t := range terms {
		e := stored.Entry(0, int(t.Frequency), int(length))
		sum += x.posting(x.hash(short(t.Term)), e[1:])
	}
	return sum
}
