package recall_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/recall"
	"github.com/satchel-memory/satchel/internal/recall/recalltest"
	"github.com/satchel-memory/satchel/memory"
)

var now = time.Date(2026, 1, 15, 12, 0, 0, 0, time.UTC)

// everything allows every record.
func everything(memory.Record) bool { return true }

// haystack returns an index of n made-up records and questions about them.
func haystack(n int) (*recalltest.Index, []recalltest.Needle) {
	records, needles := recalltest.Corpus(n)
	idx := new(recalltest.Index)
	for _, rec := range records {
		idx.Add(rec)
	}
	return idx, needles
}

// BenchmarkSearch shows how little the time of a search grows with the number of
// memories.
func BenchmarkSearch(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		idx, needles := haystack(n)
		b.Run(fmt.Sprintf("%d records", n), func(b *testing.B) {
			b.ReportAllocs()
			before := idx.Read
			for i := 0; b.Loop(); i++ {
				query := memory.Query{Text: needles[i%len(needles)].Question}
				if _, _, err := recall.Search(context.Background(), idx, query, recall.Options{Now: now}, everything); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(idx.Read-before)/float64(b.N), "postings/op")
		})
	}
}

func BenchmarkNewDocument(b *testing.B) {
	rec := memory.Record{Kind: memory.Semantic, Body: memory.Body{
		Text: "Use pnpm in github.com/example/project, never npm: Anna's build broke twice last week because of parseLockfile v2.1.3."}}
	b.Run("alone", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			recall.NewDocument(rec)
		}
	})
	b.Run("among others", func(b *testing.B) {
		b.ReportAllocs()
		var x recall.Indexer
		for b.Loop() {
			x.Document(rec)
		}
	})
}
