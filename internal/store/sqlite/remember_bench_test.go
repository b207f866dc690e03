package sqlite

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/recall"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/belief"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// BenchmarkRemember compares durable remember, signing on, with the bare loop of
// the same statements over rows that were prepared beforehand, turn by turn in
// one run. share is the bare loop's time over remember's; it should be at least
// 0.7, with one client and with sixteen.
func BenchmarkRemember(b *testing.B) {
	const turn = 64
	for _, n := range []int{1, 16} {
		b.Run(fmt.Sprint(n, "Clients"), func(b *testing.B) {
			key, err := keys.FromSeed(bytes.Repeat([]byte{7}, 32))
			if err != nil {
				b.Fatal(err)
			}
			_, path := stock(b, stocked)
			loop := newBare(b, path, n)
			s, _ := stock(b, stocked)
			v := vault.New(vault.Options{Beliefs: belief.Open, Store: s, Key: func(memory.DID) (keys.Private, bool) { return key, true }})
			facts := newSupply(9)
			var bare, ours []float64
			b.ResetTimer()
			for done := 0; done < b.N; done += turn {
				rows, documents := prepare(b, key, facts.texts(turn))
				texts := facts.texts(turn)
				start := time.Now()
				loop.write(rows, documents)
				middle := time.Now()
				rememberAll(b, v, key.DID(), texts, n)
				bare = append(bare, float64(middle.Sub(start).Microseconds())/turn)
				ours = append(ours, float64(time.Since(middle).Microseconds())/turn)
			}
			b.StopTimer()
			slices.Sort(bare)
			slices.Sort(ours)
			b.ReportMetric(bare[len(bare)/2], "bare-µs")
			b.ReportMetric(ours[len(ours)/2], "remember-µs")
			b.ReportMetric(bare[len(bare)/2]/ours[len(ours)/2], "share")
		})
	}
}

// texts makes n sentences of about twenty words.
func (s *supply) texts(n int) []string {
	out := make([]string, n)
	for i := range out {
		words := make([]string, 20)
		for j := range words {
			words[j] = fmt.Sprintf("word%d", s.zipf.Uint64())
		}
		out[i] = fmt.Sprintf("%s, number %d", strings.Join(words, " "), s.rnd.Uint64())
	}
	return out
}

// prepare does all of remembering but the storing.
func prepare(b *testing.B, key keys.Private, texts []string) ([]store.Row, []store.Document) {
	var rows []store.Row
	var documents []store.Document
	for _, text := range texts {
		rec, err := ump.Author(memory.Record{
			Version: ump.Edition, Kind: memory.Semantic, Body: memory.Body{Text: text},
			Scope:      memory.Scope{Owner: key.DID(), Visibility: memory.Private},
			Time:       memory.Times{Created: birth, Observed: birth, ValidFrom: birth},
			Provenance: &memory.Provenance{Actor: string(key.DID()), ActorKind: memory.ByUser, Method: "remember"},
		}, &key)
		if err != nil {
			b.Fatal(err)
		}
		rows = append(rows, store.Row{ID: rec.ID, Origin: rec.Origin, Columns: store.Columns{
			Kind: rec.Kind, Status: memory.Active, Visibility: memory.Private, Created: birth, From: birth,
			Duplicate: ump.DuplicateKey(rec), Lineage: rec.ID,
		}})
		d := store.Document{Terms: map[string]int{}}
		cut := recall.NewDocument(rec)
		d.Length = cut.Length
		for _, t := range cut.Terms {
			d.Terms[t.Term] = t.Frequency
		}
		documents = append(documents, d)
	}
	return rows, documents
}

// write inserts rows, a few to a commit, after the look-ups that remember makes.
func (b *bare) write(rows []store.Row, documents []store.Document) {
	for len(rows) > 0 {
		n := min(b.per, len(rows))
		b.exec("BEGIN IMMEDIATE")
		for i, row := range rows[:n] {
			b.none(selectDuplicates, 1, row.Columns.Duplicate)
			b.none(selectRow, 1, string(row.ID))
			b.none(selectRelating, 1, string(row.ID))
			b.insert(row, documents[i])
		}
		b.exec("COMMIT")
		rows, documents = rows[n:], documents[n:]
	}
}

// none runs a query that finds nothing.
func (b *bare) none(query string, args ...any) {
	rows, err := b.prepare(query).QueryContext(context.Background(), args...)
	if err != nil {
		b.b.Fatal(err)
	}
	if rows.Next() {
		b.b.Fatal("a look-up found a row")
	}
	if err := rows.Close(); err != nil {
		b.b.Fatal(err)
	}
}

func rememberAll(b *testing.B, v *vault.Vault, owner memory.DID, texts []string, clients int) {
	caller := memory.Caller{Owner: owner, Role: memory.Owner}
	var next atomic.Int64
	var wg sync.WaitGroup
	for range clients {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(texts)); i = next.Add(1) - 1 {
				d := memory.Draft{Record: memory.Record{Kind: memory.Semantic, Body: memory.Body{Text: texts[i]}}}
				if _, err := v.Remember(context.Background(), caller, d); err != nil {
					b.Error(err)
				}
			}
		})
	}
	wg.Wait()
}
