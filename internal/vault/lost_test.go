package vault_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	bundles "github.com/satchel-memory/satchel/internal/vault/bundle"
	"github.com/satchel-memory/satchel/internal/vault/rekey"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// lossy is a store that cannot answer one of the questions it is asked.
type lossy struct {
	store.Store
	left atomic.Int64 // questions before that one
}

// answer fails once.
func (l *lossy) answer() error {
	if l.left.Add(-1) == 0 {
		return store.ErrUnavailable
	}
	return nil
}

// lost reports whether the question was asked.
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

func (r lossyReader) Attachments(f store.AttachmentFilter, after int64, max int) ([]store.Attachment, error) {
	return asked(r.of, func() ([]store.Attachment, error) { return r.Reader.Attachments(f, after, max) })
}

// lossyWriter asks as lossyReader does.
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

// eachLost does something again and again and loses the database at the first
// question, at the second, and so on, until all are answered: whoever loses it is told
// so, whatever was asked.
func (h *house) eachLost(t *testing.T, do func(v *vault.Vault) error) {
	t.Helper()
	l := &lossy{Store: h.Store}
	v := vault.New(vault.Options{Store: l, Now: func() time.Time { return h.Now }, Key: h.Holds, Signed: true, Tokens: true,
		Owner: h.Key.DID(), Producer: vaulttest.Here})
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

// TestLostAtAnyQuestion: what the store could not be asked is neither absent nor
// damaged, and nobody goes on as if it were.
func TestLostAtAnyQuestion(t *testing.T) {
	racing.Skip(t)
	h := open(t)
	vaulttest.StockedBrain(t, h.House)
	b := vaulttest.Bundle{
		Chunks: []vaulttest.Object{vaulttest.Chunk("n1", "one"), vaulttest.Chunk("n2", "two", vaulttest.Object{"x_origin_id": "urn:aimem:far:2"}), vaulttest.Chunk("n1.p2", "three"),
			vaulttest.Chunk("3", "coffee helps", vaulttest.Object{"created_at": "2026-05-03T00:00:00Z"})},
		Edges:    []vaulttest.Object{vaulttest.Edge("3", "n1"), vaulttest.Edge("n1", "n2"), vaulttest.Edge("n2", "n1", vaulttest.Object{"weight": 1})},
		Entities: []vaulttest.Object{vaulttest.Entity("e1", "PostgreSQL"), vaulttest.NamedEntity("urn:aimem:elsewhere:e9", "Go", "technology", vaulttest.Object{"x_origin_id": "urn:aimem:far:e9"})},
		Links:    []vaulttest.Object{vaulttest.Linked("n1", "e1"), vaulttest.Linked("n2", "e9")},
	}
	writer := h.Granted(memory.Grant{ID: "t1", Verbs: []memory.Verb{memory.ReadVerb, memory.WriteVerb}})
	mine := vaulttest.Bundle{Producer: "mine", Chunks: []vaulttest.Object{vaulttest.Chunk("1", "brought with a token", vaulttest.Object{"id": "urn:aimem:mine:1"})}}
	vaulttest.WantChunks(t, "with a token", h.TakesInAs(writer, mine, aimem.Import{}), 1, 0, 0, 0)
	var taken aimem.Report
	bring := func(c memory.Caller, b vaulttest.Bundle, report *aimem.Report) func(*vault.Vault) error {
		return func(v *vault.Vault) (err error) {
			*report, err = bundles.New(v).ImportBrain(h.Ctx, c, b.Open(t), aimem.Import{})
			return err
		}
	}
	t.Run("a bundle comes", func(t *testing.T) {
		h.eachLost(t, bring(h.Me(), b, &taken))
		vaulttest.WantChunks(t, "in the end", taken, 3, 0, 1, 0)
	})
	t.Run("a bundle comes again", func(t *testing.T) {
		var again aimem.Report
		h.eachLost(t, bring(h.Me(), b, &again))
		vaulttest.WantChunks(t, "in the end", again, 0, 0, 4, 0)
		if again.Edges.Inserted+again.Entities.Inserted+again.Links.Inserted != 0 {
			t.Errorf("%+v", again)
		}
	})
	t.Run("a bundle comes again with a token", func(t *testing.T) {
		var again aimem.Report
		h.eachLost(t, bring(writer, mine, &again))
		vaulttest.WantChunks(t, "in the end", again, 0, 0, 1, 0)
	})
	t.Run("our own bundle comes back, with history", func(t *testing.T) {
		h := open(t)
		revised := h.Tell("lunch at noon", `"relations":[{"type":"about","target":"entity:lunch"}]`)
		h.Must(ump.OpRevise, `{"id":"`+string(revised)+`","patch":{"body":{"text":"lunch at one"}}}`)
		text := h.Left(aimem.Export{History: true}).Text
		h.eachLost(t, func(v *vault.Vault) error {
			r, err := bundles.New(v).ImportBrain(h.Ctx, h.Me(), vaulttest.Opened(t, text), aimem.Import{})
			if err == nil && r.Skipped != r.Chunks {
				t.Errorf("%+v", r)
			}
			return err
		})
	})
	t.Run("a bundle leaves", func(t *testing.T) {
		h.eachLost(t, func(v *vault.Vault) error {
			return bundles.New(v).ExportBrain(h.Ctx, h.Me(), aimem.Export{Embeddings: true}, func(b aimem.Brain, _ aimem.ExportReport) error {
				_, _, err := aimem.Measure(b)
				return err
			})
		})
	})
	t.Run("changes reach who wrote them with a token", func(t *testing.T) {
		h.eachLost(t, func(v *vault.Vault) error {
			events, _, err := v.Changes(h.Ctx, writer, memory.Subscription{Max: 1000})
			if err == nil && len(events) == 0 {
				t.Error("no event")
			}
			return err
		})
	})
	t.Run("recall with a token", func(t *testing.T) {
		h.eachLost(t, func(v *vault.Vault) error {
			hits, err := v.Recall(h.Ctx, writer, memory.Query{Text: "brought with a token"})
			if err == nil && len(hits) == 0 {
				t.Error("no hit")
			}
			return err
		})
	})
	t.Run("an import is taken back", func(t *testing.T) {
		h.eachLost(t, func(v *vault.Vault) error { _, err := v.Undo(h.Ctx, h.Me(), taken.Import); return err })
	})
}

// TestLostWhileRekeying: an owner whose store could not be asked goes over when it can be.
func TestLostWhileRekeying(t *testing.T) {
	racing.Skip(t)
	h := open(t)
	h.Tell("the ferry leaves at nine")
	h.TakesIn(vaulttest.Bundle{Chunks: []vaulttest.Object{vaulttest.Chunk("1", "one"), vaulttest.Chunk("2", "two")}, Edges: []vaulttest.Object{vaulttest.Edge("1", "2")}}, aimem.Import{})
	next := vaulttest.Seeded(t, 61)
	h.More = append(h.More, h.Key, next)
	h.eachLost(t, func(v *vault.Vault) error { _, err := rekey.New(v).Rekey(h.Ctx, h.Me(), next, nil); return err })
}
