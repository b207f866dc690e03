package postgres

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/postgres/pgtest"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/belief"
	"github.com/satchel-memory/satchel/memory"
)

// transaction is what was sent to the server in one.
type transaction struct {
	owner memory.DID
	how   string // it begins
	first string // the statement that reads the owner's row
	trips []*pgx.Batch
}

// tap is a store that notes what it sends, round trip by round trip.
type tap struct {
	*Store
	done []*transaction
}

// tapped returns a store like h's whose statements are noted. It serves one
// goroutine.
func (h *benched) tapped() *tap {
	t := &tap{}
	s, err := Open(h.b.Context(), h.url, Options{Seal: h.seal})
	if err != nil {
		h.b.Fatal(err)
	}
	h.b.Cleanup(func() { _ = s.Close() })
	config := s.config.Copy()
	config.ConnConfig.Tracer = t
	s.pool.Close()
	if s.pool, err = pgxpool.NewWithConfig(h.b.Context(), config); err != nil {
		h.b.Fatal(err)
	}
	if err := s.pool.Ping(h.b.Context()); err != nil { // connects
		h.b.Fatal(err)
	}
	t.Store = s
	return t
}

// View notes that a snapshot begins.
func (t *tap) View(ctx context.Context, owner memory.DID, fn func(store.Reader) error) error {
	t.done = append(t.done, &transaction{owner: owner, how: beginView, first: ownerStatement})
	return t.Store.View(ctx, owner, fn)
}

// Update notes that a transaction begins.
func (t *tap) Update(ctx context.Context, owner memory.DID, fn func(store.Writer) error) error {
	t.done = append(t.done, &transaction{owner: owner, how: beginUpdate, first: lockStatement})
	return t.Store.Update(ctx, owner, fn)
}

// TraceQueryStart notes a statement that is a round trip of its own, but for the one
// that furnishes a new connection.
func (t *tap) TraceQueryStart(ctx context.Context, _ *pgx.Conn, d pgx.TraceQueryStartData) context.Context {
	if len(t.done) > 0 && !strings.HasPrefix(d.SQL, "SET ROLE ") {
		one := &pgx.Batch{}
		one.Queue(d.SQL, slices.Clone(d.Args)...)
		last := t.done[len(t.done)-1]
		last.trips = append(last.trips, one)
	}
	return ctx
}

// TraceQueryEnd does nothing.
func (t *tap) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// TraceBatchStart notes the statements of one round trip.
func (t *tap) TraceBatchStart(ctx context.Context, _ *pgx.Conn, d pgx.TraceBatchStartData) context.Context {
	copied := &pgx.Batch{}
	for _, q := range d.Batch.QueuedQueries {
		copied.Queue(q.SQL, slices.Clone(q.Arguments)...)
	}
	last := t.done[len(t.done)-1]
	last.trips = append(last.trips, copied)
	return ctx
}

// TraceBatchQuery does nothing.
func (t *tap) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

// TraceBatchEnd does nothing.
func (t *tap) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}

// bare sends transactions as they were noted, over connections that are furnished
// as the store's, and reads what comes back without looking at it.
type bare struct {
	b    *testing.B
	pool *pgxpool.Pool
}

func newBare(h *benched) *bare {
	config := h.store.config.Copy()
	pool, err := pgxpool.NewWithConfig(h.b.Context(), config)
	if err != nil {
		h.b.Fatal(err)
	}
	h.b.Cleanup(pool.Close)
	return &bare{b: h.b, pool: pool}
}

func (l *bare) run(t *transaction) error {
	ctx := context.Background()
	conn, err := l.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	under := &tx{conn: conn}
	if t.how == beginUpdate {
		defer under.end()
	} else {
		defer func() { go under.end() }() // as View does
	}
	if _, _, err := under.begin(ctx, t.how, t.first, idOf(t.owner)); err != nil {
		return err
	}
	for _, trip := range t.trips {
		if err := send(ctx, conn.Conn(), trip); err != nil {
			return err
		}
	}
	return nil
}

// send makes one round trip.
func send(ctx context.Context, c *pgx.Conn, trip *pgx.Batch) error {
	if q := trip.QueuedQueries; len(q) == 1 {
		rows, err := c.Query(ctx, q[0].SQL, q[0].Arguments...)
		if err != nil {
			return err
		}
		return drain(rows)
	}
	results := c.SendBatch(ctx, trip)
	for _, q := range trip.QueuedQueries {
		rows, err := results.Query()
		if err == nil {
			err = drain(rows)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", q.SQL, err)
		}
	}
	return results.Close()
}

// drain reads all values of a result.
func drain(rows pgx.Rows) error {
	for rows.Next() {
		if _, err := rows.Values(); err != nil {
			return err
		}
	}
	return rows.Err()
}

// runAll sends each owner's transactions in their order, all owners at once.
func (l *bare) runAll(all []*transaction) {
	per := map[memory.DID][]*transaction{}
	for _, t := range all {
		per[t.owner] = append(per[t.owner], t)
	}
	var wg sync.WaitGroup
	for _, list := range per {
		wg.Go(func() {
			for _, t := range list {
				if err := l.run(t); err != nil {
					l.b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
}

// BenchmarkRemember compares durable remember, signing on, with a bare loop that
// sends the same statements in the same round trips to a database of the same
// content, and neither hashes, signs, nor cuts words. share is the bare loop's time
// over remember's; it should be at least 0.6, with one client and with sixteen, each
// of another owner.
func BenchmarkRemember(b *testing.B) {
	for _, clients := range []int{1, 16} {
		b.Run(fmt.Sprint(clients, "Clients"), func(b *testing.B) {
			h, loop, noted := threefold(b, clients)
			const turn = 32
			var theirs, ours []time.Duration
			seed := uint64(1 << 30)
			b.ResetTimer()
			for done := 0; done < b.N; done += turn {
				texts := make([][]string, clients)
				for i := range turn {
					seed++
					texts[i%clients] = append(texts[i%clients], factText(seed))
				}
				noted.store.done = nil
				noted.each(texts)
				for n := range 2 { // neither goes first always
					begin := time.Now()
					if (n+done/turn)%2 == 0 {
						loop.runAll(noted.store.done)
						theirs = append(theirs, time.Since(begin)/turn)
					} else {
						h.remember(texts)
						ours = append(ours, time.Since(begin)/turn)
					}
				}
			}
			b.StopTimer()
			b.ReportMetric(middle(theirs), "bare-µs")
			b.ReportMetric(middle(ours), "remember-µs")
			b.ReportMetric(middle(theirs)/middle(ours), "share")
		})
	}
}

// threefold makes three databases of the same content: one for satchel, one for
// the bare loop, and one to note the statements on.
func threefold(b *testing.B, owners int) (*benched, *bare, *notes) {
	b.Helper()
	server := pgtest.Start(b, pgtest.Options{Durable: true})
	url := server.Database(b)
	first := newBenched(b, url, owners)
	first.stock(8000 / owners)
	if err := first.store.Close(); err != nil {
		b.Fatal(err)
	}
	administer(b, url, "VACUUM ANALYZE")
	second, third := copyOf(b, server, url), copyOf(b, server, url)
	h := openBenched(b, url, owners)
	return h, newBare(openBenched(b, second, owners)), note(openBenched(b, third, owners))
}

// notes is a vault over a tapped store.
type notes struct {
	*benched
	store *tap
}

func note(h *benched) *notes {
	n := &notes{benched: h, store: h.tapped()}
	n.vault = vault.New(vault.Options{Beliefs: belief.Open, Store: n.store, Key: h.key, Signed: true})
	return n
}

// each stores texts, one owner after the other.
func (n *notes) each(texts [][]string) {
	for i, list := range texts {
		for _, text := range list {
			d := memory.Draft{Record: memory.Record{Kind: memory.Semantic, Body: memory.Body{Text: text}}}
			if _, err := n.vault.Remember(context.Background(), n.caller(i), d); err != nil {
				n.b.Fatal(err)
			}
		}
	}
}

// BenchmarkRecall compares recall with a bare loop of the same statements in the
// same round trips, which neither ranks, verifies, nor decodes. share should be at
// least 0.6.
func BenchmarkRecall(b *testing.B) {
	h, _, noted := threefold(b, 1)
	loop := newBare(noted.benched)
	var theirs, ours []time.Duration
	b.ResetTimer()
	for n := 0; n < b.N; n++ {
		question := questionText(uint64(n*37%8000 + 1))
		noted.store.done = nil
		noted.recall(question)
		h.recall(question) // pages and forms are known to both
		begin := time.Now()
		for _, t := range noted.store.done {
			if err := loop.run(t); err != nil {
				b.Fatal(err)
			}
		}
		between := time.Now()
		h.recall(question)
		theirs, ours = append(theirs, between.Sub(begin)), append(ours, time.Since(between))
	}
	b.StopTimer()
	b.ReportMetric(middle(theirs), "bare-µs")
	b.ReportMetric(middle(ours), "recall-µs")
	b.ReportMetric(middle(theirs)/middle(ours), "share")
}
