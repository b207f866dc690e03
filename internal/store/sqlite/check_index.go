package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/maphash"
	"maps"
	"slices"

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
	err := c.each(selectPostings, nil, func(rows *sql.Rows) error { return errors.Join(x.row(rows), ctx.Err()) })
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
const selectPostings = `SELECT owner, term, block, documents, entries,
	typeof(owner) || typeof(term) || typeof(block) || typeof(documents) || typeof(entries) =
	'integertextintegerinteger' || iif(block = ` + tally + `, 'null', 'blob')
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
	owner, term, block, documents := as[0].(int64), as[1].(string), as[2].(int64), as[3].(int64)
	entries, _ := as[4].([]byte)
	if (documents != 0) != (entries == nil) || !stored.Ascending(entries) {
		x.odd++
		return nil
	}
	if owner != x.owner || term != x.term {
		x.finish()
		x.owner, x.term, x.hash, x.said, x.found = owner, term, maphash.String(x.seed, term), 0, 0
	}
	x.said += documents
	x.found += int64(len(entries) / stored.EntrySize)
	for e := range slices.Chunk(entries, stored.EntrySize) {
		n := block*stored.BlockSize + int64(e[0])
		doc := owner<<40 | n
		if _, ok := x.listed[doc]; !ok || n != number(n) {
			x.stray[owner]++
			continue
		}
		x.indexed[doc] += x.posting(x.hash, e[1:])
	}
	return nil
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
func (x *indexCheck) posting(term uint64, rest []byte) uint64 {
	return maphash.Comparable(x.seed, [2]uint64{term, uint64(rest[0])<<16 | uint64(binary.LittleEndian.Uint16(rest[1:]))})
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
			e := stored.Entry(0, int(t.Frequency), int(tokens))
			sum += x.posting(maphash.String(x.seed, t.Term), e[1:])
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
