package audit

import (
	"errors"
	"slices"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// Reader is a log as a store keeps it; store.Reader is one.
type Reader interface {
	// AuditSize returns how many entries and how many hashes there are.
	AuditSize() (entries, hashes int64, err error)
	// AuditEntries returns at most max consecutive entries, beginning with number from. It
	// stops at a missing entry.
	AuditEntries(from int64, max int) ([][]byte, error)
	// AuditHashes returns hashes by their place in the list. It fails with an error that
	// wraps store.ErrNotFound if one is missing.
	AuditHashes(places []int64) ([][]byte, error)
	// AuditHead returns the signed head, or nil if there is none.
	AuditHead() ([]byte, error)
}

// Writer is a log that accepts entries; store.Writer is one.
type Writer interface {
	Reader
	// AppendAudit appends to the entries and to the hashes.
	AppendAudit(entries, hashes [][]byte) error
	// SetAuditHead replaces the signed head.
	SetAuditHead(head []byte) error
}

// ErrDamaged means that a log cannot continue: entries and hashes do not match. Nothing was
// appended.
var ErrDamaged = errors.New("the audit log is damaged")

// Log is the log of one owner.
type Log struct {
	Owner  memory.DID
	Secret []byte        // key of the marks; see [Secret]
	Key    *keys.Private // signs heads; nil: the head stays as it is
}

// Append appends entries and signs one head for all of them. If the log does not continue
// what the present head covers, Append signs nothing: the stale head stays, and [Verify]
// finds it. Append fails with an error that wraps [ErrDamaged] if the log cannot continue.
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
	return l.signHead(w, t, entries[len(entries)-1])
}

// signHead signs a head over all entries.
func (l Log) signHead(w Writer, t *tail, last Entry) error {
	if fits, err := l.continuesHead(w, t); err != nil || !fits {
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

// continuesHead reports whether the log continues what the present head covers.
func (l Log) continuesHead(w Writer, t *tail) (bool, error) {
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

// RootsAt returns the roots that the tree of a log had at some sizes. A size that the log does not
// have gets none.
func RootsAt(r Reader, sizes []int64) (map[int64][]byte, error) {
	roots := make(map[int64][]byte, len(sizes))
	if len(sizes) == 0 {
		return roots, nil
	}
	t, err := begin(r)
	if err != nil {
		return nil, err
	}
	for _, size := range sizes {
		if roots[size] = nil; size < 1 || size > t.size {
			continue
		}
		root, err := tlog.TreeHash(size, t)
		if err != nil {
			return nil, err
		}
		roots[size] = root[:]
	}
	return roots, nil
}

// tail is a log and the entries to append to it.
type tail struct {
	reader  Reader
	first   int64 // entries before
	stored  int64 // hashes before
	size    int64 // entries afterwards
	entries [][]byte
	hashes  [][]byte
	kept    map[int64][]byte // hashes of the log that were read, by their places; nil: none was
}

var _ tlog.HashReader = (*tail)(nil)

func begin(r Reader) (*tail, error) {
	entries, hashes, err := r.AuditSize()
	if err != nil {
		return nil, err
	}
	if tlog.StoredHashCount(entries) != hashes {
		return nil, damagedError(nil)
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

// ReadHashes returns hashes of the log and of the entries to append. The first call also reads
// those that the hash of the log needs: a head asks for them next, and each read is a round trip
// to a database.
func (t *tail) ReadHashes(places []int64) ([]tlog.Hash, error) {
	var old []int64
	for _, place := range places {
		if _, known := t.kept[place]; !known && place < t.stored {
			old = append(old, place)
		}
	}
	if err := t.keep(old); err != nil {
		return nil, err
	}
	out := make([]tlog.Hash, len(places))
	for i, place := range places {
		h := t.kept[place]
		if place >= t.stored {
			h = t.hashes[place-t.stored]
		}
		if len(h) != tlog.HashSize {
			return nil, damagedError(nil)
		}
		copy(out[i][:], h)
	}
	return out, nil
}

// keep reads hashes of the log.
func (t *tail) keep(places []int64) error {
	if len(places) == 0 {
		return nil
	}
	all := places
	if t.kept == nil {
		t.kept = map[int64][]byte{}
		all = append(rootPlaces(t.first), places...)
		slices.Sort(all)
		all = slices.Compact(all)
	}
	found, err := t.reader.AuditHashes(all)
	if errors.Is(err, store.ErrNotFound) && len(all) > len(places) { // perhaps none that is asked for
		all = places
		found, err = t.reader.AuditHashes(all)
	}
	if errors.Is(err, store.ErrNotFound) {
		return damagedError(err)
	}
	if err != nil {
		return err
	}
	if len(found) != len(all) {
		return damagedError(nil)
	}
	for i, place := range all {
		t.kept[place] = found[i]
	}
	return nil
}

// rootPlaces returns the places of the hashes that the hash of a log of so many entries is made
// of.
func rootPlaces(entries int64) (places []int64) {
	_, _ = tlog.TreeHash(entries, tlog.HashReaderFunc(func(all []int64) ([]tlog.Hash, error) { // the hash is of no interest
		places = append(places, all...)
		return make([]tlog.Hash, len(all)), nil
	}))
	return places
}

// damagedError says that the log cannot continue, and why.
func damagedError(cause error) error {
	return &memory.Error{
		Kind: memory.Internal, Op: "audit", Message: "the audit log is damaged; see satchel audit verify",
		Err: errors.Join(ErrDamaged, cause),
	}
}
