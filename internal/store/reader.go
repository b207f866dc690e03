package store

import (
	"maps"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// Reader is one owner's rows in a snapshot. Its slices are the caller's. It
// serves one goroutine.
type Reader interface {
	// Owner returns whose rows these are.
	Owner() memory.DID
	Records
	Attachments
	Search
	Journal
	Trust
	// Agents returns the agents that the owner keeps.
	Agents() Agents
	// Audit returns the audit log of the owner.
	Audit() Audit
}

// Records finds rows. Staged rows, those of an import that is not published,
// are invisible except to Rows and Count with Filter.Import, to Duplicates, and
// to Alias, which names them. What a Writer does to a row by its id, Holder
// included, works on staged ones too.
type Records interface {
	// Row returns the row of a record, or ErrNotFound.
	Row(id memory.ID) (Row, error)
	// Beginning returns at most max rows whose ids begin with prefix, in the order
	// of their ids.
	Beginning(prefix memory.ID, max int) ([]Row, error)
	// Numbered returns the rows with these document numbers that still exist, in
	// the order asked for.
	Numbered(numbers []int64) ([]Row, error)
	// Altered returns those of these document numbers whose rows were changed by
	// somebody else than the store, as far as it can tell: not at all where it has
	// no secret of the owner's to seal rows with.
	Altered(numbers []int64) ([]int64, error)
	// Rows returns at most max rows chosen by f that come after the cursor, in
	// the order created, number, or in the opposite order with Filter.Newest.
	Rows(f Filter, after Cursor, max int) ([]Row, error)
	// Count counts the rows that f chooses.
	Count(f Filter) (int, error)
	// Duplicates returns the rows that share a digest, oldest first, staged ones
	// of the given import included.
	Duplicates(digest string, imp int64) ([]Row, error)
	// Relating returns the ids of the records that link to target by any type of
	// relation, supersedes included; each once, oldest number first.
	Relating(target string) ([]memory.ID, error)
	// Alias returns the record a foreign id stands for, or ErrNotFound. space
	// names whose id it is. An alias that was changed outside of the store is not
	// found, as far as can be told, see Altered.
	Alias(space, foreign string) (memory.ID, error)
	// Projects returns every project of published, active rows with its count,
	// most records first.
	Projects() ([]Project, error)
	// ProjectAliases returns which project name stands for which, without what was
	// changed outside of the store, as far as can be told, see Altered.
	ProjectAliases() (map[string]string, error)
}

// Project is a project name and how many live records have it.
type Project struct {
	Name    string
	Records int
}

// Search reads the inverted index over this owner's rows; statistics are the
// owner's own, so that ranking tells nothing about anyone else. They count
// staged documents from the moment these are inserted, so that publishing an
// import takes no longer the larger it is; Postings leaves staged ones out. A
// document without terms and length is not counted.
type Search interface {
	// Size returns how many documents are indexed and the sum of their
	// Document.Length.
	Size() (documents, length int64, err error)
	// Frequencies returns in how many documents each term occurs, in the order
	// of terms.
	Frequencies(terms []string) ([]int, error)
	// Postings returns the documents of a term, newest first, at most max.
	Postings(term string, max int) ([]Posting, error)
}

// Posting says that a document holds a term.
type Posting struct {
	Document  int64 // document number
	Frequency uint8 // times the term occurs, capped at 255
	Length    uint16
}

// Document is what is indexed for a record: how often each term occurs, and the
// number of tokens in all. A store keeps the list of terms with the record, and
// beside it the version of the tokeniser, so that a release with another one can
// find the records that are to be indexed anew.
type Document struct {
	Terms   map[string]int
	Length  int
	Version int // of the tokeniser that cut the terms
	// Order is the terms in ascending order, each once, where whoever cut them has it:
	// that spares the store sorting them. nil: it does.
	Order []string
}

// Sorted returns the terms in ascending order. They are not the caller's to change.
func (d Document) Sorted() []string {
	if len(d.Order) == len(d.Terms) {
		return d.Order
	}
	return slices.Sorted(maps.Keys(d.Terms))
}

// Journal reads what has happened to the owner's records.
type Journal interface {
	// Changes returns at most max changes after the sequence number, in order.
	Changes(after int64, max int) ([]Change, error)
	// Head returns the sequence number of the latest change, 0 before the first.
	Head() (int64, error)
	// Receipt returns the stored answer to an idempotency key, or ErrNotFound. One
	// that was changed outside of the store is not found, as far as can be told, see
	// Records.Altered.
	Receipt(key string) (Receipt, error)
	// Imports returns the imports, newest first, without their residue.
	Imports() ([]Import, error)
	// Import returns one import, or ErrNotFound.
	Import(number int64) (Import, error)
}

// Change is one entry of an owner's change feed. It names records and holds
// nothing of their content.
type Change struct {
	Sequence int64 // rises per owner, in the order of commits; the store gives it
	At       time.Time
	Type     ChangeType
	ID       memory.ID
	Import   int64 // set when an import was published: one change for all its records
	// First and Last are the document numbers between which the records of a
	// published import lie. Its change takes Last-First+1 sequence numbers, of
	// which Sequence is the last, so that each of its records has one of its own.
	// Of an erased record both are its number, by which its row is known if it is put back.
	First, Last int64
	Mark        string // keyed mark of what project and agent an erased record had; empty for other changes
}

// ChangeType says what happened, in the words of decision UD-27.
type ChangeType string

// The types of change.
const (
	Created    ChangeType = "created"
	Merged     ChangeType = "merged"
	Revised    ChangeType = "revised"
	Tombstoned ChangeType = "tombstoned"
	Erased     ChangeType = "erased"
	Hushed     ChangeType = "hushed"   // erased, and known to the owner's side only
	Imported   ChangeType = "imported" // an import was published
	Undone     ChangeType = "undone"   // an import was taken back
	Moved      ChangeType = "moved"    // stands for the changes of an owner who went over to this one
)

// Receipt remembers the answer to a request with an idempotency key.
type Receipt struct {
	Key     string
	Request string // digest of the request
	Answer  []byte // names records and never repeats what they say: it outlives them
	At      time.Time
}

// Import is one document or folder that was taken in.
type Import struct {
	Number  int64 // the store gives it
	Digest  string
	Format  string
	Name    string
	At      time.Time
	State   ImportState
	Lease   time.Time // while staging: a younger lease means that somebody is at work
	Created int       // records it added
	Merged  int       // records that were there already
	Units   int       // of an archive: how many of its units are done, such as conversations
	Residue []byte    // what the document as a whole said, for its own format
}

// ImportState says how far an import has come.
type ImportState string

// The states of an import.
const (
	Staging ImportState = "staging"
	// Partial: some units of an archive are there, and more may follow. Without a lease
	// it is being taken back.
	Partial   ImportState = "partial"
	Published ImportState = "published"
	TakenBack ImportState = "undone"
	CutOff    ImportState = "cut off" // it never came to its end, and left nothing
)
