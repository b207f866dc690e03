package sqlite

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
)

// Table postings: which documents hold a term, some hundred of them in a row.
//
//	owner, term, block  key; block is the number of the row, see [stored.IndexRow]
//	documents           with block tally: how many documents hold the term, staged
//	                    ones included; else 0
//	entries             the documents; NULL in a tally that an earlier release wrote
//
// The row with block tally is the open leaf as well. New documents get ascending numbers, so
// they are added to it. A row without entries does not exist, except for a tally. The terms
// that records list determine this table, apart from where its leaves end and from the tail,
// see [tail].

// search reads the table.
type search struct{ *ownerTx }

var errEnough = errors.New("enough")

// Postings reads a term's documents in the tail, and then its rows from the last to the
// first.
func (s search) Postings(term string, max int) ([]store.Posting, error) {
	if err := s.loadRuns(); err != nil || max <= 0 {
		return nil, err
	}
	tail, err := s.tailEntries()
	if err != nil {
		return nil, err
	}
	if tail.Documents(term) == 0 {
		return s.filed(term, max)
	}
	found, err := tail.Postings(term, s.runs, math.MaxInt, func(int) ([]store.Posting, error) { return s.filed(term, max) })
	newestFirst := func(a, b store.Posting) int { return cmp.Compare(b.Document, a.Document) }
	if !slices.IsSortedFunc(found, newestFirst) { // a program without a tail indexed later documents
		slices.SortFunc(found, newestFirst)
	}
	return found[:min(len(found), max)], err
}

func (s search) filed(term string, max int) ([]store.Posting, error) {
	var found []store.Posting
	err := s.values(selectPostings, []any{s.owner.number, term}, func(row []any) error {
		entries, _ := row[1].([]byte)
		if n := numberOr(row[2], 0); found == nil && n > 0 { // the tally comes first
			found = make([]store.Posting, 0, min(n, int64(max)+mostInLeaf, mostAhead))
		}
		found = s.runs.Postings(found, stored.IndexRow{Number: numberOr(row[0], 0), Entries: entries})
		if len(found) >= max {
			return errEnough
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return found[:min(len(found), max)], nil
}

const (
	mostInLeaf = 2 * stored.LeafSize / 3
	mostAhead  = 1 << 20 // postings for which room is made at once
)

const selectPostings = `SELECT block, entries, documents FROM postings WHERE owner = ? AND term = ? ORDER BY block DESC`
