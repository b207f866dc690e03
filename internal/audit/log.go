package audit

import (
	"errors"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// Reader is a log as a store keeps it; store.Reader is one.
type Reader interface {
	// AuditSize returns how many entries and how many hashes there are.
	AuditSize() (entries, hashes int64, err error)
	// AuditEntries returns at most max entries that follow each other, the first of
	// which is number from; a missing one ends them.
	AuditEntries(from int64, max int) ([][]byte, error)
	// AuditHashes returns hashes by their place in the list, or an error that wraps
	// store.ErrNotFound when one of them is not there.
	AuditHashes(places []int64) ([][]byte, error)
	// AuditHead returns the signed head, nil when there is none.
	AuditHead() ([]byte, error)
}

// Writer is a log that can be appended to; store.Writer is one.
type Writer interface {
	Reader
	// AppendAudit appends to the entries and to the hashes.
	AppendAudit(entries, hashes [][]byte) error
	// SetAuditHead replaces the signed head.
	SetAuditHead(head []byte) error
}

// ErrDamaged means that a log cannot be continued: entries and hashes do not
// fit together. Nothing was appended.
var ErrDamaged = errors.New("the audit log is damaged")

// Log is the log of one owner.
type Log struct {
	Owner  memory.DID
	Secret []byte        // key of the marks; see [Secret]
	Key    *keys.Private // signs heads; nil: the head stays behind
}

// Append appends entries and signs one head for all of them. It does not sign
// where the log is not the continuation of what was signed before: the head
// that does not fit any more stays, for [Verify] to find. It fails with an error
// that wraps [ErrDamaged] where the log cannot be continued.
func (l Log) Append(w Writer, entries ...Entry) error {
	if len(entries) == 0 {
		return nil
	}
	t, err := begin(w)
	if err != nil {
		return err
	}
	for _, e := range entries {
		data, err := e.encode()
		if err != nil {
			return err
		}
		if err := t.add(data); err != nil {
			return err
		}
	}
	if err := w.AppendAudit(t.entries, t.hashes); err != nil {
		return err
	}
	if l.Key == nil || l.Key.IsZero() || l.Key.DID() != l.Owner {
		return nil
	}
	return l.advance(w, t, entries[len(entries)-1])
}

// advance signs a head over all there is.
func (l Log) advance(w Writer, t *tail, last Entry) error {
	if fits, err := l.fits(w, t); err != nil || !fits {
		return err
	}
	root, err := tlog.TreeHash(t.size, t)
	if err != nil {
		return err
	}
	head, err := Head{Size: t.size, Root: root, At: last.At.UTC()}.sign(*l.Key)
	if err != nil {
		return err
	}
	return w.SetAuditHead([]byte(head.String()))
}

// fits reports whether the log continues what the present head says.
func (l Log) fits(w Writer, t *tail) (bool, error) {
	text, err := w.AuditHead()
	if err != nil || len(text) == 0 {
		return err == nil, err
	}
	head, err := ParseHead(text)
	if err != nil || head.Check(l.Owner) != nil || head.Size > t.first {
		return false, nil //nolint:nilerr // it is for Verify to tell
	}
	root, err := tlog.TreeHash(head.Size, t)
	return err == nil && root == head.Root, err
}

// tail is a log with what is to be appended to it.
type tail struct {
	reader  Reader
	first   int64 // entries there were
	stored  int64 // hashes there were
	size    int64 // entries there are with those to be appended
	entries [][]byte
	hashes  [][]byte
}

var _ tlog.HashReader = (*tail)(nil)

func begin(r Reader) (*tail, error) {
	entries, hashes, err := r.AuditSize()
	if err != nil {
		return nil, err
	}
	if tlog.StoredHashCount(entries) != hashes {
		return nil, damaged(nil)
	}
	return &tail{reader: r, first: entries, stored: hashes, size: entries}, nil
}

func (t *tail) add(data []byte) error {
	hashes, err := tlog.StoredHashes(t.size, data, t)
	if err != nil {
		return err
	}
	t.size++
	t.entries = append(t.entries, data)
	for _, h := range hashes {
		t.hashes = append(t.hashes, h[:])
	}
	return nil
}

// ReadHashes returns hashes of the log and of what is to be appended.
func (t *tail) ReadHashes(places []int64) ([]tlog.Hash, error) {
	var old []int64
	for _, place := range places {
		if place < t.stored {
			old = append(old, place)
		}
	}
	var kept [][]byte
	if len(old) > 0 {
		var err error
		kept, err = t.reader.AuditHashes(old)
		if errors.Is(err, store.ErrNotFound) {
			return nil, damaged(err)
		}
		if err != nil {
			return nil, err
		}
	}
	out := make([]tlog.Hash, len(places))
	for i, place := range places {
		h := []byte(nil)
		if place >= t.stored {
			h = t.hashes[place-t.stored]
		} else if len(kept) > 0 {
			h, kept = kept[0], kept[1:]
		}
		if len(h) != tlog.HashSize {
			return nil, damaged(nil)
		}
		copy(out[i][:], h)
	}
	return out, nil
}

// damaged says that the log cannot be continued, and why.
func damaged(cause error) error {
	return &memory.Error{
		Kind: memory.Internal, Op: "audit", Message: "the audit log is damaged; see satchel audit verify",
		Err: errors.Join(ErrDamaged, cause),
	}
}
