package store

import (
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// Reader reads one owner's rows in a snapshot. Its slices belong to the caller. Only one
// goroutine may use it.
type Reader interface {
	// Owner returns the owner of the rows.
	Owner() memory.DID
	Records
	Attachments
	Search
	Journal
	Trust
	// Agents returns the owner's agents.
	Agents() Agents
	// Runs returns the runs of the owner's agents.
	Runs() Runs
	// Sessions returns the sessions of the owner's browsers.
	Sessions() Sessions
	// Readings returns what assistants were given.
	Readings() Readings
	// Audit returns the audit log of the owner.
	Audit() Audit
}

// Records finds rows. Staged rows, whose import is not published, are invisible except to
// Rows and Count with Filter.Import, to Duplicates, and to Alias. A Writer's methods that
// take an id, Holder included, work on staged rows too.
type Records interface {
	// Row returns the row of a record, or ErrNotFound.
	Row(id memory.ID) (Row, error)
	// Document returns the number of a record, staged or not, or ErrNotFound.
	Document(id memory.ID) (int64, error)
	// Beginning returns at most max rows whose ids begin with prefix, in the order of their
	// ids.
	Beginning(prefix memory.ID, max int) ([]Row, error)
	// Crowded returns those prefixes with which the ids of at least two rows begin, in the
	// order of prefixes.
	Crowded(prefixes []memory.ID) ([]memory.ID, error)
	// Numbered returns the existing rows with these document numbers, in the order of
	// numbers.
	Numbered(numbers []int64) ([]Row, error)
	// Altered returns those of these document numbers whose rows somebody changed outside
	// of the store. Without the owner's secret for seals the store cannot tell, and returns
	// none.
	Altered(numbers []int64) ([]int64, error)
	// Rows returns at most max rows of f after the cursor, in the order created, number, or
	// in the opposite order with Filter.Newest.
	Rows(f Filter, after Cursor, max int) ([]Row, error)
	// Count counts the rows of f.
	Count(f Filter) (int, error)
	// FirstExpiry returns when the first retention of a row ends, staged rows included; the
	// zero time: none does.
	FirstExpiry() (time.Time, error)
	// Duplicates returns the rows with a digest, oldest first, staged ones of the given
	// import included.
	Duplicates(digest string, imp int64) ([]Row, error)
	// Relating returns the ids of the records that link to target by any type of
	// relation, supersedes included; each once, oldest number first.
	Relating(target string) ([]memory.ID, error)
	// Alias returns the record of a foreign id, or ErrNotFound. space names whose id it is.
	// Alias does not find an alias that was changed outside of the store, as far as the
	// store can tell, see Altered.
	Alias(space, foreign string) (memory.ID, error)
	// Projects returns every project of published, active rows, most records first. Only
	// rows whose valid time holds the instant count; the zero time: all of them.
	Projects(validAt time.Time) ([]Project, error)
	// ProjectAliases returns the aliases of project names, without those that were changed
	// outside of the store, as far as the store can tell, see Altered.
	ProjectAliases() (map[string]string, error)
}

// Project is a project name, how many records count, and when the latest of them was made.
type Project struct {
	Name    string
	Records int
	Last    time.Time // the zero time: none counts
}

// Search reads the inverted index over this owner's rows. Its statistics are the owner's
// own, so that ranking reveals nothing about other owners. They count staged documents at
// once, so that a large import publishes as fast as a small one; Postings leaves staged
// documents out. The counts leave out a document without terms and length.
type Search interface {
	// Size returns the number of indexed documents and the sum of their Document.Length.
	Size() (documents, length int64, err error)
	// Sum returns a sum over the owner's rows of all tables. It is the same in two snapshots
	// only if the rows are, but for rows that were ever changed outside of the store and for
	// work that is due. In an Update it counts what was written so far.
	Sum() (Sum, error)
	// Frequencies returns in how many documents each term occurs, in the order
	// of terms.
	Frequencies(terms []string) ([]int, error)
	// Terms returns the terms that begin with prefix, in ascending order of their bytes, at
	// most max. An empty prefix begins every term. Terms returns the terms that Frequencies
	// counts, so those of staged documents too. It leaves out terms of 256 bytes and more.
	Terms(prefix string, max int) ([]string, error)
	// Postings returns the documents of a term, newest first, at most max.
	Postings(term string, max int) ([]Posting, error)
	// Outdated looks at the next max rows after a document number, staged ones too. It
	// returns the numbers of those whose terms were made by a tokeniser before version, and
	// the last number that it looked at; 0: there is no row after that number.
	Outdated(version int, after int64, max int) (numbers []int64, last int64, err error)
	// IndexEntries returns what the index keeps of the existing rows with these document numbers,
	// in any order.
	IndexEntries(numbers []int64) ([]IndexEntry, error)
}

// Sum stands for the content of an owner's rows. The zero Sum is that of an owner without
// rows.
type Sum [16]byte

// IndexEntry is what the index keeps of a row, without the row's JSON.
type IndexEntry struct {
	Number  int64
	ID      memory.ID
	Columns Columns // Duplicate, Lineage and Import stay empty
	// Terms are the terms of the document in the order of [Document.Sorted], with their
	// frequencies, capped at 255.
	Terms   iter.Seq2[[]byte, byte]
	Digest  []byte // of the document; nil: it had none
	Length  int
	Version int
}

// Posting says that a document holds a term.
type Posting struct {
	Document  int64 // document number
	Frequency uint8 // times the term occurs, capped at 255
	Length    uint16
}

// Document is a record's entry for the index: how often each term occurs, and the number of
// tokens. A store keeps the list of terms with the record, and the version of the
// tokeniser, so that a release with a newer tokeniser finds the records to index anew.
type Document struct {
	Terms   map[string]int
	Length  int
	Version int // of the tokeniser that made the terms
	// Digest is what else the tokeniser wants to know of the document, in its own form. The
	// store keeps it with the terms, and drops it if there are none.
	Digest []byte
	// Order is the terms in ascending order, each once, if the tokeniser has it; this saves
	// a sort. nil: the store sorts.
	Order []string
}

// Sorted returns the terms in ascending order. The caller must not change them.
func (d Document) Sorted() []string {
	if len(d.Order) == len(d.Terms) {
		return d.Order
	}
	return slices.Sorted(maps.Keys(d.Terms))
}

// Journal reads the history of the owner's records.
type Journal interface {
	// Changes returns at most max changes after the sequence number, in order.
	Changes(after int64, max int) ([]Change, error)
	// Head returns the sequence number of the latest change, 0 before the first.
	Head() (int64, error)
	// Receipt returns the stored answer to an idempotency key, or ErrNotFound. It does not
	// find a receipt that was changed outside of the store, as far as the store can tell,
	// see Records.Altered.
	Receipt(key string) (Receipt, error)
	// Imports returns the imports, newest first, without their residue.
	Imports() ([]Import, error)
	// Import returns one import, or ErrNotFound.
	Import(number int64) (Import, error)
}

// Change is one entry of an owner's change feed. It names records and holds no content.
type Change struct {
	Sequence int64 // rises per owner, in the order of commits; the store sets it
	At       time.Time
	Type     ChangeType
	ID       memory.ID
	Import   int64 // of a published import: one change for all its records
	// First and Last are the first and last document numbers of a published import's
	// records. Its change takes Last-First+1 sequence numbers, of which Sequence is the
	// last, so that each record has one. For an erased record both are its number, which
	// identifies its row if somebody restores it.
	First, Last int64
	Mark        string // keyed mark of an erased record's project and agent; empty for other changes
}

// ChangeType says what happened, in the terms of decision UD-27.
type ChangeType string

// The types of change.
const (
	Created         ChangeType = "created"
	Merged          ChangeType = "merged"
	Revised         ChangeType = "revised"
	Tombstoned      ChangeType = "tombstoned"
	Erased          ChangeType = "erased"
	ErasedPrivately ChangeType = "hushed"   // erased; only the owner's own side sees it
	Imported        ChangeType = "imported" // an import was published
	Undone          ChangeType = "undone"   // an import was undone
	Moved           ChangeType = "moved"    // stands for the changes of an owner that changed to this key
)

// Receipt is the answer to a request with an idempotency key.
type Receipt struct {
	Key     string
	Request string // digest of the request
	Answer  []byte // names records without their content, because it outlives them
	At      time.Time
}

// Import is one imported document or folder.
type Import struct {
	Number  int64 // the store sets it
	Digest  string
	Format  string
	Name    string
	At      time.Time
	State   ImportState
	Lease   time.Time // while staging: a recent lease means that a program is at work
	Created int       // added records
	Merged  int       // records that existed
	Units   int       // of an archive: finished units, such as conversations
	Residue []byte    // the document's own data, in its own format
}

// ImportState says how far an import has come.
type ImportState string

// The states of an import.
const (
	Staging ImportState = "staging"
	// Partial: some units of an archive are imported, and more may follow. Without a lease,
	// the import is being undone, of an archive or of a whole document.
	Partial   ImportState = "partial"
	Published ImportState = "published"
	TakenBack ImportState = "undone"
	CutOff    ImportState = "cut off" // it never finished, and left nothing
)
