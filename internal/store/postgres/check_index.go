package postgres

import (
	"hash/maphash"
	"math"

	"github.com/jackc/pgx/v5"

	"github.com/satchel-memory/satchel/internal/store"
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
	term, least := "", int64(0)
	var postings []store.Posting
	return x.each(selectAllPostings, nil, func(rows pgx.Rows) error {
		var r stored.IndexRow
		err := rows.Scan(&r.Term, &r.Number, &r.Entries)
		if r.Term != term {
			term, least = r.Term, math.MinInt64
		}
		inOrder, ok := false, false
		if postings, ok = r.Unpack(postings[:0]); ok && len(postings) > 0 {
			x.row(term, postings)
			least, inOrder = r.Follow(postings, least)
		}
		if !inOrder {
			x.odd++
		}
		return err
	})
}

const selectAllPostings = `SELECT term, block, entries FROM postings WHERE owner = $1 ORDER BY term, block`

func (x *indexCheck) row(term string, postings []store.Posting) {
	hash := x.check.hash(term)
	x.counts[hash] += int64(len(postings))
	for _, p := range postings {
		if _, there := x.lists[p.Document]; !there {
			x.stray++
			continue
		}
		x.indexed[p.Document] += x.check.posting(hash, p)
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
func (x *check) posting(term uint64, p store.Posting) uint64 {
	return maphash.Comparable(x.seed, [2]uint64{term, uint64(p.Frequency)<<16 | uint64(p.Length)})
}

// listSum returns the sum that the index should have for a record.
func (x *check) listSum(length int64, packed []byte) uint64 {
	terms, ok := stored.UnpackTerms(packed)
	if !ok {
		return maphash.Bytes(x.seed, packed) // equal to no other sum
	}
	sum := uint64(0)
	for _, t := range terms {
		sum += x.posting(x.hash(short(t.Term)), stored.Posting(0, int(t.Frequency), int(length)))
	}
	return sum
}
