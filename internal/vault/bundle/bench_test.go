package bundle_test

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/recall"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
)

// large is a bundle of n chunks, with half as many edges.
func large(b *testing.B, n int) []byte {
	var out vaulttest.Bundle
	for i := range n {
		text := vaulttest.Fact(i)
		for more := range 12 {
			text += " " + vaulttest.Fact(n+i*12+more)
		}
		out.Chunks = append(out.Chunks, vaulttest.Chunk(fmt.Sprint(i), text))
		if i%2 == 0 {
			out.Edges = append(out.Edges, vaulttest.Edge(fmt.Sprint(i), fmt.Sprint((i*7+1)%n)))
		}
	}
	return out.Document(b)
}

// laid is what an import left in a store, to be put into another one.
type laid struct {
	rows    []store.Row
	words   []store.Document
	links   []store.Links
	aliases [][]string
	beside  []store.Attachment
}

// laidBy reads what an import of doc leaves.
func laidBy(b *testing.B, doc []byte) laid {
	h := openAt(b, filepath.Join(b.TempDir(), "satchel.db"))
	defer h.Store.Close()
	if _, err := h.ImportBrain(h.Ctx, h.Me(), vaulttest.OpenBundle(b, doc, aimem.Options{}), aimem.Import{}); err != nil {
		b.Fatal(err)
	}
	var all laid
	err := h.Store.View(h.Ctx, h.Key.DID(), func(r store.Reader) (err error) {
		if all.rows, err = r.Rows(store.Filter{}, store.Cursor{}, 1_000_000); err != nil {
			return err
		}
		all.beside, err = r.Attachments(store.AttachmentFilter{Space: "aimem.edge"}, 0, 1_000_000)
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	for _, row := range all.rows {
		rec := h.MustGet(row.ID)
		d := recall.NewDocument(rec)
		terms := make(map[string]int, len(d.Terms))
		for _, t := range d.Terms {
			terms[t.Term] = t.Frequency
		}
		all.words = append(all.words, store.Document{Terms: terms, Length: d.Length, Version: recall.Version})
		all.links = append(all.links, store.Links{Relations: rec.Relations})
		name := rec.Provenance.Source.Ref
		all.aliases = append(all.aliases, []string{name, name + "/as-it-leaves"})
	}
	return all
}

// bare puts it into another store: the same inserts, as many in a transaction, and
// nothing else.
func (l laid) bare(h *house) error {
	var number int64
	const batch = 256
	update := func(n int, do func(w store.Writer, from, to int) error) error {
		for from := 0; from < n; from += batch {
			err := h.Store.Update(h.Ctx, h.Key.DID(), func(w store.Writer) error { return do(w, from, min(from+batch, n)) })
			if err != nil {
				return err
			}
		}
		return nil
	}
	err := update(1, func(w store.Writer, _, _ int) (err error) {
		number, err = w.SetImport(store.Import{Format: "aimem", At: vaulttest.Start(), State: store.Staging, Lease: vaulttest.Start().Add(time.Minute)})
		return err
	})
	if err != nil {
		return err
	}
	err = update(len(l.rows), func(w store.Writer, from, to int) error {
		for i := from; i < to; i++ {
			row := l.rows[i]
			row.Number, row.Columns.Import, row.Columns.Staged = 0, number, true
			if _, err := w.Insert(row, l.words[i], l.links[i]); err != nil {
				return err
			}
			for _, name := range l.aliases[i] {
				if err := w.SetAlias("aimem", name, row.ID); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	err = update(len(l.beside), func(w store.Writer, from, to int) error {
		some := append([]store.Attachment(nil), l.beside[from:to]...)
		for i := range some {
			some[i].Number, some[i].Import, some[i].Staged = 0, number, true
		}
		_, err := w.AttachAll(some)
		return err
	})
	if err != nil {
		return err
	}
	return update(1, func(w store.Writer, _, _ int) error {
		_, err := w.Publish(number)
		return err
	})
}

// BenchmarkImportBrain opens and imports a bundle beside a bare loop: JSON decoded
// and hashed, and the same inserts with the same durability. share is the bare
// loop's time over ours.
func BenchmarkImportBrain(b *testing.B) {
	const chunks = 2_000
	doc := large(b, chunks)
	inserts := laidBy(b, doc)
	var bare, ours time.Duration
	for b.Loop() {
		one, other := openAt(b, filepath.Join(b.TempDir(), "bare.db")), openAt(b, filepath.Join(b.TempDir(), "ours.db"))
		began := time.Now()
		if _, err := canon.Parse(doc, canon.Options{Bytes: 1 << 30}); err != nil {
			b.Fatal(err)
		}
		_ = sha256.Sum256(doc)
		if err := inserts.bare(one); err != nil {
			b.Fatal(err)
		}
		middle := time.Now()
		report, err := other.ImportBrain(other.Ctx, other.Me(), vaulttest.OpenBundle(b, doc, aimem.Options{}), aimem.Import{})
		if err != nil || report.Inserted != chunks {
			b.Fatal(report.Inserted, err)
		}
		bare, ours = bare+middle.Sub(began), ours+time.Since(middle)
		_, _ = one.Store.Close(), other.Store.Close()
	}
	b.ReportMetric(float64(bare.Microseconds())/float64(b.N)/chunks, "bare-µs/chunk")
	b.ReportMetric(float64(ours.Microseconds())/float64(b.N)/chunks, "import-µs/chunk")
	b.ReportMetric(bare.Seconds()/ours.Seconds(), "share")
}

// BenchmarkExportBrain measures and writes a brain, written down once.
func BenchmarkExportBrain(b *testing.B) {
	const chunks = 2_000
	h := openAt(b, filepath.Join(b.TempDir(), "satchel.db"))
	defer h.Store.Close()
	if _, err := h.ImportBrain(h.Ctx, h.Me(), vaulttest.OpenBundle(b, large(b, chunks), aimem.Options{}), aimem.Import{}); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := h.Bundle(memory.Caller{Owner: h.Key.DID(), Role: memory.Owner}, aimem.Export{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/chunks, "µs/chunk")
}
