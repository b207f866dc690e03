package postgres

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/postgres/pgtest"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/keys"
)

// BenchmarkOthers compares what a call costs with few and with many other owners in
// the database. remember-ratio and recall-ratio should be at most 1.3.
func BenchmarkOthers(b *testing.B) {
	server := pgtest.Start(b, pgtest.Options{Durable: true})
	few, many := crowded(b, server, 10), crowded(b, server, 10_000)
	var remembered, recalled [2][]time.Duration
	seed := uint64(1 << 31)
	b.ResetTimer()
	for n := 0; n < b.N; n++ {
		for turn := range 2 {
			at := (n + turn) % 2 // neither goes first always
			h := []*benched{few, many}[at]
			seed++
			text := [][]string{{factText(seed)}}
			begin := time.Now()
			h.remember(text)
			between := time.Now()
			h.recall(questionText(uint64(n%2000 + 1)))
			remembered[at] = append(remembered[at], between.Sub(begin))
			recalled[at] = append(recalled[at], time.Since(between))
		}
	}
	b.StopTimer()
	b.ReportMetric(middle(remembered[0]), "remember-few-µs")
	b.ReportMetric(middle(remembered[1]), "remember-many-µs")
	b.ReportMetric(middle(remembered[1])/middle(remembered[0]), "remember-ratio")
	b.ReportMetric(middle(recalled[0]), "recall-few-µs")
	b.ReportMetric(middle(recalled[1]), "recall-many-µs")
	b.ReportMetric(middle(recalled[1])/middle(recalled[0]), "recall-ratio")
}

// crowded makes a store with an owner of 2,000 facts and so many others, of three
// facts each.
func crowded(b *testing.B, server *pgtest.Server, others int) *benched {
	b.Helper()
	h := newBenched(b, server.Database(b), 1)
	h.stock(3)
	h.multiply(others)
	in := &supply{owner: h.owners[0].DID(), seed: 3, left: 1997}
	if _, err := h.vault.Import(b.Context(), h.caller(0), in, vault.ImportOptions{}); err != nil {
		b.Fatal(err)
	}
	administer(b, h.url, "VACUUM ANALYZE", "CHECKPOINT")
	return h
}

// multiply gives the rows of the only owner, those in the tables named or all, to n others.
func (h *benched) multiply(n int, tables ...string) {
	h.b.Helper()
	for _, t := range owned {
		if len(tables) > 0 && !slices.Contains(tables, t.name) {
			continue
		}
		columns := h.columns(t.name)
		shown := strings.Join(columns, ", ")
		copied := strings.Replace(shown, `"owner"`, `md5('other ' || n)::uuid`, 1)
		if t.name == "due" {
			copied = strings.Replace(copied, `"at"`, `at + 1000000000000000`, 1) // they have nothing to do for long
		}
		if t.name == "owners" {
			copied = strings.Replace(copied, `"did"`, `convert_to('did:key:other' || n, 'UTF8')`, 1)
		}
		administer(h.b, h.url, fmt.Sprintf("INSERT INTO %s (%s) SELECT %s FROM %s, generate_series(1, %d) n", t.name, shown, copied, t.name, n))
	}
}

// columns lists the columns of a table that are not made by the server.
func (h *benched) columns(table string) []string {
	c, err := pgx.Connect(h.b.Context(), h.url)
	if err != nil {
		h.b.Fatal(err)
	}
	defer c.Close(context.Background())
	rows, err := c.Query(h.b.Context(), `SELECT '"' || attname || '"' FROM pg_attribute
		WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum`, table)
	if err != nil {
		h.b.Fatal(err)
	}
	list, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(list) == 0 {
		h.b.Fatalf("columns of %s: %q, %v", table, list, err)
	}
	return list
}

// BenchmarkSize measures the room that a record takes in the database, with its
// indexes: imported, and remembered one by one; and in the log.
func BenchmarkSize(b *testing.B) {
	const imported, remembered = 10_000, 2_000
	h := newBenched(b, pgtest.Start(b, pgtest.Options{Durable: true}).Database(b), 1)
	empty := h.size()
	h.stock(imported)
	first := h.size()
	var texts []string
	for n := range remembered {
		texts = append(texts, factText(uint64(1<<32+n)))
	}
	before := h.logged()
	h.remember([][]string{texts})
	b.ReportMetric(float64(h.logged()-before)/remembered, "log-B/record")
	b.ReportMetric(float64(first-empty)/imported, "imported-B/record")
	b.ReportMetric(float64(h.size()-first)/remembered, "remembered-B/record")
	b.ReportMetric(float64(h.said())/(imported+remembered), "json-B/record")
}

// size returns how many bytes the tables and their indexes take.
func (h *benched) size() int64 {
	administer(h.b, h.url, "VACUUM")
	return h.number(`SELECT sum(pg_total_relation_size(oid))::bigint FROM pg_class WHERE relkind = 'r' AND relnamespace = 'satchel'::regnamespace`)
}

// said returns how many bytes of JSON the records are.
func (h *benched) said() int64 {
	return h.number(`SELECT sum(octet_length(origin) + coalesce(octet_length(current), 0))::bigint FROM records`)
}

// logged returns how much was written to the log so far.
func (h *benched) logged() int64 {
	return h.number(`SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint`)
}

func (h *benched) number(query string) (n int64) {
	h.b.Helper()
	c, err := pgx.Connect(h.b.Context(), h.url)
	if err != nil {
		h.b.Fatal(err)
	}
	defer c.Close(context.Background())
	if err := c.QueryRow(h.b.Context(), query).Scan(&n); err != nil {
		h.b.Fatal(err)
	}
	return n
}

// BenchmarkIdle compares what has to do with no owner, or with one whom a label names, with few
// and with many owners in the database. The ratios should be near 1.
func BenchmarkIdle(b *testing.B) {
	server := pgtest.Start(b, pgtest.Options{Durable: true})
	few, many := peopled(b, server, 1), peopled(b, server, 100_000)
	jobs := []struct {
		name string
		do   func(*benched, int) error
	}{
		{"add", func(h *benched, n int) error { return h.admit(fmt.Sprintf("owner %d", n)) }},
		{"label", func(h *benched, n int) error {
			found, err := h.vault.Owners(b.Context(), h.caller(0), fmt.Sprintf("owner %d", n))
			if err == nil && len(found) != 1 {
				err = fmt.Errorf("%d owners have the label", len(found))
			}
			return err
		}},
		{"sweep", func(h *benched, _ int) error { return h.vault.SweepAll(b.Context()) }},
		{"tidy", func(h *benched, _ int) error { return h.vault.TidyAll(b.Context()) }},
		{"tell", func(h *benched, _ int) error {
			_, err := h.store.Due(b.Context(), store.Tell, time.Now(), 256)
			return err
		}},
		{"open", func(h *benched, _ int) error {
			s, err := Open(b.Context(), h.url, Options{Seal: h.seal})
			if err == nil {
				err = s.Close()
			}
			return err
		}},
	}
	took := map[string]*[2][]time.Duration{}
	for _, j := range jobs {
		took[j.name] = new([2][]time.Duration)
	}
	b.ResetTimer()
	for n := 0; n < b.N; n++ {
		for turn := range 2 {
			at := (n + turn) % 2 // neither goes first always
			for _, j := range jobs {
				begin := time.Now()
				if err := j.do([]*benched{few, many}[at], n); err != nil {
					b.Fatalf("%s: %v", j.name, err)
				}
				took[j.name][at] = append(took[j.name][at], time.Since(begin))
			}
		}
	}
	b.StopTimer()
	for _, j := range jobs {
		b.ReportMetric(middle(took[j.name][1]), j.name+"-many-µs")
		b.ReportMetric(middle(took[j.name][1])/middle(took[j.name][0]), j.name+"-ratio")
	}
}

// peopled makes a store with an owner of one fact and so many other owners, who have rows in
// the tables owners and due alone.
func peopled(b *testing.B, server *pgtest.Server, others int) *benched {
	b.Helper()
	h := newBenched(b, server.Database(b), 1)
	h.stock(1)
	h.multiply(others, "owners", "due")
	administer(b, h.url, "VACUUM ANALYZE", "CHECKPOINT")
	return h
}

// admit lets an owner in, who keeps the key.
func (h *benched) admit(label string) error {
	key, err := keys.Generate(rand.Reader)
	if err == nil {
		_, err = h.vault.AddOwner(h.b.Context(), h.caller(0), vault.AccountOrder{Public: key.DID(), Label: label})
	}
	return err
}
