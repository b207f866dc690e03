package recall_test

import (
	"cmp"
	"math"
	"slices"

	"github.com/satchel-memory/satchel/internal/recall"
	"github.com/satchel-memory/satchel/internal/recall/labelled"
	"github.com/satchel-memory/satchel/memory"
)

// bm25 ranks by Okapi BM25 alone, with the usual constants. Recall is measured beside it:
// both use the same terms, and bm25 knows nothing else.
type bm25 struct {
	ids      []memory.ID
	lengths  []float64
	average  float64
	postings map[string][]occurrences
}

// occurrences says how often a document has a term.
type occurrences struct {
	doc   int
	count float64
}

func newBM25(records []memory.Record) *bm25 {
	b := &bm25{postings: make(map[string][]occurrences)}
	var indexer recall.Indexer
	for doc, rec := range records {
		d := indexer.Document(rec)
		b.ids = append(b.ids, rec.ID)
		b.lengths = append(b.lengths, float64(d.Length))
		b.average += float64(d.Length) / float64(len(records))
		for _, t := range d.Terms {
			b.postings[t.Term] = append(b.postings[t.Term], occurrences{doc, float64(t.Frequency)})
		}
	}
	return b
}

// search returns the best documents and the score of the first. Of equally good ones the
// later comes first, as in recall.
func (b *bm25) search(question string) ([]memory.ID, float64) {
	const k1, lengthShare = 1.2, .75
	scores := make(map[int]float64)
	seen := make(map[string]bool)
	for _, t := range recall.Terms(question) {
		if seen[t.Text] {
			continue
		}
		seen[t.Text] = true
		found := b.postings[t.Text]
		df := float64(len(found))
		idf := math.Log(1 + (float64(len(b.ids))-df+.5)/(df+.5))
		for _, p := range found {
			norm := k1 * (1 - lengthShare + lengthShare*b.lengths[p.doc]/b.average)
			scores[p.doc] += idf * p.count * (k1 + 1) / (p.count + norm)
		}
	}
	var docs []int
	for doc := range scores {
		docs = append(docs, doc)
	}
	slices.SortFunc(docs, func(x, y int) int { return cmp.Or(cmp.Compare(scores[y], scores[x]), cmp.Compare(y, x)) })
	docs = docs[:min(len(docs), labelled.Depth)]
	if len(docs) == 0 {
		return nil, 0
	}
	var ids []memory.ID
	for _, doc := range docs {
		ids = append(ids, b.ids[doc])
	}
	return ids, scores[docs[0]]
}
