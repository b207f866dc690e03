package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"hash/maphash"
	"maps"
	"math"
	"slices"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
)

// checkIndex reads the whole index once, in its order, and compares it with the terms
// that records list. A change of any byte of the index makes some sum wrong.
func checkIndex(ctx context.Context, c *conn) ([]string, error) {
	x := indexCheck{
		seed: maphash.MakeSeed(), listed: make(map[int64]uint64), indexed: make(map[int64]uint64),
		stray: make(map[int64]int), wrong: make(map[int64]int),
		tail: make(map[int64]bool), damaged: make(map[int64]bool),
	}
	if err := x.lists(c); err != nil {
		return nil, err
	}
	err := c.each(selectAllPostings, nil, func(rows *sql.Rows) error { return errors.Join(x.row(rows), ctx.Err()) })
	x.finish()
	odd := []string{}
	if x.odd > 0 {
		odd = append(odd, fmt.Sprintf("table postings: %d rows are not as satchel writes them", x.odd))
	}
	return slices.Concat(
		perOwner("owner %d: %d records are indexed under other terms than they list", x.unlike()),
		perOwner("owner %d: %d postings name documents that do not exist", x.stray),
		perOwner("owner %d: %d terms occur in another number of documents than is said", x.wrong),
		odd,
	), err
}

// The last column says whether the values have the types that satchel writes.
const selectAllPostings = `SELECT owner, term, block, documents, entries,
	typeof(owner) || typeof(term) || typeof(block) || typeof(documents) = 'integertextintegerinteger' AND
	typeof(entries) IN ('blob', iif(block = ` + tally + `, 'null', 'blob'))
	FROM postings ORDER BY owner, term, block`

// perOwner words the count of each owner, in the order of owners.
func perOwner(finding string, counts map[int64]int) []string {
	var findings []string
	for _, owner := range slices.Sorted(maps.Keys(counts)) {
		findings = append(findings, fmt.Sprintf(finding, owner, counts[owner]))
	}
	return findings
}

// indexCheck holds the state of a check of the index.
type indexCheck struct {
	seed    maphash.Seed
	listed  map[int64]uint64 // by keys of records: the sum of the hashes of the terms they list
	indexed map[int64]uint64 // the same for the terms that the index has for them
	stray   map[int64]int    // per owner: postings of no record
	wrong   map[int64]int    // per owner: terms with a wrong tally
	tail    map[int64]bool   // keys of records that are not indexed yet
	damaged map[int64]bool   // keys of records whose list cannot be read
	odd     int              // rows of an invalid form

	owner int64 // the current term
	term  string
	hash  uint64
	said  int64
	found int64
	least int64 // the lowest number that the next document may have

	postings []store.Posting // of the current row
}

func (x *indexCheck) row(rows *sql.Rows) error {
	var as [5]any
	var typed bool
	if err := rows.Scan(&as[0], &as[1], &as[2], &as[3], &as[4], &typed); err != nil {
		return err
	}
	if !typed {
		if !x.tailRow(as) {
			x.odd++
		}
		return nil
	}
	r := stored.IndexRow{Term: as[1].(string), Number: as[2].(int64)}
	r.Entries, _ = as[4].([]byte)
	if owner := as[0].(int64); owner != x.owner || r.Term != x.term {
		x.finish()
		x.owner, x.term, x.hash, x.said, x.found, x.least = owner, r.Term, maphash.String(x.seed, r.Term), 0, 0, math.MinInt64
	}
	if !x.leaf(r, as[3].(int64)) {
		x.odd++
	}
	return nil
}

// leaf notes the postings of a row, and reports whether it is one as satchel writes it.
func (x *indexCheck) leaf(r stored.IndexRow, documents int64) bool {
	postings, ok := r.Unpack(x.postings[:0])
	x.postings = postings
	tally := r.Number == tallyBlock
	if !ok || tally != (documents != 0) || !tally && len(postings) == 0 {
		return false
	}
	x.said += documents
	x.found += int64(len(postings))
	for _, p := range postings {
		doc := x.owner<<40 | p.Document
		if _, ok := x.listed[doc]; !ok || p.Document != number(p.Document) || doc>>40 != x.owner {
			x.stray[x.owner]++
			continue
		}
		x.indexed[doc] += x.posting(x.hash, p)
	}
	x.least, ok = r.Follow(postings, x.least)
	return ok
}

// tailRow notes the documents of a tail, and reports whether the row is one as satchel
// writes it.
func (x *indexCheck) tailRow(as [5]any) bool {
	owner, ok := as[0].(int64)
	term, _ := as[1].([]byte)
	packed, _ := as[4].([]byte)
	numbers := unpackNumbers(packed)
	named := bytes.Equal(term, tailTerm) && as[2] == any(int64(0)) && as[3] == any(int64(0))
	if !ok || !named || len(numbers) == 0 || !bytes.Equal(packNumbers(numbers), packed) {
		return false
	}
	for _, n := range numbers {
		doc := owner<<40 | n
		x.tail[doc] = true
		if _, ok := x.listed[doc]; !ok || doc>>40 != owner {
			x.stray[owner]++
		}
	}
	return true
}

// posting hashes the term of a posting with all its fields except the document.
func (x *indexCheck) posting(term uint64, p store.Posting) uint64 {
	return maphash.Comparable(x.seed, [2]uint64{term, uint64(p.Frequency)<<16 | uint64(p.Length)})
}

// finish compares the tally of the current term with its postings.
func (x *indexCheck) finish() {
	if x.said != x.found {
		x.wrong[x.owner]++
	}
}

// lists reads the terms that records list.
func (x *indexCheck) lists(c *conn) error {
	return c.each(`SELECT doc, length, words FROM records`, nil, func(rows *sql.Rows) error {
		var doc int64
		var length any
		var packed sql.RawBytes
		err := rows.Scan(&doc, &length, &packed)
		tokens, _ := length.(int64) // a value that is no number matches nothing
		terms, ok := stored.UnpackTerms(packed)
		sum := uint64(0)
		for _, t := range terms {
			sum += x.posting(maphash.String(x.seed, t.Term), stored.Posting(0, int(t.Frequency), int(tokens)))
		}
		if !ok {
			sum = maphash.Bytes(x.seed, packed) // equal to no other sum
			x.damaged[doc] = true
		}
		x.listed[doc] = sum
		return err
	})
}

// unlike counts, per owner, the records whose terms differ from those of the index.
func (x *indexCheck) unlike() map[int64]int {
	found := make(map[int64]int)
	for doc, sum := range x.listed {
		if x.tail[doc] && !x.damaged[doc] {
			sum = 0
		}
		if x.indexed[doc] != sum {
			found[doc>>40]++
		}
	}
	return found
}
