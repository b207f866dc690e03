package store

import (
	"errors"
	"strings"

	"github.com/satchel-memory/satchel/memory"
)

// Attachment is data beside the records: content of a foreign document that no record
// holds, such as an edge, an entity or a vector, and the vault's own data, such as the keys
// that the owner trusts. The store does not interpret it.
type Attachment struct {
	Number int64  // rises per owner in the order of arrival; the store sets it
	Space  string // its kind, such as "aimem.edge"
	Key    string // unique within its space; any bytes
	// From and To are the attachment's records, empty: none. Deleting one of them deletes
	// the attachment.
	From, To memory.ID
	// Document is the number of From's row, 0: none. The store sets it.
	Document int64
	Import   int64 // its import; 0: none
	Staged   bool  // not published by its import yet
	Data     []byte
}

// HoldsNoContent reports whether attachments of a space hold only numbers and keyed marks,
// and change all the time. Files that still hold former ones need no cleaning.
func HoldsNoContent(space string) bool { return strings.HasPrefix(space, "count.") }

// AttachmentFilter selects attachments of one space: published ones, unless Import is set.
type AttachmentFilter struct {
	Space  string
	From   memory.ID // with this From; empty: with any, or none
	To     memory.ID
	Import int64 // of this import, staged or not; 0: published ones of all
}

// Attachments finds data beside the records.
type Attachments interface {
	// Attached returns the attachment with a key, or ErrNotFound. It finds a staged one
	// only for its own import. It does not find one that was changed outside of the store,
	// as far as the store can tell, see Records.Altered.
	Attached(space, key string, imp int64) (Attachment, error)
	// Attachments returns at most max attachments of f with a number greater than after, in
	// the order of their numbers, without those that were changed outside of the store.
	// Large attachments make it return fewer than max, but never none.
	Attachments(f AttachmentFilter, after int64, max int) ([]Attachment, error)
	// Spaces returns the spaces with attachments, staged ones included, each once, in a
	// stable order.
	Spaces() ([]string, error)
}

// AttachmentKeeper changes data beside the records.
type AttachmentKeeper interface {
	// AttachAll stores new attachments, in few steps, and returns their numbers in the
	// order of list. It leaves out an attachment whose key is taken in its space, by a
	// staged or an earlier one too: its number is 0. If a From or To names no record,
	// staged ones included, it fails with ErrNotFound and stores none. A staged attachment
	// needs an import, and Publish makes it visible.
	AttachAll(list []Attachment) ([]int64, error)
	// Detach removes an attachment, staged or not, or fails with ErrNotFound.
	Detach(space, key string) error
	// DetachImport removes at most max attachments of an import, staged or not, and returns
	// how many.
	DetachImport(imp int64, max int) (int, error)
}

// Attach stores one attachment and returns its number. It fails with ErrExists if the key
// is taken, and with ErrNotFound as AttachAll does.
func Attach(to AttachmentKeeper, a Attachment) (int64, error) {
	numbers, err := to.AttachAll([]Attachment{a})
	switch {
	case err != nil:
		return 0, err
	case numbers[0] == 0:
		return 0, ErrExists
	}
	return numbers[0], nil
}

// PutAttachment stores an attachment, instead of an earlier one with its key. It fails with
// ErrNotFound as AttachAll does.
func PutAttachment(to AttachmentKeeper, a Attachment) error {
	if err := to.Detach(a.Space, a.Key); err != nil && !errors.Is(err, ErrNotFound) {
		return err
	}
	_, err := Attach(to, a)
	return err
}
