package carry_test

import (
	"fmt"
	"testing"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/carry"
	"github.com/satchel-memory/satchel/memory"
)

// BenchmarkMove moves an owner of 100,000 records with some 20 terms each.
func BenchmarkMove(b *testing.B) {
	const records = 100_000
	for _, from := range kinds {
		source := from.open(b)
		for first := 0; first < records; first += 5000 {
			must(b, source.Update(b.Context(), ada, func(w store.Writer) error {
				for n := first; n < first+5000; n++ {
					if err := putLong(w, n); err != nil {
						return err
					}
				}
				return nil
			}))
		}
		for _, to := range kinds {
			b.Run(from.name+" to "+to.name, func(b *testing.B) {
				target := to.place(b)
				for b.Loop() {
					b.StopTimer()
					place := target.fresh(b)
					must(b, source.Update(b.Context(), ada, func(w store.Writer) error { return w.SetMoved("") }))
					b.StartTimer()
					_, err := carry.Move(b.Context(), source, place, carry.Options{Where: "there"})
					must(b, err)
				}
				b.ReportMetric(float64(b.N*records)/b.Elapsed().Seconds(), "records/s")
			})
		}
	}
}

func putLong(w store.Writer, n int) error {
	row := store.Row{ID: memory.ID(fmt.Sprintf("urn:ump:%06d", n)), Origin: make([]byte, 700), Columns: store.Columns{
		Kind: memory.Semantic, Status: memory.Active, Visibility: memory.Private, Created: birth, From: birth,
	}}
	d := store.Document{Terms: map[string]int{}}
	for i := range 20 {
		d.Terms[fmt.Sprint("t", (n*(i+1)+i*i)%(50<<i&0xffff|1))] = 1
		d.Length++
	}
	if _, err := w.Insert(row, d, store.Links{}); err != nil {
		return err
	}
	_, err := w.Record(store.Change{At: birth, Type: store.Created, ID: row.ID})
	return err
}
