package stored

import (
	"iter"
	"maps"
	"slices"

	"github.com/satchel-memory/satchel/internal/store"
)

// Pending holds the index entries of an Update's new documents back, until a store writes
// them. Then many documents under one term are one row, and the terms come in the order of
// the index. So an Update of hundreds of documents touches each page of the index once.
//
// Documents are added in ascending order. Usually they are the owner's last, so that their
// entries follow all those of the index. A store that changes other entries of the index, or
// reads them for a change, writes the pending ones first.
type Pending struct {
	terms map[string]*[]store.Posting // in the order of documents
	size  int
}

// mostPending is how many entries one Update holds back at most.
const mostPending = 1 << 17

// Add files a document, the last one, under a term, by the name that the index has
// for it.
func (p *Pending) Add(name string, document int64, frequency, length int) {
	if p.terms == nil {
		p.terms = make(map[string]*[]store.Posting)
	}
	postings := p.terms[name]
	if postings == nil {
		postings = new([]store.Posting)
		p.terms[name] = postings
	}
	*postings = append(*postings, Posting(document, frequency, length))
	p.size++
}

// Size returns the number of entries.
func (p *Pending) Size() int { return p.size }

// Full reports whether the entries have to be written now.
func (p *Pending) Full() bool { return p.size >= mostPending }

// Names returns the terms, in no order.
func (p *Pending) Names() iter.Seq[string] { return maps.Keys(p.terms) }

// Documents returns how many documents are filed under a term.
func (p *Pending) Documents(name string) int { return len(p.postings(name)) }

// Postings returns the last documents of a term that are published, the last first, at
// most max, which is positive. It asks for those of the index if it has fewer itself.
func (p *Pending) Postings(name string, runs Runs, max int, index func(max int) ([]store.Posting, error)) ([]store.Posting, error) {
	var found []store.Posting
	for _, posting := range slices.Backward(p.postings(name)) {
		if runs.Staging(posting.Document) != nil {
			continue
		}
		if found = append(found, posting); len(found) >= max {
			return found, nil
		}
	}
	older, err := index(max - len(found))
	return append(found, older...), err
}

func (p *Pending) postings(name string) []store.Posting {
	if postings := p.terms[name]; postings != nil {
		return *postings
	}
	return nil
}
