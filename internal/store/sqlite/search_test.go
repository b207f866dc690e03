package sqlite

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
)

// BenchmarkReads measures what a recall asks for, in stores of two sizes.
func BenchmarkReads(b *testing.B) {
	for _, size := range []int{10_000, 100_000} {
		s, _ := stock(b, size)
		terms := []string{"term0", "term1", "term10", "term100", "term1000", "term10000"}
		in := func(name string, fn func(r store.Reader) error) {
			b.Run(fmt.Sprintf("%s/%d", name, size), func(b *testing.B) {
				err := s.View(b.Context(), ada, func(r store.Reader) error {
					for b.Loop() {
						if err := fn(r); err != nil {
							return err
						}
					}
					return nil
				})
				must(b, err)
			})
		}
		in("frequencies", func(r store.Reader) error { _, err := r.Frequencies(terms); return err })
		for _, max := range []int{16, 64, 1000} {
			in(fmt.Sprintf("%d terms that begin with three letters", max), func(r store.Reader) error {
				found, err := r.Terms("ter", max)
				if len(found) != max {
					b.Fatal(len(found))
				}
				return err
			})
		}
		for _, max := range []int{1000, 1 << 30} {
			in(fmt.Sprintf("postings at most %d of the most frequent", max), func(r store.Reader) error {
				p, err := r.Postings("term0", max)
				if len(p) < min(max, size/10) {
					b.Fatal(len(p))
				}
				return err
			})
		}
		in("postings of a rare term", func(r store.Reader) error { _, err := r.Postings("term10000", 1000); return err })
		var numbers []int64
		for n := range 64 {
			numbers = append(numbers, int64(1+n*size/64))
		}
		in("64 rows by number", func(r store.Reader) error { _, err := r.Numbered(numbers); return err })
		in("20 newest of two projects", func(r store.Reader) error {
			_, err := r.Rows(store.Filter{Projects: []string{"project3", ""}, Newest: true}, store.Cursor{}, 20)
			return err
		})
		in("projects", func(r store.Reader) error { _, err := r.Projects(time.Time{}); return err })
		b.Run(fmt.Sprint("a View of one row/", size), func(b *testing.B) {
			for b.Loop() {
				must(b, s.View(b.Context(), ada, func(r store.Reader) error {
					_, err := r.Numbered([]int64{5})
					return err
				}))
			}
		})
	}
}

// BenchmarkPostings reads the documents of a term that some of many have, written as an import
// writes them.
func BenchmarkPostings(b *testing.B) {
	for _, in := range []struct{ documents, all int }{{170, 100_000}, {10_000, 1_000_000}} {
		b.Run(fmt.Sprintf("%d of %d", in.documents, in.all), func(b *testing.B) {
			s := open(b, filepath.Join(b.TempDir(), "satchel.db"))
			rnd := rand.New(rand.NewPCG(1, 1))
			for from := 1; from < in.all; from += 1000 {
				update(b, s, func(w store.Writer) error {
					x := w.(*writer)
					for n := from; n < from+1000; n++ {
						if rnd.IntN(in.all) < in.documents {
							x.pending.Add("term", int64(n), 1, 45)
						}
					}
					return errors.Join(x.Enrol(), x.writePending())
				})
			}
			must(b, s.View(b.Context(), ada, func(r store.Reader) error {
				for b.Loop() {
					if found, err := r.Postings("term", in.all); err != nil || len(found) < in.documents*9/10 {
						return errors.Join(err, fmt.Errorf("found %d", len(found)))
					}
				}
				return nil
			}))
		})
	}
}
