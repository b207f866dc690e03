package audit_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/keys"
)

// fake is a log in slices. A nil hash is one that is missing, and a nil entry
// too.
type fake struct {
	entries, hashes [][]byte
	head            []byte
	most            int   // entries read at once, to see that memory is bounded
	broken          error // what reading hashes fails with
}

var (
	_ audit.Writer = (*fake)(nil)
	_ audit.Reader = store.Audit(nil)
	_ audit.Writer = store.AuditKeeper(nil)
)

func (f *fake) AuditSize() (int64, int64, error) {
	return int64(len(f.entries)), int64(len(f.hashes)), nil
}

func (f *fake) AuditEntries(from int64, max int) ([][]byte, error) {
	f.most = max
	var out [][]byte
	for i := from; i < int64(len(f.entries)) && len(out) < max && f.entries[i] != nil; i++ {
		out = append(out, f.entries[i])
	}
	return out, nil
}

func (f *fake) AuditHashes(places []int64) ([][]byte, error) {
	if f.broken != nil {
		return nil, f.broken
	}
	out := make([][]byte, len(places))
	for i, place := range places {
		if place >= int64(len(f.hashes)) || f.hashes[place] == nil {
			return nil, fmt.Errorf("hash %d: %w", place, store.ErrNotFound)
		}
		out[i] = f.hashes[place]
	}
	return out, nil
}

func (f *fake) AuditHead() ([]byte, error) { return f.head, nil }

func (f *fake) AppendAudit(entries, hashes [][]byte) error {
	f.entries, f.hashes = append(f.entries, entries...), append(f.hashes, hashes...)
	return nil
}

func (f *fake) SetAuditHead(head []byte) error {
	f.head = head
	return nil
}

// clone is a copy that can be changed without changing f.
func (f *fake) clone() *fake {
	out := &fake{head: bytes.Clone(f.head)}
	for _, e := range f.entries {
		out.entries = append(out.entries, bytes.Clone(e))
	}
	for _, h := range f.hashes {
		out.hashes = append(out.hashes, bytes.Clone(h))
	}
	return out
}

// rehash makes the hashes those of the entries, as somebody does who knows how.
func (f *fake) rehash(t testing.TB) {
	t.Helper()
	f.hashes = nil
	reader := tlog.HashReaderFunc(func(places []int64) ([]tlog.Hash, error) {
		out := make([]tlog.Hash, len(places))
		for i, place := range places {
			copy(out[i][:], f.hashes[place])
		}
		return out, nil
	})
	for i, e := range f.entries {
		hashes, err := tlog.StoredHashes(int64(i), e, reader)
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range hashes {
			f.hashes = append(f.hashes, h[:])
		}
	}
}

func key(t testing.TB, seed byte) keys.Private {
	t.Helper()
	k, err := keys.FromSeed(bytes.Repeat([]byte{seed}, 32))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func logOf(t testing.TB, seed byte) audit.Log {
	t.Helper()
	k := key(t, seed)
	return audit.Log{Owner: k.DID(), Secret: audit.Secret(k), Key: &k}
}

func noon(n int) time.Time {
	return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC).Add(time.Duration(n) * time.Second)
}

// acts makes n entries, no two of them alike.
func acts(l audit.Log, n int) []audit.Entry {
	var out []audit.Entry
	for i := range n {
		out = append(out, audit.Entry{
			At: noon(i), Act: audit.Forget, Who: audit.Owner, Via: "cli", Reason: "user_revoked",
			Records: []string{l.Mark(fmt.Sprintf("urn:ump:%d", i))},
		})
	}
	return out
}

// filled is a log of n entries, appended in batches of different length.
func filled(t testing.TB, l audit.Log, n int) *fake {
	t.Helper()
	f := &fake{}
	entries := acts(l, n)
	for size := 1; len(entries) > 0; size = size%7 + 1 {
		k := min(size, len(entries))
		if err := l.Append(f, entries[:k]...); err != nil {
			t.Fatal(err)
		}
		entries = entries[k:]
	}
	return f
}

// kinds are the kinds of what was found, each once.
func kinds(r audit.Report) []audit.FindingKind {
	var out []audit.FindingKind
	for _, f := range r.Findings {
		if !slices.Contains(out, f.Kind) {
			out = append(out, f.Kind)
		}
	}
	return out
}

func verify(t testing.TB, f *fake, l audit.Log, anchor *audit.Head) audit.Report {
	t.Helper()
	report, err := audit.Verify(f, l.Owner, anchor)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func head(t testing.TB, f *fake) *audit.Head {
	t.Helper()
	h, err := audit.ParseHead(f.head)
	if err != nil {
		t.Fatal(err)
	}
	return &h
}
