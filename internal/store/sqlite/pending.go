package sqlite

import (
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
)

// indexer writes the index.
type indexer struct {
	*writeTx
	pending  stored.Pending // the index entries of new documents, not written yet
	waiting  []int64        // those documents
	removals removals       // the index entries of deleted documents, not taken out yet
}

// hold keeps the entries of a document, the owner's last, until they are written.
func (w *indexer) hold(document int64, terms []string, d store.Document) error {
	w.waiting = append(w.waiting, document)
	for _, term := range terms {
		w.pending.Add(term, document, d.Terms[term], d.Length)
	}
	if w.pending.Full() {
		return w.writePending()
	}
	return nil
}

// writePending writes the entries that were held back, now and by earlier Updates.
func (w *indexer) writePending() error {
	if err := w.writeTail(); err != nil {
		return err
	}
	w.waiting = nil
	return w.file(w.owner.number, w.pending.Take())
}

// finishIndex writes the pending entries, or leaves them to a later Update.
func (w *indexer) finishIndex() error {
	if err := w.writeRemovals(); err != nil {
		return err
	}
	if len(w.waiting) == 0 {
		return nil
	}
	if deferred, err := w.deferPending(); deferred || err != nil {
		return err
	}
	return w.writePending()
}

// Postings includes documents indexed in this Update. It takes those that are not
// written from memory: an import looks for each of its texts.
func (w *writer) Postings(term string, max int) ([]store.Posting, error) {
	if err := w.loadRuns(); err != nil || max <= 0 {
		return nil, err
	}
	if err := w.writeRemovals(); err != nil {
		return nil, err
	}
	return w.pending.Postings(term, w.runs, max, func(max int) ([]store.Posting, error) {
		return w.session.Postings(term, max)
	})
}

// Frequencies includes documents indexed in this Update, like Postings.
func (w *writer) Frequencies(terms []string) ([]int, error) {
	if err := w.writeRemovals(); err != nil {
		return nil, err
	}
	counts, err := w.session.Frequencies(terms)
	for i := range counts {
		counts[i] += w.pending.Documents(terms[i])
	}
	return counts, err
}

// Terms includes documents indexed in this Update.
func (w *writer) Terms(prefix string, max int) ([]string, error) {
	if err := w.writeRemovals(); err != nil {
		return nil, err
	}
	found, err := w.session.Terms(prefix, max)
	return withPending(found, &w.pending, prefix, max), err
}
