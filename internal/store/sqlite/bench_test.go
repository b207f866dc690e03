package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
	"github.com/satchel-memory/satchel/memory"
)

// supply makes records of 1.2 KB with about 30 different terms each, the terms
// distributed as words of a language are.
type supply struct {
	rnd  *rand.Rand
	zipf *rand.Zipf
	at   time.Time
}

func newSupply(seed uint64) *supply {
	rnd := rand.New(rand.NewPCG(seed, 7))
	return &supply{rnd: rnd, zipf: rand.NewZipf(rnd, 1.2, 8, 200_000), at: birth.Add(time.Duration(seed) * time.Hour)}
}

var origin = []byte(strings.Repeat("0123456789abcdef", 75))

func (s *supply) next() (store.Row, store.Document) {
	s.at = s.at.Add(time.Second)
	id := memory.ID(fmt.Sprintf("urn:ump:%016x%016x%020x", s.rnd.Uint64(), s.rnd.Uint64(), s.rnd.Uint64()))
	row := store.Row{ID: id, Origin: origin, Columns: store.Columns{
		Kind: memory.Semantic, Status: memory.Active, Visibility: memory.Private, Project: fmt.Sprint("project", s.rnd.IntN(20)),
		Created: s.at, Duplicate: strings.Repeat("d", 32) + string(id[8:40]), Lineage: id,
	}}
	d := store.Document{Terms: make(map[string]int), Length: 45}
	for range d.Length {
		d.Terms[fmt.Sprintf("term%d", s.zipf.Uint64())]++
	}
	return row, d
}

// stock returns a store that holds n records already.
func stock(b *testing.B, n int) (*Store, string) {
	path := filepath.Join(b.TempDir(), "satchel.db")
	s := openSealed(b, path, func(memory.DID) []byte { return []byte("a secret") })
	in := newSupply(1)
	for done := 0; done < n; done += 1000 {
		update(b, s, func(w store.Writer) error { return insertSome(w, in, 1000) })
	}
	return s, path
}

func insertSome(w store.Writer, in *supply, n int) error {
	for range n {
		if err := insertOne(w, in); err != nil {
			return err
		}
	}
	return nil
}

func insertOne(w store.Writer, in *supply) error {
	row, d := in.next()
	if _, err := w.Insert(row, d, store.Links{}); err != nil {
		return err
	}
	_, err := w.Record(store.Change{At: birth, Type: store.Created, ID: row.ID})
	return err
}

const stocked = 10_000

// BenchmarkBareLoop is what the store is measured against: one goroutine, the
// same statements on the same tables with the same durability, and nothing else.
func BenchmarkBareLoop(b *testing.B) {
	for _, per := range []int{1, 16} {
		b.Run(fmt.Sprintf("%dPerCommit", per), func(b *testing.B) {
			_, path := stock(b, stocked)
			loop := newBare(b, path, per) // its rows have no seals, so the store is not sound after it
			b.ResetTimer()
			loop.run(b.N)
		})
	}
}

// BenchmarkInsert is the store itself, with one and with sixteen goroutines.
func BenchmarkInsert(b *testing.B) {
	for _, goroutines := range []int{1, 16} {
		b.Run(fmt.Sprintf("%dGoroutines", goroutines), func(b *testing.B) {
			s, _ := stock(b, stocked)
			clients := newClients(s, goroutines)
			b.ResetTimer()
			clients.run(b, b.N)
			b.StopTimer()
			sound(b, s)
		})
	}
}

// BenchmarkRatio runs the two in turns, a little of each at a time, so that
// whatever else the machine does meets both, and compares their medians. The
// store's share is the bare loop's time per insert over its own.
func BenchmarkRatio(b *testing.B) {
	const turn = 64
	for _, n := range []int{1, 16} {
		b.Run(fmt.Sprint(n, "Clients"), func(b *testing.B) {
			_, path := stock(b, stocked)
			loop := newBare(b, path, n)
			s, _ := stock(b, stocked)
			clients := newClients(s, n)
			var bare, ours []float64
			b.ResetTimer()
			for done := 0; done < b.N; done += turn {
				start := time.Now()
				loop.run(turn)
				middle := time.Now()
				clients.run(b, turn)
				bare = append(bare, float64(middle.Sub(start).Microseconds())/turn)
				ours = append(ours, float64(time.Since(middle).Microseconds())/turn)
			}
			b.StopTimer()
			slices.Sort(bare)
			slices.Sort(ours)
			b.ReportMetric(bare[len(bare)/2], "bare-µs")
			b.ReportMetric(ours[len(ours)/2], "store-µs")
			b.ReportMetric(bare[len(bare)/2]/ours[len(ours)/2], "share")
		})
	}
}

// clients insert through the store at once.
type clients struct {
	s        *Store
	supplies []*supply
}

func newClients(s *Store, n int) *clients {
	c := &clients{s: s}
	for i := range n {
		c.supplies = append(c.supplies, newSupply(uint64(200+i)))
	}
	return c
}

func (c *clients) run(b *testing.B, n int) {
	var left atomic.Int64
	left.Store(int64(n))
	var wg sync.WaitGroup
	for _, in := range c.supplies {
		wg.Go(func() {
			for left.Add(-1) >= 0 {
				err := c.s.Update(context.Background(), ada, func(w store.Writer) error { return insertOne(w, in) })
				if err != nil {
					b.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

// bare runs statements without anything around them.
type bare struct {
	b     *testing.B
	c     *sql.Conn
	in    *supply
	per   int // inserts per commit
	stmts map[string]*sql.Stmt
}

func newBare(b *testing.B, path string, per int) *bare {
	c, err := dial(b.Context(), source(path, time.Minute, writerPragmas...))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := c.close(); err != nil {
			b.Error(err)
		}
	})
	return &bare{b: b, c: c.sql, in: newSupply(uint64(100 + per)), per: per, stmts: map[string]*sql.Stmt{}}
}

func (b *bare) run(n int) {
	for n > 0 {
		b.exec("BEGIN IMMEDIATE")
		for range min(b.per, n) {
			b.insert(b.in.next())
			n--
		}
		b.exec("COMMIT")
	}
}

func (b *bare) prepare(query string) *sql.Stmt {
	if b.stmts[query] == nil {
		stmt, err := b.c.PrepareContext(context.Background(), query)
		if err != nil {
			b.b.Fatal(err)
		}
		b.stmts[query] = stmt
	}
	return b.stmts[query]
}

func (b *bare) exec(query string, args ...any) {
	if _, err := b.prepare(query).ExecContext(context.Background(), args...); err != nil {
		b.b.Fatal(err)
	}
}

// noSeal takes the room of a seal: the bare loop hashes nothing.
var noSeal = make([]byte, stored.SealSize)

func (b *bare) insert(row store.Row, d store.Document) {
	var o owner
	err := b.prepare(selectOwner).QueryRowContext(context.Background(), string(ada)).Scan(o.fields()...)
	if err != nil {
		b.b.Fatal(err)
	}
	o.DID = string(ada)
	o.Numbered, o.Sequence, o.Documents, o.Length = o.Numbered+1, o.Sequence+1, o.Documents+1, o.Length+int64(d.Length)
	o.Records, o.Bytes = o.Records+1, o.Bytes+int64(len(row.Origin)+len(row.Current))
	rows, err := b.prepare(selectRuns).QueryContext(context.Background(), o.number)
	if err != nil || rows.Next() {
		b.b.Fatal(err)
	}
	rows.Close()
	terms := slices.Sorted(maps.Keys(d.Terms))
	b.exec(insertRecord, append(recordsTable.lay(nil, o.number, stored.RecordRow(o.Numbered, row, stored.NewIndexColumns(d, terms))), noSeal)...)
	for args := range inLists(terms, talliesSize) {
		b.exec(closeLeaves, append(append([]any{stored.FirstLeaf + o.Numbered, o.number}, args...), stored.LeafSize)...)
	}
	b.upsert(appendRow, len(terms), func(i int, args []any) []any {
		leaf := stored.AppendLeaf(nil, []store.Posting{stored.Posting(o.Numbered, d.Terms[terms[i]], d.Length)})
		return append(args, o.number, terms[i], tallyBlock, 1, leaf)
	})
	b.exec(changesTable.insert.sql(1), o.number, o.Sequence, birth.UnixMicro(), "created", string(row.ID), 0, 0, 0, "", noSeal)
	b.exec(updateOwner, append(o.Values()[1:], noSeal, o.number)...)
}

func (b *bare) upsert(m multi, n int, row func(int, []any) []any) {
	for i := 0; i < n; {
		size := 1
		for _, size = range sizes {
			if size <= n-i {
				break
			}
		}
		var args []any
		for end := i + size; i < end; i++ {
			args = row(i, args)
		}
		b.exec(m.sql(size), args...)
	}
}
