package notes

import (
	"context"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/satchel-memory/satchel/internal/recall"
	"github.com/satchel-memory/satchel/memory"
)

// index is an inverted index of notes, for one search. Document number n is records[n-1].
type index struct {
	records  []memory.Record
	postings map[string][]recall.Posting // in order of number
	words    int
	indexer  recall.Indexer
}

var _ recall.Index = (*index)(nil)

// add adds a record, whose id becomes its number.
func (x *index) add(rec memory.Record) {
	if x.postings == nil {
		x.postings = map[string][]recall.Posting{}
	}
	rec.ID = memory.ID(strconv.Itoa(len(x.records)))
	x.records = append(x.records, rec)
	d := x.indexer.Document(rec)
	x.words += d.Length
	for _, t := range d.Terms {
		x.postings[t.Term] = append(x.postings[t.Term], recall.Posting{
			Doc: recall.Doc(len(x.records)), Frequency: uint8(min(t.Frequency, math.MaxUint8)), Length: uint16(min(d.Length, math.MaxUint16)),
		})
	}
}

// place returns the place of a record among those that were added.
func (x *index) place(rec memory.Record) int {
	i, _ := strconv.Atoi(string(rec.ID))
	return i
}

// Size implements [recall.Index].
func (x *index) Size(context.Context) (int, float64, error) {
	return len(x.records), float64(x.words) / float64(max(len(x.records), 1)), nil
}

// Frequencies implements [recall.Index].
func (x *index) Frequencies(_ context.Context, terms []string) ([]int, error) {
	df := make([]int, len(terms))
	for i, t := range terms {
		df[i] = len(x.postings[t])
	}
	return df, nil
}

// Terms implements [recall.Index].
func (x *index) Terms(_ context.Context, prefix string, most int) (found []string, err error) {
	for _, term := range slices.Sorted(maps.Keys(x.postings)) {
		if len(found) < most && strings.HasPrefix(term, prefix) {
			found = append(found, term)
		}
	}
	return found, nil
}

// Postings implements [recall.Index].
func (x *index) Postings(_ context.Context, term string, most int) ([]recall.Posting, error) {
	all := x.postings[term]
	newest := slices.Clone(all[len(all)-min(most, len(all)):])
	slices.Reverse(newest)
	return newest, nil
}

// Candidates implements [recall.Index].
func (x *index) Candidates(_ context.Context, docs []recall.Doc) (found []recall.Candidate, err error) {
	for _, d := range docs {
		if d >= 1 && int(d) <= len(x.records) {
			found = append(found, recall.Candidate{Doc: d, Record: &x.records[d-1]})
		}
	}
	return found, nil
}

// Entries implements [recall.Index].
func (x *index) Entries(ctx context.Context, docs []recall.Doc) ([]recall.Candidate, error) {
	return x.Candidates(ctx, docs)
}
