package runstore_test

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/postgres/pgtest"
	"github.com/satchel-memory/satchel/internal/vault/runstore"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// house is a [vaulttest.House] that keeps runs, with an agent a.
type house struct {
	*vaulttest.House
	runs *runstore.Service
}

// onEach is [vaulttest.OnEach] with houses of this package.
func onEach(t *testing.T, test func(*testing.T, *house)) {
	vaulttest.OnEach(t, func(t *testing.T, open vaulttest.Opener) {
		test(t, houseOf(open(t)))
	})
}

func houseOf(h *vaulttest.House) *house {
	if _, _, err := h.KeepAgent(h.Ctx, h.Me(), vaulttest.AgentOf("a", "one")); err != nil {
		h.T.Fatal(err)
	}
	return &house{h, runstore.New(h.Vault)}
}

// another returns the same store as another server sees it.
func (h *house) another() *house {
	h.T.Helper()
	next := vaulttest.Over(h.T, h.Path, func(func(memory.DID) []byte) store.Store { return h.Again(h.Seal) })
	h.T.Cleanup(func() { _ = next.Store.Close() })
	return &house{next, runstore.New(next.Vault)}
}

func draft(id string) runstore.Draft {
	return runstore.Draft{Run: runstore.Run{ID: id, Agent: "a", Revision: 1, Status: "running"}}
}

// held is a draft that its holder goes on with.
func held(id, holder string) runstore.Draft {
	d := draft(id)
	d.Hold = runstore.Hold{Holder: holder, Lease: time.Hour}
	return d
}

// says returns events with these texts.
func says(texts ...string) (events []runstore.Event) {
	for _, text := range texts {
		events = append(events, runstore.Event{Document: fmt.Appendf(nil, "{%q:1}", text)})
	}
	return events
}

func (h *house) start(d runstore.Draft, texts ...string) runstore.Run {
	h.T.Helper()
	run, err := h.runs.Start(h.Ctx, h.Me(), d, says(texts...))
	if err != nil {
		h.T.Fatal(err)
	}
	return run
}

// append appends texts; c says what else changes.
func (h *house) append(id string, fence int64, c runstore.Change, texts ...string) error {
	_, err := h.runs.Append(h.Ctx, h.Me(), id, fence, runstore.Append{Change: c, Events: says(texts...)})
	return err
}

// said returns the events of a run.
func (h *house) said(id string) (all string) {
	h.T.Helper()
	events, err := h.runs.Events(h.Ctx, h.Me(), id, 0, 99)
	if err != nil {
		h.T.Fatal(err)
	}
	for _, e := range events {
		all += fmt.Sprint(e.Number, string(e.Document))
	}
	return all
}
