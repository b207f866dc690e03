package recall

import (
	"context"

	"github.com/satchel-memory/satchel/memory"
)

// Version numbers the tokeniser. A store keeps the number its postings were made
// with and makes them anew when it differs.
const Version = 2

// MaxTerm is the most bytes a term has.
const MaxTerm = 64

// Doc numbers a document of one owner. Numbers grow in the order of learning and
// are never used twice, so neighbours were learnt one after the other.
type Doc int64

// Posting says that a document holds a term.
type Posting struct {
	Doc       Doc
	Frequency uint8  // how often, at least 1; 255 stands for more
	Length    uint16 // words in the document; 65535 stands for more
}

// Candidate is a document that may answer.
type Candidate struct {
	Doc    Doc
	Record memory.Record
	// Feedback is what the engine has learnt about the record from use: -1 always
	// in the way, 0 nothing known, 1 always of use (UMP 3.6 feedback). It is
	// engine state and no part of the record (decision UD-26).
	Feedback float64
	// Protected says that the record must not sink with age: its recency is told, and
	// counts for nothing.
	Protected bool
}

// Index is what recall needs of a store: the inverted index of one owner, as of
// one instant. All calls of one search go to the same snapshot, from one
// goroutine. An error of any method ends the search and is returned unchanged.
type Index interface {
	// Size returns how many documents the owner has and how many words they have
	// on average ([Document.Length]); 0, 0 when there are none.
	Size(ctx context.Context) (docs int, averageLength float64, err error)

	// Frequencies returns, for each term in order, in how many of the owner's
	// documents it occurs; 0 for a term nobody used. Forgotten documents may be
	// counted until the store tidies up.
	Frequencies(ctx context.Context, terms []string) ([]int, error)

	// Postings returns the documents that hold term, highest number first, and at
	// most max of them. A document appears once. The slice belongs to the caller
	// until the next call of Postings, which may use it again.
	Postings(ctx context.Context, term string, max int) ([]Posting, error)

	// Candidates returns the documents numbered docs, in any order. Numbers of
	// documents that do not exist (any more) are left out without an error; docs
	// holds no number twice. The records belong to the caller.
	Candidates(ctx context.Context, docs []Doc) ([]Candidate, error)
}

// Document is what a store keeps so that a record can be found.
type Document struct {
	Terms  []Count // every term once, in ascending order
	Length int     // words; what [Posting.Length] is made from
}

// Count is a term and how often a document holds it.
type Count struct {
	Term      string
	Frequency int
}
