package postgres

import (
	"cmp"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
)

// ahead saves a search round trips. A caller that asks how often terms occur asks for
// their postings next, the rarest first. So the postings of rare terms are read many
// at once.
type ahead struct {
	counts map[string]int             // how many documents hold each term
	found  map[string][]store.Posting // postings that were read
}

const (
	rareTerm  = 512  // a term with at most this many postings is rare
	readAhead = 2048 // how many postings one read fetches
)

// expect notes how often a term occurs.
func (a *ahead) expect(term string, documents int) {
	if a.counts == nil {
		a.counts = make(map[string]int)
	}
	a.counts[term] = documents
}

// lookedUp returns the postings of a term that is known to be rare. It reads the
// postings of other rare terms in the same round trip.
func (s search) lookedUp(term string) (found []store.Posting, known bool, err error) {
	n, known := s.ahead.counts[term]
	if !known || n > rareTerm {
		return nil, false, s.Ready()
	}
	if found, known = s.ahead.found[term]; !known && n > 0 {
		err = s.lookUp(s.ahead.next(term))
		found = s.ahead.found[term]
	}
	return slices.Clone(found), true, err
}

// next chooses the terms to read together with a term.
func (a *ahead) next(term string) []string {
	terms, sum := []string{term}, a.counts[term]
	for _, t := range slices.SortedFunc(maps.Keys(a.counts), func(s, t string) int {
		return cmp.Or(cmp.Compare(a.counts[s], a.counts[t]), cmp.Compare(s, t))
	}) {
		n := a.counts[t]
		_, known := a.found[t]
		if known || n == 0 || t == term {
			continue
		}
		if sum += n; n > rareTerm || sum > readAhead {
			break
		}
		terms = append(terms, t)
	}
	return terms
}

// lookUp reads the postings of some terms.
func (s search) lookUp(terms []string) error {
	rows := make(map[string][]stored.IndexRow, len(terms))
	err := s.each(selectTermsRows, []any{terms}, func(found pgx.Rows) error {
		var r stored.IndexRow
		err := found.Scan(&r.Term, &r.Number, &r.Entries)
		rows[r.Term] = append(rows[r.Term], r)
		return err
	})
	if err != nil {
		return err
	}
	if s.ahead.found == nil {
		s.ahead.found = make(map[string][]store.Posting)
	}
	for _, term := range terms {
		list := rows[term]
		slices.SortFunc(list, func(a, b stored.IndexRow) int { return cmp.Compare(b.Number, a.Number) })
		found := []store.Posting{}
		for _, r := range list {
			found = s.runs.Postings(found, r)
		}
		s.ahead.found[term] = found
	}
	return nil
}

const selectTermsRows = `SELECT term, block, entries FROM postings WHERE owner = $1 AND term = ANY ($2)`
