package postgres

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/postgres/pgtest"
	"github.com/satchel-memory/satchel/internal/store/storetest"
	"github.com/satchel-memory/satchel/memory"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

const ada memory.DID = "did:key:ada"

// secretOf returns another secret for each owner.
func secretOf(owner memory.DID) []byte { return []byte("secret of " + owner) }

func TestStore(t *testing.T) {
	storetest.Run(t, func(t testing.TB) store.Store {
		url := made(t)
		return &checked{Store: openSealed(t, url, secretOf), url: url, t: t}
	})
}

// checked is a store that is sound whenever a test of the suite is done with it.
type checked struct {
	*Store
	url string
	t   testing.TB
}

func (c *checked) Close() error {
	if !c.isClosing() {
		found, err := c.Check(context.Background()) // the test's own has ended
		must(c.t, err)
		if len(found) > 0 {
			c.t.Errorf("found %q", found)
		}
	}
	return c.Store.Close()
}

// Compact has the operator clean the files where that is asked for.
func (c *checked) Compact(ctx context.Context) error {
	err := c.Store.Compact(ctx)
	if !errors.Is(err, store.ErrOperator) {
		return err
	}
	err = Scrub(ctx, c.url, Options{Seal: secretOf})
	must(c.t, err)
	return c.Store.Compact(ctx)
}

func TestDurable(t *testing.T) {
	url := made(t)
	storetest.Durable(t, func(t testing.TB) store.Store { return openSealed(t, url, nil) })
}

// made returns the URL of a new store.
func made(t testing.TB) string {
	t.Helper()
	return pgtest.Copy(t, func(url string) error { return Init(context.Background(), url, Options{}) })
}

// openSealed opens a store with secrets, which closes with its test.
func openSealed(t testing.TB, url string, secret func(memory.DID) []byte) *Store {
	t.Helper()
	s, err := Open(t.Context(), url, Options{Seal: secret})
	must(t, err)
	t.Cleanup(func() { must(t, s.Close()) })
	return s
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// execute runs statements as the superuser, behind the back of the store. OWNER
// stands for ada.
func execute(t testing.TB, url string, list ...string) {
	t.Helper()
	c, err := pgx.Connect(t.Context(), url)
	must(t, err)
	defer func() { must(t, c.Close(context.Background())) }()
	for _, s := range list {
		if _, err := c.Exec(t.Context(), strings.ReplaceAll(s, "OWNER", "'"+idOf(ada).String()+"'::uuid")); err != nil {
			t.Fatalf("%v\n%s", err, s)
		}
	}
}

func update(t testing.TB, s *Store, fn func(store.Writer) error) {
	t.Helper()
	must(t, s.Update(t.Context(), ada, fn))
}

// sound expects that there is nothing to find in a store.
func sound(t testing.TB, s *Store) {
	t.Helper()
	findings, err := s.Check(t.Context())
	must(t, err)
	if len(findings) > 0 {
		t.Errorf("found %q", findings)
	}
}

var birth = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// small makes a row.
func small(id memory.ID) store.Row {
	return store.Row{ID: id, Origin: []byte(`{"n":1}`), Columns: store.Columns{
		Kind: memory.Semantic, Status: memory.Active, Visibility: memory.Private, Created: birth, Lineage: id,
	}}
}

// insertSmall adds a row that holds two terms.
func insertSmall(w store.Writer, id memory.ID) error {
	d := store.Document{Terms: map[string]int{"word": 2, string(id): 1}, Length: 3, Version: 1}
	_, err := w.Insert(small(id), d, store.Links{Supersedes: []memory.ID{"urn:ump:0"}})
	if err == nil {
		_, err = w.Record(store.Change{At: birth, Type: store.Created, ID: id})
	}
	return err
}
