package sqlite

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// BenchmarkHardForget deletes a record and cleans the files of it.
func BenchmarkHardForget(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s, _ := stock(b, n)
			var rows []store.Row
			must(b, s.View(b.Context(), ada, func(r store.Reader) (err error) {
				rows, err = r.Rows(store.Filter{}, store.Cursor{}, n)
				return err
			}))
			must(b, s.Compact(b.Context())) // what inserting left behind
			b.ResetTimer()
			for i := range b.N {
				id := rows[i*7919%n].ID
				update(b, s, func(w store.Writer) error { return w.Delete(id) })
				must(b, s.Compact(b.Context()))
			}
		})
	}
}

// BenchmarkView reads a row, with and without a look whether an eraser asks to go
// first, in turns, and compares the medians.
func BenchmarkView(b *testing.B) {
	const turn = 40
	s, _ := stock(b, stocked)
	var id memory.ID
	must(b, s.View(b.Context(), ada, func(r store.Reader) error {
		rows, err := r.Numbered([]int64{5000})
		id = rows[0].ID
		return err
	}))
	look := func(c *conn) error {
		r := newSession(&ownerTx{c: c, ctx: b.Context()})
		_, err := r.Row(id)
		if err == store.ErrNotFound {
			err = nil
		}
		return err
	}
	var with, without []float64
	b.ResetTimer()
	for done := 0; done < b.N; done += turn {
		start := time.Now()
		for range turn {
			must(b, s.readNow(b.Context(), look))
		}
		middle := time.Now()
		for range turn {
			must(b, s.read(b.Context(), look))
		}
		without = append(without, float64(middle.Sub(start).Nanoseconds())/turn)
		with = append(with, float64(time.Since(middle).Nanoseconds())/turn)
	}
	b.StopTimer()
	slices.Sort(with)
	slices.Sort(without)
	b.ReportMetric(without[len(without)/2], "without-ns")
	b.ReportMetric(with[len(with)/2], "with-ns")
	b.ReportMetric(with[len(with)/2]/without[len(without)/2], "ratio")
}
