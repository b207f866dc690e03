package store

import "github.com/satchel-memory/satchel/memory"

// Attachment is what stands beside the records: what a foreign document says that
// no record holds, such as an edge between two of them, an entity or a vector, and
// what the vault keeps for itself, such as whose keys the owner trusts. The store
// knows nothing of what it means.
type Attachment struct {
	Number int64  // rises per owner in the order of attaching; the store gives it
	Space  string // what it is, such as "aimem.edge"
	Key    string // unique within its space; any bytes
	// From and To are the records it hangs on, empty: none. When one of them is
	// deleted it goes too.
	From, To memory.ID
	Import   int64 // the import that brought it; 0: none
	Staged   bool  // not yet published by its import
	Data     []byte
}

// AttachmentFilter chooses attachments of one space: those that are published,
// unless Import is given.
type AttachmentFilter struct {
	Space  string
	From   memory.ID // that hang on this record so; empty: on any, or none
	To     memory.ID
	Import int64 // that this import brought, staged or not; 0: published ones of all
}

// Attachments finds what stands beside the records.
type Attachments interface {
	// Attached returns the attachment with a key, or ErrNotFound. A staged one is
	// found only for the import that brought it. One that was changed outside of the
	// store is not found, as far as can be told, see Records.Altered.
	Attached(space, key string, imp int64) (Attachment, error)
	// Attachments returns at most max attachments that f chooses and whose number is
	// greater than after, in the order of their numbers, without those that were
	// changed outside of the store. They are fewer than max, but never none, when
	// they are large.
	Attachments(f AttachmentFilter, after int64, max int) ([]Attachment, error)
	// Spaces returns the spaces that have attachments, staged ones included, each
	// once, in an order that stays the same as long as they do.
	Spaces() ([]string, error)
}

// Attacher changes what stands beside the records.
type Attacher interface {
	// AttachAll files new attachments, in as few steps as it can, and returns their
	// numbers in the order of list. An attachment whose key is taken in its space, by a
	// staged attachment or an earlier one of list too, is left out: its number is 0. When
	// From or To of any of them names no record, staged ones included, it fails with
	// ErrNotFound and files none. A staged attachment needs an import, and becomes
	// visible when Publish publishes that.
	AttachAll(list []Attachment) ([]int64, error)
	// Detach removes an attachment, staged or not, or fails with ErrNotFound.
	Detach(space, key string) error
	// DetachImport removes at most max attachments that an import brought, staged or
	// not, and returns how many.
	DetachImport(imp int64, max int) (int, error)
}

// Attach files one attachment and returns its number. It fails with ErrExists when the
// key is taken, and with ErrNotFound as AttachAll does.
func Attach(to Attacher, a Attachment) (int64, error) {
	numbers, err := to.AttachAll([]Attachment{a})
	switch {
	case err != nil:
		return 0, err
	case numbers[0] == 0:
		return 0, ErrExists
	}
	return numbers[0], nil
}
