package postgres

import (
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"
)

// Table terms: in how many documents each term occurs, staged ones included.
//
//	owner, term  key; the term as short makes it
//	documents    how many; a term of no document has no row, so that forgotten
//	             words are gone

// Frequencies looks terms up, all at once.
func (s *session) Frequencies(terms []string) ([]int, error) {
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

// Frequencies sees what was indexed just now.
func (w *writer) Frequencies(terms []string) ([]int, error) {
	w.fileIndex()
	return w.session.Frequencies(terms)
}

// count counts a document, unless it is not indexed at all.
func (w *writer) count(terms, length int) bool {
	if terms == 0 && length == 0 {
		return false
	}
	w.owner.documents++
	w.owner.length += int64(length)
	w.dirty = true
	return true
}

// recount queues changes of the numbers of documents. Terms of no document go.
func (w *writer) recount(counts map[string]int64) {
	maps.DeleteFunc(counts, func(_ string, n int64) bool { return n == 0 })
	w.sendCounts(counts)
	maps.DeleteFunc(counts, func(_ string, n int64) bool { return n > 0 })
	if len(counts) > 0 {
		w.later(dropTerms, slices.Sorted(maps.Keys(counts)))
	}
}

// sendCounts queues what is to be added to numbers of documents.
func (w *writer) sendCounts(counts map[string]int64) {
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
		SELECT $1::uuid, u.* FROM unnest($2::bytea[], $3::bigint[]) AS u
		ON CONFLICT (owner, term) DO UPDATE SET documents = terms.documents + excluded.documents`
	dropTerms = `DELETE FROM terms WHERE owner = $1 AND term = ANY ($2) AND documents <= 0`
)
