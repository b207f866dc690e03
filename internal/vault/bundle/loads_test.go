package bundle_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/belief"
	bundles "github.com/satchel-memory/satchel/internal/vault/bundle"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
)

// turns is a store that notes what its transactions bring.
type turns struct {
	store.Store
	under  atomic.Int32  // transactions under way
	beside atomic.Int32  // those that were asked for while another was under way
	linger time.Duration // how long the second one that brings records takes
	loads  []int         // bytes of the records that each brought, unless none
}

func (s *turns) Update(ctx context.Context, owner memory.DID, fn func(store.Writer) error) error {
	if s.under.Add(1) > 1 {
		s.beside.Add(1)
	}
	defer s.under.Add(-1)
	return s.Store.Update(ctx, owner, func(w store.Writer) error {
		weighed := &weighing{Writer: w}
		err := fn(weighed)
		if weighed.bytes == 0 {
			return err
		}
		if s.loads = append(s.loads, weighed.bytes); len(s.loads) == 2 {
			time.Sleep(s.linger)
		}
		return err
	})
}

// weighing adds up the records of a transaction.
type weighing struct {
	store.Writer
	bytes int
}

func (w *weighing) Insert(row store.Row, d store.Document, links store.Links) (int64, error) {
	w.bytes += len(row.Origin)
	return w.Writer.Insert(row, d, links)
}

// takenInTurns imports n chunks, each with a word of so many letters.
func takenInTurns(t *testing.T, s *turns, n, letters int) {
	t.Helper()
	h := open(t)
	s.Store = h.Store
	v := vault.New(vault.Options{Beliefs: belief.Open, Store: s, Now: func() time.Time { return vaulttest.Start() }, Key: h.Holds, Signed: true, Tokens: true, Owner: h.Key.DID(), Producer: "satchel-test"})
	var b vaulttest.Bundle
	for i := range n {
		b.Chunks = append(b.Chunks, vaulttest.Chunk(fmt.Sprint(i), fmt.Sprintf("fact %d %s", i, strings.Repeat("a", letters))))
	}
	report, err := bundles.New(v).ImportBrain(h.Ctx, h.Me(), b.Open(t), aimem.Import{})
	if err != nil || report.Inserted != n {
		t.Fatalf("%d inserted, %v", report.Inserted, err)
	}
}

func TestImportRenewsWithin(t *testing.T) {
	racing.Skip(t)
	s := &turns{linger: 3500 * time.Millisecond}
	takenInTurns(t, s, 800, 1)
	if len(s.loads) < 3 {
		t.Fatalf("%d transactions, too few to be long in one", len(s.loads))
	}
	if n := s.beside.Load(); n != 0 {
		t.Errorf("%d transactions were asked for while the import had one under way, which renews its lease itself", n)
	}
}

func TestImportOfLongChunks(t *testing.T) {
	racing.Skip(t)
	const most = 5 << 20
	s := &turns{}
	takenInTurns(t, s, 240, 30_000)
	for _, bytes := range s.loads {
		if bytes > most {
			t.Errorf("one transaction brought %d bytes, more than %d", bytes, most)
		}
	}
}
