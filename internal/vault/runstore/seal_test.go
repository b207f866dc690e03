package runstore_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/belief"
	"github.com/satchel-memory/satchel/internal/vault/runstore"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
)

// stored returns the documents of a run's events as the store has them.
func (h *house) stored(id string) (documents [][]byte) {
	h.T.Helper()
	err := h.Store.View(h.Ctx, h.Key.DID(), func(r store.Reader) error {
		events, err := r.Runs().RunEvents(id, 0, 99)
		for _, e := range events {
			documents = append(documents, e.Document)
		}
		return err
	})
	if err != nil {
		h.T.Fatal(err)
	}
	return documents
}

// misfile puts other documents into the place of those of a run's events, with rows that
// fit.
func (h *house) misfile(id string, documents [][]byte) {
	h.T.Helper()
	err := h.Store.Update(h.Ctx, h.Key.DID(), func(w store.Writer) error {
		run, err := w.Runs().Run(id)
		err = errors.Join(err, w.RunKeeper().DropRun(id))
		for i, document := range documents {
			err = errors.Join(err, w.RunKeeper().PutRunEvents([]store.RunEvent{{Run: id, Number: int64(i + 1), At: h.Now, Document: document}}))
		}
		return errors.Join(err, w.RunKeeper().PutRun(run))
	})
	if err != nil {
		h.T.Fatal(err)
	}
}

// liesIn reports whether a text lies in the files of a store.
func (h *house) liesIn(text string) bool {
	h.T.Helper()
	files, err := filepath.Glob(h.Path + "*")
	if err != nil || len(files) == 0 {
		h.T.Fatalf("%q, %v", files, err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			h.T.Fatal(err)
		}
		if bytes.Contains(b, []byte(text)) {
			return true
		}
	}
	return false
}

func TestSealed(t *testing.T) {
	onEach(t, func(t *testing.T, h *house) {
		d := held("x", "one")
		d.Seal = true
		h.start(d, "Flumberwick")
		d.ID = "y"
		h.start(d, "other")
		if err := h.append("x", 1, runstore.Change{}, "Flumberwick again"); err != nil {
			t.Fatal(err)
		}
		for i, document := range h.stored("x") {
			if !vault.IsSealed(document) || bytes.Contains(document, []byte("lumber")) {
				t.Errorf("AAIF-12-10: document %d lies in the clear", i)
			}
		}
		if h.Path != "" && h.liesIn("Flumberwick") {
			t.Error("AAIF-12-10: it lies in the files")
		}
		if got := h.said("x"); got != `1{"Flumberwick":1}2{"Flumberwick again":1}` {
			t.Errorf("it says %s", got)
		}
		closed := runstore.New(vault.New(vault.Options{Beliefs: belief.Open, Store: h.Store, Owner: h.Key.DID(), Signed: true}))
		_, err := closed.Events(h.Ctx, h.Me(), "x", 0, 9)
		fails(t, "AAIF-12-10 without the key", err, memory.Unsupported, vault.ErrKeyClosed)
		whole := h.stored("x")
		flipped := bytes.Clone(whole[0])
		flipped[len(flipped)/2] ^= 1
		for name, documents := range map[string][][]byte{"a changed byte": {flipped, whole[1]}, "events change places": {whole[1], whole[0]},
			"an event of another run": {h.stored("y")[0], whole[1]}, "cut off": {whole[0][:20], whole[1]}} {
			t.Run("AAIF-12-10 a broken seal is told apart: "+name, func(t *testing.T) {
				h.misfile("x", documents)
				_, err := h.runs.Events(h.Ctx, h.Me(), "x", 0, 9)
				fails(t, "read", err, memory.SignatureInvalid, vault.ErrSealBroken)
				if found, err := h.Health(h.Ctx); err != nil || len(found) != 1 || !strings.Contains(found[0], "run x") {
					t.Errorf("doctor says %q, %v", found, err)
				}
				if _, err := h.Rekey(h.Ctx, h.Me(), vaulttest.Seeded(t, 8), nil); !errors.Is(err, vault.ErrSealBroken) {
					t.Errorf("rekey: %v", err)
				}
			})
		}
	})
}

// TestSealedLater has the agent's definition ask for seals while a run goes on, and no longer
// ask for them afterwards.
func TestSealedLater(t *testing.T) {
	onEach(t, func(t *testing.T, h *house) {
		h.start(held("x", "one"), "Flumberwick")
		seals := vaulttest.AgentOf("a", "sealing")
		seals.Seal = true
		for _, d := range []func() error{
			func() error { _, _, err := h.KeepAgent(h.Ctx, h.Me(), seals); return err },
			func() error { return h.append("x", 1, runstore.Change{}, "b") },
			func() error { _, _, err := h.KeepAgent(h.Ctx, h.Me(), vaulttest.AgentOf("a", "open")); return err },
			func() error { return h.append("x", 1, runstore.Change{}, "c") },
		} {
			if err := d(); err != nil {
				t.Fatal(err)
			}
		}
		for i, document := range h.stored("x") {
			if !vault.IsSealed(document) {
				t.Errorf("AAIF-12-10: document %d lies in the clear", i)
			}
		}
		if got := h.said("x"); got != `1{"Flumberwick":1}2{"b":1}3{"c":1}` {
			t.Errorf("it says %s", got)
		}
		if h.Path != "" && h.liesIn("Flumberwick") {
			t.Error("AAIF-12-10: it lies in the files")
		}
		if found, err := h.Health(h.Ctx); err != nil || len(found) > 0 {
			t.Errorf("doctor says %q, %v", found, err)
		}
	})
}

// TestRemoved removes a run, an agent with its runs, and everything.
func TestRemoved(t *testing.T) {
	onEach(t, func(t *testing.T, h *house) {
		clean := func(what string) {
			t.Helper()
			if h.Path != "" && h.liesIn("Flumberwick") {
				t.Errorf("%s: it lies in the files", what)
			}
			if found, err := h.Health(h.Ctx); err != nil || len(found) > 0 {
				t.Errorf("%s: doctor says %q, %v", what, found, err)
			}
		}
		h.start(held("x", "one"), "Flumberwick")
		if pending, err := h.runs.Remove(h.Ctx, h.Me(), "x"); err != nil || pending == h.Clears() {
			t.Errorf("pending %v, %v", pending, err)
		}
		if e := h.Logged(audit.RunRemove); e.Agent != h.AuditMark(h.Me(), "a") || e.Records[0] != h.AuditMark(h.Me(), "x") {
			t.Errorf("logged %+v", e)
		}
		fails(t, "append", h.append("x", 1, runstore.Change{}, "b"), memory.NotFound, nil)
		_, err := h.runs.Remove(h.Ctx, h.Me(), "x")
		fails(t, "again", err, memory.NotFound, nil)
		clean("removed")
		h.start(held("y", "one"), "Flumberwick")
		if done, err := h.RemoveAgent(h.Ctx, h.Me(), "a"); err != nil || done.Runs != 1 {
			t.Errorf("got %+v, %v", done, err)
		}
		clean("removed with the agent")
		h = houseOf(h.House)
		h.start(held("z", "one"), "Flumberwick")
		if _, err := h.EraseBrain(h.Ctx, h.Me()); err != nil {
			t.Fatal(err)
		}
		_, err = h.runs.Get(h.Ctx, h.Me(), "z")
		fails(t, "erased", err, memory.NotFound, nil)
		clean("erased")
	})
}

// TestStray has a run whose agent is not kept any more, and one that was changed.
func TestStray(t *testing.T) {
	h := houseOf(vaulttest.Open(t))
	h.start(held("x", "one"), "a", "b")
	if err := h.Store.Update(h.Ctx, h.Key.DID(), func(w store.Writer) error { return w.AgentKeeper().DropAgent("a", 0) }); err != nil {
		t.Fatal(err)
	}
	if found, err := h.Health(h.Ctx); err != nil || len(found) != 1 || !strings.Contains(found[0], "agent is not kept") {
		t.Errorf("doctor says %q, %v", found, err)
	}
	h.Edit(`DELETE FROM run_events WHERE number = 1`)
	_, err := h.runs.Events(h.Ctx, h.Me(), "x", 0, 9)
	fails(t, "a gap", err, memory.SignatureInvalid, store.ErrAltered)
	if found, err := h.Health(h.Ctx); err != nil || !strings.Contains(strings.Join(found, "\n"), "event is missing") || !strings.Contains(strings.Join(found, "\n"), "counts 2 events, there are 1") {
		t.Errorf("doctor says %q, %v", found, err)
	}
	if _, err := h.runs.Remove(h.Ctx, h.Me(), "x"); err != nil {
		t.Errorf("it cannot be removed: %v", err)
	}
}
