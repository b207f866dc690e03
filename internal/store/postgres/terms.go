package postgres

import (
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
)

// Outdated reads the column of the tokeniser.
func (s search) Outdated(version int, after int64, max int) (numbers []int64, last int64, err error) {
	err = s.each(selectTokenisers, []any{version, after, max}, func(rows pgx.Rows) error {
		var old bool
		if err := rows.Scan(&last, &old); err != nil {
			return err
		}
		if old {
			numbers = append(numbers, last)
		}
		return nil
	})
	return numbers, last, err
}

const selectTokenisers = `SELECT doc, tokeniser < $2 AND words IS NOT NULL FROM records WHERE owner = $1 AND doc > $3 ORDER BY doc LIMIT $4`

// IndexEntries reads the rows without their JSON.
func (s search) IndexEntries(numbers []int64) ([]store.IndexEntry, error) {
	docs := s.unstaged(numbers)
	if len(docs) == 0 {
		return nil, s.Ready()
	}
	found := make([]store.IndexEntry, 0, len(docs))
	read := make([]any, len(entryColumns))
	err := s.each(selectIndexEntries, []any{docs}, func(rows pgx.Rows) error {
		for i, raw := range rows.RawValues() {
			read[i] = neutral(entryColumns[i], raw)
		}
		found = append(found, stored.IndexEntryOf(read))
		return nil
	})
	return found, err
}

var entryColumns = stored.EntryColumns()

var selectIndexEntries = func() string {
	var names []string
	for _, c := range entryColumns {
		names = append(names, quoted(c.Name))
	}
	return `SELECT ` + strings.Join(names, ", ") + ` FROM records WHERE owner = $1 AND doc = ANY ($2)`
}()

// A record keeps the list of the terms it is indexed under. So the store can remove
// it from the index without its text and its tokeniser, and can check every byte of
// the index.

// termList is the index entry that a record lists of itself.
type termList struct {
	terms  []string // as the index keeps them
	length int64
}

// empty reports whether a document is not indexed at all.
func (l termList) empty() bool { return len(l.terms) == 0 && l.length == 0 }

// listOf reads the list of a record.
func (x *ownerTx) listOf(doc, length int64, packed []byte) (termList, error) {
	list, ok := stored.UnpackTerms(packed)
	if !ok {
		terms, err := x.searchTerms(doc)
		return termList{terms, length}, err
	}
	l := termList{length: length}
	for _, t := range list {
		l.terms = append(l.terms, short(t.Term))
	}
	return l, nil
}

// searchTerms returns the terms that a document is indexed under. It reads the owner's whole
// index; it serves a row whose own list is damaged.
func (x *ownerTx) searchTerms(document int64) ([]string, error) {
	var terms []string
	err := x.each(selectHolding, []any{stored.BlockOf(document), stored.FirstLeaf + document}, func(rows pgx.Rows) error {
		var r stored.IndexRow
		err := rows.Scan(&r.Term, &r.Number, &r.Entries)
		if stored.Gathered(r.Term, r).Holds(document) {
			terms = append(terms, r.Term)
		}
		return err
	})
	return terms, err
}

// selectHolding selects the rows that may hold a document.
const selectHolding = `SELECT term, block, entries FROM postings WHERE owner = $1 AND (block = $2 OR block > $3)`

// Reindex replaces the index entries of a row.
func (w recordWriter) Reindex(document int64, d store.Document) error {
	w.fileIndex()
	row, err := w.whole(recordsTable, document)
	if err != nil {
		return err
	}
	was := stored.IndexColumnsOf(row.Values)
	length, _ := was.Length.(int64)
	packed, _ := was.Words.([]byte)
	old, err := w.listOf(document, length, packed)
	if err != nil {
		return err
	}
	if err := w.repost(document, old, d); err != nil {
		return err
	}
	x := stored.NewIndexColumns(d, d.Sorted())
	values := slices.Clone(row.Values)
	x.Put(values)
	w.later(updateIndexed, x.Length, x.Tokeniser, x.Words, w.reseal(recordsTable, row, values), document)
	return w.failed()
}

const updateIndexed = `UPDATE records SET length = $2, tokeniser = $3, words = $4, seal = $5 WHERE owner = $1 AND doc = $6`

// Table terms: in how many documents each term occurs, staged ones included.
//
//	owner, term  key; the term as its index key, see short
//	documents    how many; a term of no document has no row, so that forgotten words are
//	             gone

// Frequencies looks all terms up in one query.
func (s search) Frequencies(terms []string) ([]int, error) {
	names := shortAll(terms)
	found := make(map[string]int, len(terms))
	err := s.each(selectTerms, []any{names}, func(rows pgx.Rows) error {
		var term string
		var documents int
		err := rows.Scan(&term, &documents)
		found[term] = documents
		return err
	})
	if err != nil {
		return nil, err
	}
	counts := make([]int, len(terms))
	for i, name := range names {
		counts[i] = found[name]
		s.ahead.expect(name, counts[i])
	}
	return counts, nil
}

const selectTerms = `SELECT term, documents FROM terms WHERE owner = $1 AND term = ANY ($2)`

// Terms reads the terms in the order of the key. It leaves out terms of which the key
// holds only the beginning, see short.
func (s search) Terms(prefix string, max int) ([]string, error) {
	if max <= 0 || !isWhole(prefix) {
		return nil, s.Ready()
	}
	var found []string
	err := s.each(selectTermsFrom, []any{prefix, beyond(prefix), shortSize, max}, func(rows pgx.Rows) error {
		var term string
		err := rows.Scan(&term)
		found = append(found, term)
		return err
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}

const selectTermsFrom = `SELECT term FROM terms
	WHERE owner = $1 AND term >= $2 AND term < $3 AND octet_length(term) < $4 ORDER BY term LIMIT $5`

// count counts a document, unless it is not indexed at all.
func (w *indexer) count(terms, length int) bool {
	if terms == 0 && length == 0 {
		return false
	}
	w.owner.Index(1, int64(length))
	return true
}

// recount queues changes of the numbers of documents. Terms of no document are
// removed.
func (w *indexer) recount(counts map[string]int64) {
	maps.DeleteFunc(counts, func(_ string, n int64) bool { return n == 0 })
	w.sendCounts(counts)
	maps.DeleteFunc(counts, func(_ string, n int64) bool { return n > 0 })
	if len(counts) > 0 {
		w.later(dropTerms, slices.Sorted(maps.Keys(counts)))
	}
}

// sendCounts queues additions to numbers of documents.
func (w *indexer) sendCounts(counts map[string]int64) {
	if len(counts) == 0 {
		return
	}
	terms := slices.Sorted(maps.Keys(counts))
	numbers := make([]int64, len(terms))
	for i, term := range terms {
		numbers[i] = counts[term]
	}
	w.later(addDocuments, terms, numbers)
}

const (
	addDocuments = `INSERT INTO terms (owner, term, documents)
		SELECT o.owner, u.* FROM owners AS o CROSS JOIN unnest($2::bytea[], $3::bigint[]) AS u WHERE o.owner = $1
		ON CONFLICT (owner, term) DO UPDATE SET documents = terms.documents + excluded.documents`
	dropTerms = `DELETE FROM terms WHERE owner = $1 AND term = ANY ($2) AND documents <= 0`
)
