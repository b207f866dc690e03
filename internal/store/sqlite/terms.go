package sqlite

import (
	"database/sql"
	"errors"
	"strings"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
)

// Table postings also holds the document frequencies, in the open leaf of each term, so that
// counting a document costs no row of its own. A term of no document has no such row; forgotten
// words leave the file.
const (
	tallyBlock = stored.OpenLeaf // the last row of a term
	tally      = `1099511627776`
	firstLeaf  = `4294967296`
	leafSize   = `448`
)

// Frequencies looks up several terms in one statement.
func (s search) Frequencies(terms []string) ([]int, error) {
	found := make(map[string]int, len(terms))
	for args := range inLists(terms, talliesSize) {
		err := s.each(selectTallies, append([]any{s.owner.number}, args...), func(rows *sql.Rows) error {
			var term string
			var documents int
			err := rows.Scan(&term, &documents)
			found[term] = documents
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	tail, err := s.tailEntries()
	if err != nil {
		return nil, err
	}
	counts := make([]int, len(terms))
	for i, term := range terms {
		counts[i] = found[term] + tail.Documents(term)
	}
	return counts, nil
}

// talliesSize is how many terms one statement looks up.
const talliesSize = 16

var selectTallies = `SELECT term, documents FROM postings WHERE owner = ? AND term IN ` + marks(talliesSize) + ` AND block = ` + tally

// Terms returns the terms of the index and those of the tail.
func (s search) Terms(prefix string, max int) ([]string, error) {
	if max <= 0 {
		return nil, s.Ready()
	}
	tail, err := s.tailEntries()
	if err != nil {
		return nil, err
	}
	found, err := s.indexed(prefix, max)
	return withPending(found, tail, prefix, max), err
}

// indexed reads the rows of the terms in the order of the key. A term of no document has no
// row. A frequent term may have thousands of rows: after a few of them it seeks the next
// term.
func (s search) indexed(prefix string, max int) ([]string, error) {
	var found []string
	var last string
	for from := prefix; ; from = last + "\x00" {
		seen := 0 // rows of the last term
		err := s.each(selectTerms, []any{s.owner.number, from, beyond(prefix)}, func(rows *sql.Rows) error {
			var term string
			if err := rows.Scan(&term); err != nil {
				return err
			}
			if seen == 0 || term != last {
				last, seen = term, 0
				if len(term) <= longestTerm {
					found = append(found, term)
				}
			}
			if seen++; seen > rowsBeforeSeek || len(found) == max {
				return errEnough
			}
			return nil
		})
		switch {
		case err == nil, err == errEnough && len(found) == max:
			return found, nil
		case err != errEnough:
			return nil, err
		}
	}
}

const (
	longestTerm    = 255 // bytes of a term that Terms returns
	rowsBeforeSeek = 4   // reading as many rows takes about as long as a seek
)

const selectTerms = `SELECT term FROM postings WHERE owner = ? AND term >= ? AND term < ? ORDER BY term, block`

// index files a new document, the owner's last, under its terms.
func (w *indexer) index(document int64, d store.Document, terms []string) error {
	if w.count(d, terms) {
		return w.hold(document, terms, d)
	}
	return nil
}

// reindex files a document under its terms, whatever its number.
func (w *indexer) reindex(document int64, d store.Document, terms []string) error {
	if !w.count(d, terms) {
		return nil
	}
	if err := errors.Join(w.writePending(), w.writeRemovals()); err != nil {
		return err
	}
	if err := w.packBlocks(terms); err != nil {
		return err
	}
	for _, term := range terms {
		if err := w.repost(term, stored.Posting(document, d.Terms[term], d.Length)); err != nil {
			return err
		}
	}
	return nil
}

// count counts a document, unless it is not indexed at all.
func (w *indexer) count(d store.Document, terms []string) bool {
	if len(terms) == 0 && d.Length == 0 {
		return false
	}
	w.owner.Index(1, int64(d.Length))
	return true
}

// unindex removes a row from the index and returns its terms. The row itself stays as
// it is.
func (w *indexer) unindex(doc int64) ([]string, error) {
	if err := w.writePending(); err != nil {
		return nil, err
	}
	terms, length, err := w.indexedFor(doc)
	if err != nil || len(terms) == 0 && length == 0 {
		return nil, err
	}
	w.owner.Index(-1, -length)
	return terms, w.takeOut(number(doc), terms)
}

// takeOut takes a document out of the index, at the latest when this Update ends.
func (w *indexer) takeOut(document int64, terms []string) error {
	if w.removals.add(document, terms); w.removals.size < mostRemovals {
		return nil
	}
	return w.writeRemovals()
}

const countTerm = `UPDATE postings SET documents = documents + ? WHERE owner = ? AND term = ? AND block = ` + tally

// Outdated reads the column of the tokeniser.
func (s search) Outdated(version int, after int64, max int) (numbers []int64, last int64, err error) {
	err = s.each(selectTokenisers, []any{version, s.owner.key(after + 1), s.owner.key(1<<40 - 1), max}, func(rows *sql.Rows) error {
		var doc int64
		var old bool
		if err := rows.Scan(&doc, &old); err != nil {
			return err
		}
		if last = number(doc); old {
			numbers = append(numbers, last)
		}
		return nil
	})
	return numbers, last, err
}

const selectTokenisers = `SELECT doc, tokeniser < ? AND words IS NOT NULL FROM records WHERE doc BETWEEN ? AND ? ORDER BY doc LIMIT ?`

// IndexEntries reads the rows without their JSON.
func (s search) IndexEntries(numbers []int64) ([]store.IndexEntry, error) {
	docs, err := s.unstaged(numbers)
	if err != nil {
		return nil, err
	}
	found := make([]store.IndexEntry, 0, len(docs))
	err = s.fetchInto(docs, selectFewEntries, selectIndexEntries, func(read []any) error {
		read[0] = number(numberOr(read[0], 0))
		found = append(found, stored.IndexEntryOf(read))
		return nil
	})
	return found, err
}

var entryColumns = stored.EntryColumns()

var (
	selectFewEntries   = `SELECT ` + namesOf(entryColumns) + ` FROM records WHERE doc IN ` + marks(fewRows)
	selectIndexEntries = `SELECT ` + namesOf(entryColumns) + ` FROM records WHERE doc IN ` + marks(fetchSize)
)

func namesOf(columns []stored.Column) string {
	var names []string
	for _, c := range columns {
		names = append(names, c.Name)
	}
	return strings.Join(names, ", ")
}

// A record keeps the list of the terms it is indexed under and how often it holds
// each. So the store can remove it from the index without its text and its tokeniser,
// and can check every byte of the index.

// indexedFor returns the terms of a row and its length, or [store.ErrNotFound].
func (w *indexer) indexedFor(doc int64) (terms []string, length int64, err error) {
	var packed []byte
	if err := w.first(selectIndexed, []any{doc}, &length, &packed); err != nil {
		return nil, 0, err
	}
	list, ok := stored.UnpackTerms(packed)
	if !ok {
		terms, err = w.searchTerms(number(doc))
	}
	for _, t := range list {
		terms = append(terms, t.Term)
	}
	return terms, length, err
}

const selectIndexed = `SELECT length, words FROM records WHERE doc = ?`

// searchTerms returns the terms that a document is indexed under. It reads the owner's whole
// index; it serves a row whose own list is damaged.
func (w *indexer) searchTerms(document int64) ([]string, error) {
	var terms []string
	err := w.each(selectHolding, []any{w.owner.number, stored.BlockOf(document), stored.FirstLeaf + document},
		func(rows *sql.Rows) error {
			var row stored.IndexRow
			err := rows.Scan(&row.Term, &row.Number, &row.Entries)
			if stored.Gathered(row.Term, row).Holds(document) {
				terms = append(terms, row.Term)
			}
			return err
		})
	return terms, err
}

// selectHolding selects the rows that may hold a document.
const selectHolding = `SELECT term, block, entries FROM postings WHERE owner = ? AND term < x'' AND (block = ? OR block > ?)`
