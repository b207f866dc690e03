// Package recalltest has an inverted index in memory, with which tests and benchmarks run
// recall.
package recalltest

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/internal/recall"
	"github.com/satchel-memory/satchel/memory"
)

// Index is an inverted index in memory. The zero Index is empty and ready. Do not write to
// it during a read.
type Index struct {
	records  []memory.Record // document number n is records[n-1]
	gone     map[recall.Doc]bool
	feedback map[recall.Doc]float64
	postings map[string][]recall.Posting // in order of number
	order    []string                    // the terms in ascending order; nil: not sorted yet
	words    int
	indexer  recall.Indexer
	entries  []recall.Entry // of records

	// Read counts the postings returned, Fetched the candidates.
	Read, Fetched int
}

var _ recall.Index = (*Index)(nil)

// Add adds a record and returns its number.
func (x *Index) Add(rec memory.Record) recall.Doc {
	x.records = append(x.records, rec)
	doc := recall.Doc(len(x.records))
	d := x.indexer.Document(rec)
	x.entries = append(x.entries, entry(d))
	x.words += d.Length
	if x.postings == nil {
		x.postings = make(map[string][]recall.Posting)
	}
	x.order = nil
	for _, t := range d.Terms {
		x.postings[t.Term] = append(x.postings[t.Term], recall.Posting{
			Doc:       doc,
			Frequency: uint8(min(t.Frequency, math.MaxUint8)),
			Length:    uint16(min(d.Length, math.MaxUint16)),
		})
	}
	return doc
}

// Remove removes a document but leaves its postings, as a store may for a while.
func (x *Index) Remove(doc recall.Doc) {
	if x.gone == nil {
		x.gone = make(map[recall.Doc]bool)
	}
	x.gone[doc] = true
}

// Learn sets the feedback on a document.
func (x *Index) Learn(doc recall.Doc, feedback float64) {
	if x.feedback == nil {
		x.feedback = make(map[recall.Doc]float64)
	}
	x.feedback[doc] = feedback
}

// Size implements [recall.Index].
func (x *Index) Size(context.Context) (int, float64, error) {
	if len(x.records) == 0 {
		return 0, 0, nil
	}
	return len(x.records), float64(x.words) / float64(len(x.records)), nil
}

// Frequencies implements [recall.Index].
func (x *Index) Frequencies(_ context.Context, terms []string) ([]int, error) {
	df := make([]int, len(terms))
	for i, t := range terms {
		df[i] = len(x.postings[t])
	}
	return df, nil
}

// Terms returns the terms that begin with prefix, in ascending order of their bytes, at
// most max.
func (x *Index) Terms(_ context.Context, prefix string, max int) ([]string, error) {
	if x.order == nil {
		x.order = slices.Sorted(maps.Keys(x.postings))
	}
	first, _ := slices.BinarySearch(x.order, prefix)
	var found []string
	for _, term := range x.order[first:] {
		if len(found) >= max || !strings.HasPrefix(term, prefix) {
			break
		}
		found = append(found, term)
	}
	return found, nil
}

// Postings implements [recall.Index].
func (x *Index) Postings(_ context.Context, term string, max int) ([]recall.Posting, error) {
	all := x.postings[term]
	newest := slices.Clone(all[len(all)-min(max, len(all)):])
	slices.Reverse(newest)
	x.Read += len(newest)
	return newest, nil
}

// Candidates implements [recall.Index].
func (x *Index) Candidates(_ context.Context, docs []recall.Doc) ([]recall.Candidate, error) {
	var found []recall.Candidate
	for _, d := range docs {
		if d < 1 || int(d) > len(x.records) || x.gone[d] {
			continue
		}
		found = append(found, recall.Candidate{Doc: d, Record: &x.records[d-1], Feedback: x.feedback[d]})
	}
	x.Fetched += len(found)
	return found, nil
}

// entry returns what a store keeps of a document.
func entry(d recall.Document) recall.Entry {
	return recall.Entry{Length: d.Length, Digest: d.Digest, Terms: func(yield func([]byte, uint8) bool) {
		for _, t := range d.Terms {
			if !yield([]byte(t.Term), uint8(min(t.Frequency, math.MaxUint8))) {
				return
			}
		}
	}}
}

// Entries implements [recall.Index].
func (x *Index) Entries(ctx context.Context, docs []recall.Doc) ([]recall.Candidate, error) {
	found, err := x.Candidates(ctx, docs)
	for i, c := range found {
		r := *c.Record
		r.Scope.Visibility = cmp.Or(r.Scope.Visibility, memory.Private)
		found[i].Record = &memory.Record{ID: r.ID, Kind: r.Kind, Scope: r.Scope, Lifecycle: memory.Lifecycle{Status: r.Lifecycle.Status},
			Time: memory.Times{Created: r.Time.Created, ValidFrom: r.Time.From(), ValidTo: r.Time.ValidTo}}
		found[i].Entry = &x.entries[c.Doc-1]
		found[i].Entry.Tell(found[i].Record)
	}
	return found, err
}
