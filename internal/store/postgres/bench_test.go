package postgres

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/store/postgres/pgtest"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/belief"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// Every benchmark here runs on a PostgreSQL that writes to disk what it
// acknowledges, and takes turns with what it is compared with, so that whatever
// else the machine does meets both.

// benched is a vault over a database, with owners whose keys it holds.
type benched struct {
	b      *testing.B
	url    string
	store  *Store
	vault  *vault.Vault
	owners []keys.Private
}

// newBenched makes a store for n owners in an empty database.
func newBenched(b *testing.B, url string, n int) *benched {
	b.Helper()
	if err := Migrate(b.Context(), url, Options{}); err != nil {
		b.Fatal(err)
	}
	return openBenched(b, url, n)
}

// openBenched opens a store that is there.
func openBenched(b *testing.B, url string, n int) *benched {
	b.Helper()
	h := &benched{b: b, url: url}
	for i := range n {
		seed := make([]byte, 32)
		seed[0], seed[1] = byte(i), 7
		key, err := keys.FromSeed(seed)
		if err != nil {
			b.Fatal(err)
		}
		h.owners = append(h.owners, key)
	}
	s, err := Open(b.Context(), url, Options{Seal: h.seal})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.Close() })
	h.store = s
	h.vault = vault.New(vault.Options{Beliefs: belief.Open, Store: s, Key: h.key, Signed: true, Owner: h.owners[0].DID()})
	return h
}

func (h *benched) key(owner memory.DID) (keys.Private, bool) {
	for _, k := range h.owners {
		if k.DID() == owner {
			return k, true
		}
	}
	return keys.Private{}, false
}

func (h *benched) seal(owner memory.DID) []byte {
	if k, ok := h.key(owner); ok {
		return vault.SealSecret(k)
	}
	return nil
}

func (h *benched) caller(i int) memory.Caller {
	return memory.Caller{Owner: h.owners[i].DID(), Role: memory.Owner}
}

// stock imports n facts for each owner.
func (h *benched) stock(n int) {
	h.b.Helper()
	begin := time.Now()
	defer func() {
		h.b.Logf("imported %d facts in %v", n*len(h.owners), time.Since(begin).Round(time.Millisecond))
	}()
	for i := range h.owners {
		in := &supply{owner: h.owners[i].DID(), seed: uint64(1000 * i), left: n}
		if _, err := h.vault.Import(h.b.Context(), h.caller(i), in, vault.ImportOptions{}); err != nil {
			h.b.Fatal(err)
		}
	}
}

// remember stores texts, each owner those of its number, all owners at once.
func (h *benched) remember(texts [][]string) {
	var wg sync.WaitGroup
	for i := range h.owners {
		wg.Go(func() {
			for _, text := range texts[i] {
				d := memory.Draft{Record: memory.Record{Kind: memory.Semantic, Body: memory.Body{Text: text}}}
				if _, err := h.vault.Remember(context.Background(), h.caller(i), d); err != nil {
					h.b.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

// recall asks a question of the first owner's.
func (h *benched) recall(question string) {
	found, err := h.vault.Recall(context.Background(), h.caller(0), memory.Query{Text: question, Limit: 10})
	if err != nil || len(found) == 0 {
		h.b.Fatalf("%q: %d found, %v", question, len(found), err)
	}
}

// supply yields facts of about twenty words, distributed as words of a language are.
type supply struct {
	owner memory.DID
	seed  uint64
	left  int
}

// Next returns the next fact.
func (s *supply) Next() (memory.Record, error) {
	if s.left == 0 {
		return memory.Record{}, io.EOF
	}
	s.left--
	s.seed++
	return memory.Record{Kind: memory.Semantic, Body: memory.Body{Text: factText(s.seed)}, Scope: memory.Scope{Owner: s.owner},
		Time: memory.Times{Created: time.Date(2026, 1, 1, 0, 0, s.left, 0, time.UTC)}}, nil
}

// Losses returns none.
func (s *supply) Losses() []codec.Loss { return nil }

// Close does nothing.
func (s *supply) Close() error { return nil }

// factText makes the text of a number.
func factText(seed uint64) string {
	r := rand.New(rand.NewPCG(seed, 9))
	z := rand.NewZipf(r, 1.1, 4, 40_000)
	words := make([]string, 20)
	for i := range words {
		words[i] = fmt.Sprintf("word%d", z.Uint64())
	}
	return strings.Join(words, " ") + fmt.Sprintf(", number %d", r.Uint64())
}

// questionText asks for some words of a fact.
func questionText(seed uint64) string {
	words := strings.Fields(factText(seed))
	return "what about " + strings.Join(words[3:9], " ") + "?"
}

// copyOf makes a copy of a database to which nobody is connected.
func copyOf(b *testing.B, server *pgtest.Server, from string) string {
	b.Helper()
	to := server.Database(b)
	name := func(url string) string {
		c, err := pgx.ParseConfig(url)
		if err != nil {
			b.Fatal(err)
		}
		return c.Database
	}
	administer(b, server.URL(), "DROP DATABASE "+name(to), "CREATE DATABASE "+name(to)+" TEMPLATE "+name(from),
		"ALTER DATABASE "+name(to)+" SET search_path = satchel, public")
	return to
}

// administer runs statements as the superuser.
func administer(b *testing.B, url string, statements ...string) {
	b.Helper()
	c, err := pgx.Connect(b.Context(), url)
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close(context.Background())
	for _, s := range statements {
		if _, err := c.Exec(b.Context(), s); err != nil {
			b.Fatalf("%s: %v", s, err)
		}
	}
}

// middle returns the median of durations in microseconds.
func middle(list []time.Duration) float64 {
	slices.Sort(list)
	return float64(list[len(list)/2].Nanoseconds()) / 1000
}
