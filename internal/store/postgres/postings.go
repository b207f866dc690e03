package postgres

import (
	"cmp"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
)

// Table postings: which documents hold a term, some hundred of them in a row.
//
//	owner, term, block  key; block is the number of the row, see [stored.IndexRow]; the term
//	                    as its index key, see short
//	entries             the documents
//
// New documents get ascending numbers, so they are added to the open leaf. A row without
// entries does not exist. The terms that records list determine this table, apart from where
// its leaves end.
//
// As long as programs of schema 11 and before may work on the store, it is written in blocks,
// see leavesSchema.

// search reads the index.
type search struct{ *ownerTx }

// Postings reads a term's rows from the last to the first.
func (s search) Postings(term string, max int) ([]store.Posting, error) {
	if err := s.Ready(); err != nil || max <= 0 {
		return nil, err
	}
	term = short(term)
	if found, known, err := s.lookedUp(term); known || err != nil {
		return found[:min(len(found), max)], err
	}
	var found []store.Posting
	below, limit := int64(stored.OpenLeaf+1), 8+max/128
	for ; ; limit *= 4 {
		read := 0
		err := s.each(selectPostings, []any{term, below, limit}, func(rows pgx.Rows) error {
			var row stored.IndexRow
			err := rows.Scan(&row.Number, &row.Entries)
			read, below = read+1, row.Number
			found = s.runs.Postings(found, row)
			return err
		})
		if err != nil {
			return nil, err
		}
		if read < limit || len(found) >= max {
			return found[:min(len(found), max)], nil
		}
	}
}

const selectPostings = `SELECT block, entries FROM postings
	WHERE owner = $1 AND term = $2 AND block < $3 ORDER BY block DESC LIMIT $4`

// indexer writes the index.
type indexer struct {
	*writeTx
	pending stored.Pending // the index entries of new documents, not in the queue of statements yet
}

// index files a new document, the owner's last, under its terms.
func (w *indexer) index(document int64, d store.Document, terms []string) {
	if !w.count(len(terms), d.Length) {
		return
	}
	for _, term := range terms {
		w.pending.Add(short(term), document, d.Terms[term], d.Length)
	}
	if w.pending.Full() {
		w.fileIndex()
	}
}

// fileIndex queues the pending entries.
func (w *indexer) fileIndex() {
	if added := w.pending.Take(); len(added) > 0 {
		w.fileListings(added)
		w.ahead = ahead{}
	}
}

// fileListings queues additions to the index. The documents are later than all others of it.
func (w *indexer) fileListings(added []stored.Listing) {
	counts := make(map[string]int64, len(added))
	for _, l := range added {
		counts[l.Term] = int64(len(l.Postings))
	}
	if w.leaves {
		few, many, first := stored.Split(added)
		w.fileAfter(few, first, stored.LeafSize, appendLeaves)
		w.fileAfter(many, first, 1, setRows)
	} else {
		w.fileBlocks(added)
	}
	w.sendCounts(counts)
}

// fileAfter queues that the open leaves of terms are closed if they have so many bytes, and that
// query adds to the terms.
func (w *indexer) fileAfter(added []stored.Listing, first int64, full int, query string) {
	if len(added) == 0 {
		return
	}
	terms, rows := make([]string, len(added)), make([]stored.IndexRow, 0, len(added))
	for i, l := range added {
		terms[i] = l.Term
		rows = append(rows, l.Leaves(stored.OpenLeaf)...)
	}
	w.later(closeLeaves, terms, stored.FirstLeaf+first, full)
	w.sendRows(query, rows)
}

// sendRows queues a statement on rows, in the order of their keys.
func (w *indexer) sendRows(query string, rows []stored.IndexRow) {
	if len(rows) == 0 {
		return
	}
	slices.SortFunc(rows, func(a, b stored.IndexRow) int {
		return cmp.Or(cmp.Compare(a.Term, b.Term), cmp.Compare(a.Number, b.Number))
	})
	terms, numbers, entries := make([]string, len(rows)), make([]int64, len(rows)), make([][]byte, len(rows))
	for i, r := range rows {
		terms[i], numbers[i], entries[i] = r.Term, r.Number, r.Entries
	}
	w.later(query, terms, numbers, entries)
}

const (
	insertRows = `INSERT INTO postings (owner, term, block, entries)
		SELECT o.owner, u.* FROM owners AS o CROSS JOIN unnest($2::bytea[], $3::bigint[], $4::bytea[]) AS u WHERE o.owner = $1
		ON CONFLICT (owner, term, block) DO UPDATE SET entries = `
	setRows = insertRows + `excluded.entries`

	// closeLeaves copies full open leaves to rows of their own; appendLeaves replaces those. The
	// block is in a list of one: with block = … the server may read that block of every term, and
	// compare each term with the whole list.
	closeLeaves = `INSERT INTO postings (owner, term, block, entries)
		SELECT o.owner, o.term, $3::bigint, o.entries FROM postings AS o
			WHERE o.owner = $1 AND o.term = ANY ($2) AND o.block = ANY ('{1099511627776}') AND octet_length(o.entries) >= $4
		ON CONFLICT (owner, term, block) DO UPDATE SET entries = postings.entries || excluded.entries`
	appendLeaves = insertRows + `CASE WHEN octet_length(postings.entries) < 448 THEN postings.entries || excluded.entries ELSE excluded.entries END`

	dropRows = `DELETE FROM postings WHERE owner = $1 AND block = ANY (ARRAY[$2::bigint]) AND term = ANY ($3)`
)

// unindex removes a row from the index.
func (w *indexer) unindex(document int64, old termList) error {
	return w.repost(document, old, store.Document{})
}

// repost replaces the terms of a document, whatever its number.
func (w *indexer) repost(document int64, old termList, d store.Document) error {
	w.fileIndex()
	w.ahead = ahead{}
	if !old.empty() {
		w.owner.Index(-1, -old.length)
	}
	w.count(len(d.Terms), d.Length)
	wanted := make(map[string]*store.Posting, len(d.Terms))
	for term, frequency := range d.Terms {
		p := stored.Posting(document, frequency, d.Length)
		wanted[short(term)] = &p
	}
	for _, term := range old.terms {
		if wanted[term] == nil {
			wanted[term] = nil
			w.owner.Leave()
		}
	}
	return w.refile(document, wanted)
}

// refile gives a document a posting under each term, and removes it where the posting is nil.
func (w *indexer) refile(document int64, wanted map[string]*store.Posting) error {
	if len(wanted) == 0 {
		return w.Ready()
	}
	holding := w.leavesOf
	if !w.leaves {
		holding = w.blocksOf
	}
	present, err := holding(document, slices.Sorted(maps.Keys(wanted)))
	if err != nil {
		return err
	}
	var changed, empty []stored.IndexRow
	counts := make(map[string]int64)
	for term, posting := range wanted {
		row := present[term]
		before := stored.Gathered(term, row)
		after := before.Without(document)
		if posting != nil {
			after = after.With(*posting)
		}
		counts[term] = int64(len(after.Postings) - len(before.Postings))
		switch {
		case slices.Equal(after.Postings, before.Postings):
		case len(after.Postings) == 0:
			empty = append(empty, row)
		case row.IsBlock():
			changed = append(changed, after.Blocks()...)
		default:
			changed = append(changed, after.Leaves(row.Number)...)
		}
	}
	w.sendRows(setRows, changed)
	w.dropRows(empty)
	w.recount(counts)
	return w.failed()
}

func (w *indexer) dropRows(rows []stored.IndexRow) {
	terms := make(map[int64][]string) // by number
	for _, r := range rows {
		terms[r.Number] = append(terms[r.Number], r.Term)
	}
	for _, number := range slices.Sorted(maps.Keys(terms)) {
		w.later(dropRows, number, terms[number])
	}
}

// leavesOf returns the leaf of each term that holds a document, or would. It brings blocks of
// these terms into leaves first.
func (w *indexer) leavesOf(document int64, terms []string) (map[string]stored.IndexRow, error) {
	for {
		found := make(map[string]stored.IndexRow, len(terms))
		var blocks []string
		err := w.each(selectLeaves, []any{terms, stored.FirstLeaf + document}, func(rows pgx.Rows) error {
			var r stored.IndexRow
			var number *int64
			var old bool
			err := rows.Scan(&r.Term, &number, &r.Entries, &old)
			if r.Number = stored.OpenLeaf; number != nil {
				r.Number = *number
			}
			if found[r.Term] = r; old {
				blocks = append(blocks, r.Term)
			}
			return err
		})
		if err != nil || len(blocks) == 0 {
			return found, err
		}
		if _, err := w.packTerms(blocks); err != nil {
			return nil, err
		}
	}
}

const selectLeaves = `SELECT t.term, l.block, l.entries,
		EXISTS (SELECT FROM postings AS b WHERE b.owner = $1 AND b.term = t.term AND b.block < 4294967296)
	FROM unnest($2::bytea[]) AS t (term) LEFT JOIN LATERAL (SELECT p.block, p.entries FROM postings AS p
		WHERE p.owner = $1 AND p.term = t.term AND p.block > $3 ORDER BY p.block LIMIT 1) AS l ON true`

// packTerms makes leaves of all rows of some terms, and returns how many there were.
func (w *indexer) packTerms(terms []string) (int, error) {
	rows := make(map[string][]stored.IndexRow, len(terms))
	read := 0
	err := w.each(selectTermsRows, []any{terms}, func(found pgx.Rows) error {
		var r stored.IndexRow
		err := found.Scan(&r.Term, &r.Number, &r.Entries)
		rows[r.Term] = append(rows[r.Term], r)
		read++
		return err
	})
	if err != nil {
		return 0, err
	}
	var leaves []stored.IndexRow
	for term, list := range rows {
		slices.SortFunc(list, func(a, b stored.IndexRow) int { return cmp.Compare(a.Number, b.Number) })
		leaves = append(leaves, stored.Gathered(term, list...).Leaves(stored.OpenLeaf)...)
	}
	w.later(dropTermsRows, terms)
	w.sendRows(setRows, leaves)
	return read, w.failed()
}

const dropTermsRows = `DELETE FROM postings WHERE owner = $1 AND term = ANY ($2)`

// Pack implements [store.Writer]. It does nothing until all programs can read leaves.
func (w *indexer) Pack(from string, most int) (next string, more bool, err error) {
	if err := w.Ready(); err != nil || !w.leaves {
		return "", false, err
	}
	w.fileIndex()
	w.ahead = ahead{}
	pack := func(term string) (int, error) { return w.packTerms([]string{term}) }
	return stored.PackTerms(most, pack, func(see func(stored.IndexRow)) error {
		return w.each(selectTermRows, []any{from, most}, func(rows pgx.Rows) error {
			var r stored.IndexRow
			err := rows.Scan(&r.Term, &r.Number)
			see(r)
			return err
		})
	})
}

const selectTermRows = `SELECT term, block FROM postings WHERE owner = $1 AND term >= $2 ORDER BY term, block LIMIT $3`

// Programs of schema 11 and before can read an index of blocks alone. They may work on a store
// until [Finish], and programs of this release write blocks until then.

// leavesSchema is the schema whose programs can read leaves.
const leavesSchema = 12

// fileBlocks queues additions to blocks.
func (w *indexer) fileBlocks(added []stored.Listing) {
	var blocks []stored.IndexRow
	for _, l := range added {
		blocks = append(blocks, l.Blocks()...)
	}
	w.sendRows(appendBlocks, blocks)
}

const appendBlocks = insertRows + `postings.entries || excluded.entries`

// blocksOf returns the block of each term that holds a document, or would.
func (w *indexer) blocksOf(document int64, terms []string) (map[string]stored.IndexRow, error) {
	number := stored.BlockOf(document)
	found := make(map[string]stored.IndexRow, len(terms))
	for _, term := range terms {
		found[term] = stored.IndexRow{Term: term, Number: number}
	}
	err := w.each(selectSomeBlocks, []any{number, terms}, func(rows pgx.Rows) error {
		r := stored.IndexRow{Number: number}
		err := rows.Scan(&r.Term, &r.Entries)
		found[r.Term] = r
		return err
	})
	return found, err
}

const selectSomeBlocks = `SELECT term, entries FROM postings WHERE owner = $1 AND block = ANY (ARRAY[$2::bigint]) AND term = ANY ($3)`
