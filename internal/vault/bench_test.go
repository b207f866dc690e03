package vault_test

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/recall"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// fact makes the n-th text of a corpus: words follow Zipf's law over a
// vocabulary of their own, as words in people's notes do.
func fact(n int) string {
	r := rand.New(rand.NewPCG(uint64(n), 7))
	z := rand.NewZipf(r, 1.1, 4, 40_000)
	words := make([]string, 0, 18)
	for range 8 + r.IntN(16) {
		words = append(words, "w"+strconv.FormatUint(z.Uint64(), 36))
	}
	return strings.Join(words, " ") + " note " + strconv.Itoa(n)
}

func draft(text string) memory.Draft {
	return memory.Draft{Record: memory.Record{Kind: memory.Semantic, Body: memory.Body{Text: text},
		Origin: []byte(`{"kind":"semantic","body":{"text":` + quote(text) + `}}`)}}
}

// bare writes rows the way the store does, statement for statement, on the same
// tables and indexes with the same durability, and does nothing else.
type bare struct {
	db    *sql.Conn
	stmts map[string]*sql.Stmt
	n     int64
}

func newBare(b *testing.B, path string) *bare {
	b.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(30000)&_pragma=synchronous(FULL)"+
		"&_pragma=secure_delete(ON)&_pragma=temp_store(MEMORY)&_pragma=journal_mode(WAL)&_pragma=cache_size(-8000)&_txlock=immediate")
	if err != nil {
		b.Fatal(err)
	}
	c, err := db.Conn(context.Background())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = c.Close(); _ = db.Close() })
	return &bare{db: c, stmts: map[string]*sql.Stmt{}, n: 1 << 20}
}

func (x *bare) prepare(b *testing.B, query string) *sql.Stmt {
	b.Helper()
	if x.stmts[query] == nil {
		stmt, err := x.db.PrepareContext(context.Background(), query)
		if err != nil {
			b.Fatal(err)
		}
		x.stmts[query] = stmt
	}
	return x.stmts[query]
}

func (x *bare) exec(b *testing.B, query string, args ...any) {
	b.Helper()
	if _, err := x.prepare(b, query).ExecContext(context.Background(), args...); err != nil {
		b.Fatal(err)
	}
}

// prepared is what the bare loop writes: everything but the writing is done.
type preparedRow struct {
	rec   memory.Record
	terms []string
	doc   recall.Document
	key   string
}

func prepareRows(b *testing.B, h *house, from, n int) []preparedRow {
	b.Helper()
	rows := make([]preparedRow, n)
	for i := range rows {
		rec := draft(fact(from + i)).Record
		rec.Version, rec.Scope, rec.Time.Created = "0.1", memory.Scope{Owner: h.key.DID(), Visibility: memory.Private}, h.now
		rec.Provenance = &memory.Provenance{Actor: string(h.key.DID()), ActorKind: memory.ByUser, Method: "remember"}
		born, err := ump.Author(rec, &h.key)
		if err != nil {
			b.Fatal(err)
		}
		d := recall.NewDocument(born)
		terms := map[string]bool{}
		for _, t := range d.Terms {
			terms[t.Term] = true
		}
		rows[i] = preparedRow{rec: born, terms: slices.Sorted(maps.Keys(terms)), doc: d, key: ump.DuplicateKey(born)}
	}
	return rows
}

// runs cuts terms into the few lengths that statements are prepared for.
func runs(terms []string) [][]string {
	var out [][]string
	for _, size := range []int{64, 16, 4, 1} {
		for ; len(terms) >= size; terms = terms[size:] {
			out = append(out, terms[:size])
		}
	}
	return out
}

func (x *bare) write(b *testing.B, p preparedRow) {
	b.Helper()
	x.n++
	created := p.rec.Time.Created.UnixMicro()
	var have int
	for query, arg := range map[string]string{
		`SELECT count(*) FROM records WHERE owner = 1 AND duplicate = ?`: p.key,
		`SELECT count(*) FROM records WHERE owner = 1 AND id = ?`:        string(p.rec.ID),
	} {
		if err := x.prepare(b, query).QueryRowContext(context.Background(), arg).Scan(&have); err != nil {
			b.Fatal(err)
		}
	}
	x.exec(b, `INSERT INTO records (doc, owner, id, kind, status, visibility, project, user, agent, session, created,
		valid_from, duplicate, lineage, terms, origin) VALUES (?, 1, ?, 'semantic', 'active', 'private', '', '', '', '', ?, ?, ?, '', ?, ?)`,
		1<<32+x.n, string(p.rec.ID), created, created, p.key, p.doc.Length, p.rec.Origin)
	for _, chunk := range runs(p.terms) {
		var args []any
		for _, t := range chunk {
			args = append(args, 1, t)
		}
		x.exec(b, `INSERT INTO terms (owner, term, documents) VALUES (?, ?, 1)`+strings.Repeat(", (?, ?, 1)", len(chunk)-1)+
			` ON CONFLICT DO UPDATE SET documents = documents + 1`, args...)
	}
	for _, chunk := range runs(p.terms) {
		var args []any
		for _, t := range chunk {
			args = append(args, 1, t, x.n/256, []byte{byte(x.n), 1, 10, 0})
		}
		x.exec(b, `INSERT INTO postings (owner, term, block, entries) VALUES (?, ?, ?, ?)`+strings.Repeat(", (?, ?, ?, ?)", len(chunk)-1)+
			` ON CONFLICT DO UPDATE SET entries = CAST(entries || excluded.entries AS BLOB)`, args...)
	}
	x.exec(b, `INSERT INTO changes (owner, sequence, at, type, id, import) VALUES (1, ?, ?, 'created', ?, 0)`, x.n, created, string(p.rec.ID))
	x.exec(b, `UPDATE owners SET numbered = ?, sequence = ?, documents = documents + 1, length = length + 1 WHERE owner = 1`, x.n, x.n)
}

// loop writes rows, commit by commit, and returns the time per row.
func (x *bare) loop(b *testing.B, rows []preparedRow, perCommit int) time.Duration {
	b.Helper()
	begin := time.Now()
	for chunk := range slices.Chunk(rows, perCommit) {
		x.exec(b, "BEGIN IMMEDIATE")
		for _, r := range chunk {
			x.write(b, r)
		}
		x.exec(b, "COMMIT")
	}
	return time.Since(begin) / time.Duration(len(rows))
}

// BenchmarkRemember measures durable remember with signing against the bare loop
// in the same run. The metric bare/remember should be at least 0.7.
func BenchmarkRemember(b *testing.B) {
	for _, clients := range []int{1, 16} {
		b.Run(fmt.Sprintf("clients=%d", clients), func(b *testing.B) {
			h := open(b)
			g := open(b)
			for _, x := range []*house{h, g} { // the same tables, warm, with the owner's row
				for i := range 200 {
					if _, err := x.Remember(x.ctx, x.owner(), draft(fact(i))); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ResetTimer()
			n := max(b.N, 16*clients)
			rows := prepareRows(b, g, 1000, n)
			x := newBare(b, g.path)
			// Turn by turn, so that a drift of the machine falls on both.
			var bareTime, ours time.Duration
			const turns = 4
			for t := range turns {
				lo, hi := n*t/turns, n*(t+1)/turns
				bareTime += x.loop(b, rows[lo:hi], clients) * time.Duration(hi-lo)
				ours += rememberAll(b, h, 1000+lo, hi-lo, clients)
			}
			b.ReportMetric(float64(bareTime)/float64(n), "bare-ns/op")
			b.ReportMetric(float64(ours)/float64(n), "remember-ns/op")
			b.ReportMetric(float64(bareTime)/float64(ours), "bare/remember")
		})
	}
}

func rememberAll(b *testing.B, h *house, from, n, clients int) time.Duration {
	b.Helper()
	var next atomic.Int64
	var failed atomic.Value
	begin := time.Now()
	var wg sync.WaitGroup
	for range clients {
		wg.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				if _, err := h.Remember(h.ctx, h.owner(), draft(fact(from+i))); err != nil {
					failed.Store(err)
				}
			}
		})
	}
	wg.Wait()
	if err := failed.Load(); err != nil {
		b.Fatal(err)
	}
	return time.Since(begin)
}

// corpora are stores filled once and used by every benchmark of a run.
var corpora sync.Map

// corpus returns a vault over n records. SATCHEL_BENCH_DIR keeps the stores
// between runs.
func corpus(b *testing.B, n int) *house {
	b.Helper()
	if h, ok := corpora.Load(n); ok {
		return h.(*house)
	}
	dir := os.Getenv("SATCHEL_BENCH_DIR")
	if dir == "" {
		var err error
		if dir, err = os.MkdirTemp("", "satchel-bench-"); err != nil {
			b.Fatal(err)
		}
	}
	h := openAt(b, filepath.Join(dir, fmt.Sprintf("corpus-%d", n), "satchel.db"))
	page, err := h.List(h.ctx, h.owner(), vault.ListQuery{Limit: 1})
	if err != nil {
		b.Fatal(err)
	}
	if page.Total < n {
		r := &run{}
		for i := range n {
			rec := draft(fact(i)).Record
			rec.Scope.Owner = h.key.DID()
			rec.Time.Created = h.now.Add(-time.Duration(i) * time.Minute)
			r.records = append(r.records, rec)
		}
		begin := time.Now()
		if _, err := h.Import(h.ctx, h.owner(), r, vault.ImportOptions{}); err != nil {
			b.Fatal(err)
		}
		b.Logf("imported %d records in %v", n, time.Since(begin).Round(time.Millisecond))
	}
	corpora.Store(n, h)
	return h
}

// BenchmarkRecall reports p50 and p99 at three sizes. p50 at 100 k should be at
// most 3 times p50 at 10 k, p99 at 100 k at most 10 times its p50.
func BenchmarkRecall(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		b.Run(fmt.Sprintf("records=%d", n), func(b *testing.B) {
			h := corpus(b, n)
			r := rand.New(rand.NewPCG(1, 2))
			var took []time.Duration
			b.ResetTimer()
			for b.Loop() {
				words := strings.Fields(fact(r.IntN(n)))
				r.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
				q := memory.Query{Text: "what about " + strings.Join(words[:min(6, len(words))], " ") + "?", Limit: 10}
				begin := time.Now()
				if _, err := h.Recall(h.ctx, h.owner(), q); err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(begin))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
		})
	}
}
