package vaulttest

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/belief"
	"github.com/satchel-memory/satchel/memory"
)

// lossy is a store that fails to answer one question.
type lossy struct {
	store.Store
	left atomic.Int64 // questions until the failing one, itself included
	dies bool         // all questions after that one fail, too
}

// answer fails for one question.
func (l *lossy) answer() error {
	if n := l.left.Add(-1); n == 0 || n < 0 && l.dies {
		return store.ErrUnavailable
	}
	return nil
}

// lost reports whether the failing question was asked.
func (l *lossy) lost() bool { return l.left.Load() <= 0 }

func (l *lossy) View(ctx context.Context, owner memory.DID, fn func(store.Reader) error) error {
	return l.Store.View(ctx, owner, func(r store.Reader) error { return fn(lossyReader{r, l}) })
}

func (l *lossy) Update(ctx context.Context, owner memory.DID, fn func(store.Writer) error) error {
	return l.Store.Update(ctx, owner, func(w store.Writer) error { return fn(lossyWriter{w, lossyReader{w, l}}) })
}

type lossyReader struct {
	store.Reader
	of *lossy
}

func (r lossyReader) Row(id memory.ID) (store.Row, error) {
	return asked(r.of, func() (store.Row, error) { return r.Reader.Row(id) })
}

func (r lossyReader) Alias(space, name string) (memory.ID, error) {
	return asked(r.of, func() (memory.ID, error) { return r.Reader.Alias(space, name) })
}

func (r lossyReader) Altered(numbers []int64) ([]int64, error) {
	return asked(r.of, func() ([]int64, error) { return r.Reader.Altered(numbers) })
}

func (r lossyReader) Attached(space, key string, imp int64) (store.Attachment, error) {
	return asked(r.of, func() (store.Attachment, error) { return r.Reader.Attached(space, key, imp) })
}

func (r lossyReader) Relating(target string) ([]memory.ID, error) {
	return asked(r.of, func() ([]memory.ID, error) { return r.Reader.Relating(target) })
}

func (r lossyReader) Rows(f store.Filter, after store.Cursor, max int) ([]store.Row, error) {
	return asked(r.of, func() ([]store.Row, error) { return r.Reader.Rows(f, after, max) })
}

func (r lossyReader) Numbered(numbers []int64) ([]store.Row, error) {
	return asked(r.of, func() ([]store.Row, error) { return r.Reader.Numbered(numbers) })
}

func (r lossyReader) IndexEntries(numbers []int64) ([]store.IndexEntry, error) {
	return asked(r.of, func() ([]store.IndexEntry, error) { return r.Reader.IndexEntries(numbers) })
}

func (r lossyReader) Attachments(f store.AttachmentFilter, after int64, max int) ([]store.Attachment, error) {
	return asked(r.of, func() ([]store.Attachment, error) { return r.Reader.Attachments(f, after, max) })
}

// lossyWriter reads as lossyReader does.
type lossyWriter struct {
	store.Writer
	r lossyReader
}

func (w lossyWriter) Row(id memory.ID) (store.Row, error)         { return w.r.Row(id) }
func (w lossyWriter) Alias(space, name string) (memory.ID, error) { return w.r.Alias(space, name) }
func (w lossyWriter) Altered(numbers []int64) ([]int64, error)    { return w.r.Altered(numbers) }
func (w lossyWriter) Relating(target string) ([]memory.ID, error) { return w.r.Relating(target) }
func (w lossyWriter) Numbered(n []int64) ([]store.Row, error)     { return w.r.Numbered(n) }
func (w lossyWriter) Rows(f store.Filter, after store.Cursor, max int) ([]store.Row, error) {
	return w.r.Rows(f, after, max)
}
func (w lossyWriter) Attachments(f store.AttachmentFilter, after int64, max int) ([]store.Attachment, error) {
	return w.r.Attachments(f, after, max)
}
func (w lossyWriter) Attached(s, k string, imp int64) (store.Attachment, error) {
	return w.r.Attached(s, k, imp)
}

func (w lossyWriter) Holder(id memory.ID) (store.Row, error) {
	return asked(w.r.of, func() (store.Row, error) { return w.Writer.Holder(id) })
}

func asked[T any](l *lossy, answer func() (T, error)) (T, error) {
	if err := l.answer(); err != nil {
		var none T
		return none, err
	}
	return answer()
}

// KilledAt returns a vault over the same store that ends within a transaction, as a process
// does that is killed: from the nth question on nothing is answered any more.
func (h *House) KilledAt(n int64) *vault.Vault {
	l := &lossy{Store: h.Store, dies: true}
	l.left.Store(n)
	return h.over(l)
}

func (h *House) over(s store.Store) *vault.Vault {
	return vault.New(vault.Options{Beliefs: belief.Open, Store: s, Now: func() time.Time { return h.Now }, Key: h.Holds, Signed: true, Tokens: true,
		Owner: h.Key.DID(), Producer: Here, Batch: Batch})
}

// EachLost calls do again and again: first the first question fails, then the second,
// and so on, until all are answered. Each failure must reach the caller, whatever was
// asked.
func (h *House) EachLost(t *testing.T, do func(v *vault.Vault) error) {
	t.Helper()
	l := &lossy{Store: h.Store}
	v := h.over(l)
	for n := int64(1); n < 10_000; n++ {
		l.left.Store(n)
		err := do(v)
		if !l.lost() {
			if err != nil || n == 1 {
				t.Errorf("with all answers, after %d: %v", n-1, err)
			}
			return
		}
		if !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("without answer %d: %v", n, err)
		}
	}
	t.Error("it never ends")
}
