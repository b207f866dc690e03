package recall

import (
	"context"
	"iter"

	"github.com/satchel-memory/satchel/memory"
)

// Version numbers the tokeniser. A store keeps the version of its postings, and makes them
// again if it differs.
const Version = 8

// maxTerm is the most bytes of a term.
const maxTerm = 64

// Doc numbers a document of one owner. Numbers grow in the order of learning and are never
// reused, so neighbours were learnt one after the other.
type Doc int64

// Posting says that a document holds a term.
type Posting struct {
	Doc       Doc
	Frequency uint8  // number of occurrences, at least 1; 255 stands for more
	Length    uint16 // words in the document; 65535 stands for more
}

// Candidate is a document that may answer.
type Candidate struct {
	Doc Doc
	// Record is the whole record, or one without its body, if Entry is there. Nobody changes
	// it: several searches may share it.
	Record *memory.Record
	Entry  *Entry
	// Feedback is the usefulness of a record, learnt from use: -1 always in the way, 0
	// unknown, 1 always useful (UMP 3.6 feedback). It is engine state and no part of the
	// record (decision UD-26).
	Feedback float64
	// Protected says that the record must not sink with age: its recency is shown, but does
	// not count.
	Protected bool
}

// Index is the part of a store that recall needs: the inverted index of one owner at one
// instant. All calls of one search use the same snapshot, from one goroutine. An error of
// any method ends the search and is returned unchanged.
type Index interface {
	// Size returns how many documents the owner has and how many words they have
	// on average ([Document.Length]); 0, 0 when there are none.
	Size(ctx context.Context) (docs int, averageLength float64, err error)

	// Frequencies returns, for each term in order, the number of the owner's documents that
	// contain it; 0 for an unknown term. Forgotten documents may count until the store
	// tidies up.
	Frequencies(ctx context.Context, terms []string) ([]int, error)

	// Terms returns the owner's terms that begin with prefix, in ascending order of their
	// bytes, and at most max of them. The caller must not change the slice.
	Terms(ctx context.Context, prefix string, max int) ([]string, error)

	// Postings returns the documents that contain term, highest number first, and at most
	// max of them. A document appears once. The caller must not change the slice, and reads
	// it before the next call of Postings, which may use it again.
	Postings(ctx context.Context, term string, max int) ([]Posting, error)

	// Candidates returns the documents with these numbers, in any order. It leaves out
	// documents that do not exist (any more), without an error. docs holds no number twice.
	Candidates(ctx context.Context, docs []Doc) ([]Candidate, error)

	// Entries works as Candidates, but returns the index entries of records instead of their
	// bodies, where the store has them. Of such a record only the id, the kind, the scope, the
	// status, the times Created, ValidFrom (see [memory.Times.From]) and ValidTo, and what
	// [Entry.Tell] adds are set.
	Entries(ctx context.Context, docs []Doc) ([]Candidate, error)
}

// Document is the data that a store keeps to find a record.
type Document struct {
	Terms  []Count // every term once, in ascending order
	Length int     // words; the source of [Posting.Length]
	Digest []byte  // the rest of [Entry]
}

// Entry is what a store keeps of a document, so that a search ranks it without its record.
type Entry struct {
	Terms  iter.Seq2[[]byte, uint8] // in ascending order, with their frequencies; 255 stands for more
	Length int
	Digest []byte // see [Document]
}

// Count is a term and how often a document holds it.
type Count struct {
	Term      string
	Frequency int
}
