package replicate_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
)

func TestErasingEverythingReachesEveryMachine(t *testing.T) {
	all := machines(t, 3, embedded)
	a, b, c := all[0], all[1], all[2]
	a.Tell("the zebrafish is secret")
	run := vaulttest.Drafts(a.own.Owner, 3)
	run.Records[0].Body.Text = "an imported zebrafish"
	b.MustTake(run, vault.ImportOptions{Name: "notes", Format: "test", Digest: "d"})
	meet(t, all)
	c.Tell("another memory, not known elsewhere")
	log, err := a.LogHead(a.Ctx)
	if err != nil || !b.hearLog(t, a, log).IsZero() {
		t.Fatal(err)
	}
	if _, err := b.EraseOwner(b.Ctx, b.own); err != nil {
		t.Fatal(err)
	}
	b.view(t, func(r store.Reader) error {
		kept, err := r.Attachments(store.AttachmentFilter{Space: "replica.log"}, 0, 2)
		if len(kept) != 1 {
			t.Errorf("%d logs of other machines are kept", len(kept))
		}
		return err
	})
	b.restarted(t)
	meet(t, all)
	alike(t, all)
	for _, m := range all {
		if n := m.Count(); n != 1 {
			t.Errorf("%s has %d memories, want the one that nobody knew of", m.Self().Name, n)
		}
		holdsNot(t, m, "zebrafish")
	}
}

func TestAnErasedMemoryNeverComesBack(t *testing.T) {
	all := machines(t, 3, embedded)
	a, b, c := all[0], all[1], all[2]
	id := a.Tell("the zebrafish is secret")
	meet(t, all)
	old := c.tell(t, &machine{seen: map[*machine]replica.Position{}, House: b.House, Memory: b.Memory}, 1<<20) // all that c knows
	a.forget(t, memory.ForgetRequest{ID: id, Reason: memory.Incorrect, Hard: true})
	a.hear(t, c, 1<<20) // c comes back after a year
	b.hear(t, a, 1<<20)
	b.join(t, c, old) // an old message is played again
	if marked, err := b.Marked(b.Ctx, old.Items); err != nil || !anyOf(marked) {
		t.Errorf("what the old message holds is not marked: %v %v", marked, err)
	}
	for _, m := range []*machine{a, b} {
		if n := m.Count(); n != 0 {
			t.Errorf("%s has it again", m.Self().Name)
		}
		holdsNot(t, m, "zebrafish")
	}
	meet(t, all)
	holdsNot(t, c, "zebrafish")
	if marks, _, err := c.Erased(c.Ctx, replica.Position{}); err != nil || len(marks) != 1 {
		t.Errorf("marks: %v %v", marks, err)
	}
}

// TestAgentsUnite: definitions unite, and one that was removed does not come back.
func TestAgentsUnite(t *testing.T) {
	all := machines(t, 2, embedded)
	a, b := all[0], all[1]
	keep := func(m *machine, digest string) {
		m.write(t, func(w store.Writer) error {
			return w.AgentKeeper().PutAgent(store.Agent{ID: "clerk", Revision: 1, Digest: digest, Version: "1.0", Received: vaulttest.Start(), Document: []byte(`{"is":"` + digest + `"}`)})
		})
	}
	keep(a, "aa")
	keep(b, "bb")
	meet(t, all)
	for _, m := range all {
		m.view(t, func(r store.Reader) error {
			for _, digest := range []string{"aa", "bb"} {
				if _, err := r.Agents().AgentAs("clerk", digest); err != nil {
					t.Errorf("%s lacks %s: %v", m.Self().Name, digest, err)
				}
			}
			return nil
		})
	}
	b.write(t, func(w store.Writer) error {
		for { // it may have several numbers, see orderAgents
			was, err := w.Agents().AgentAs("clerk", "bb")
			if errors.Is(err, store.ErrNotFound) {
				return nil
			}
			if err = errors.Join(err, w.AgentKeeper().DropAgent("clerk", was.Revision)); err != nil {
				return err
			}
		}
	})
	meet(t, all)
	a.view(t, func(r store.Reader) error {
		if _, err := r.Agents().AgentAs("clerk", "bb"); err == nil {
			t.Error("a definition that was removed on one machine is still on the other")
		}
		return nil
	})
}

func (m *machine) write(t tb, do func(store.Writer) error) {
	t.Helper()
	if err := m.Store.Update(m.Ctx, m.own.Owner, do); err != nil {
		t.Fatal(err)
	}
}

func anyOf(list []bool) bool {
	for _, one := range list {
		if one {
			return true
		}
	}
	return false
}

// holdsNot fails if a machine's files hold a word.
func holdsNot(t *testing.T, m *machine, word string) {
	t.Helper()
	files, err := filepath.Glob(m.Path + "*")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(data, []byte(word)) {
			t.Errorf("%s of %s holds %q", filepath.Base(name), m.Self().Name, word)
		}
	}
}
