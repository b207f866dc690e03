package replicate_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/replicate"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
)

// copied returns a new machine that begins with a copy of from's store. between happens on from
// after its last scan.
func copied(t tb, from *machine, number int, between func()) (*machine, error) {
	t.Helper()
	m := &machine{key: vaulttest.Seeded(from.T, byte(100+number)), seen: map[*machine]replica.Position{}, own: from.own}
	entry := replica.Machine{ID: m.key.DID(), Name: fmt.Sprint("machine ", number), Added: vaulttest.Start()}.Proven(m.key).Signed(from.House.Key)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(replicate.Admit(from.Ctx, from.Vault, from.own, entry))
	_, stream, _, err := from.Since(from.Ctx, "", replica.Position{}, 1)
	must(err)
	between()
	var b bytes.Buffer
	must(from.Store.(store.Backuper).Backup(from.Ctx, &b))
	path := filepath.Join(from.T.TempDir(), fmt.Sprint("copy ", number, ".db"))
	must(os.WriteFile(path, b.Bytes(), 0o600))
	m.House = vaulttest.OpenAt(from.T, path)
	m.Now = from.Now
	err = replicate.Part(m.Ctx, m.Store, m.House.Key.DID(), from.key.DID(), from.Self().Name, func(upto replica.Position) ([]byte, error) {
		upto.Rest = stream.Rest
		m.seen[from] = upto
		return []byte("{}"), nil
	})
	if err != nil {
		return nil, err
	}
	m.view(t, func(r store.Reader) error {
		if a, err := r.Attached(vault.MachineStateSpace, vault.SelfKey, 0); err == nil {
			t.Fatalf("the copy takes itself for %s", a.Data)
		}
		return nil
	})
	all, err := from.Machines(from.Ctx)
	must(err)
	for _, one := range all {
		must(replicate.Admit(m.Ctx, m.Vault, m.own, one))
	}
	m.Memory, err = replicate.Of(m.Ctx, m.Vault, m.House.Key.DID(), m.key.DID())
	must(err)
	return m, nil
}

// beside lists the attachments of a space.
func (m *machine) beside(t tb, space string) (list []string) {
	m.view(t, func(r store.Reader) error {
		return vault.EachBeside(r, store.AttachmentFilter{Space: space}, func(a store.Attachment) error {
			list = append(list, a.Key+" "+string(a.Data))
			return nil
		})
	})
	slices.Sort(list)
	return list
}

// beginWithCopy adds a machine that begins with a copy.
func (w *world) beginWithCopy(t *rapid.T, from *machine) {
	if from.Path == "" || len(w.all) > 4 {
		return
	}
	m, err := copied(t, from, len(w.all), func() {
		if rapid.Bool().Draw(t, "meanwhile") {
			w.remember(t, from)
			w.importing(t, from)
			w.feedback(t, from)
			w.consent(t, from)
			w.undo(t, from)
		}
	})
	if err != nil && !strings.Contains(err.Error(), "looked for changes") {
		t.Fatal(err)
	}
	if err == nil {
		w.all = append(w.all, m)
	}
}

// TestACopyIsAsGoodAsPacks: a machine that begins with a copy of a store has what one that joined
// all items has, and nothing that belongs to the other machine. It has nothing to tell.
func TestACopyIsAsGoodAsPacks(t *testing.T) {
	all := machines(t, 3, embedded)
	a, packs := all[0], all[2]
	w := newWorld(all[:2])
	lyon := a.Tell("I live in Lyon heron")
	gone := a.Tell("the heron qx1xq sat by the river")
	run := vaulttest.Drafts(a.House.Key.DID(), 3)
	if _, err := a.Import(a.Ctx, a.own, run, vault.ImportOptions{Name: "notes", Format: "test", Digest: "digest"}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := a.MintToken(a.Ctx, a.own, vault.TokenOrder{Verbs: []memory.Verb{memory.ReadVerb}, Expires: a.Now.Add(time.Hour), Name: "t"}); err != nil {
		t.Fatal(err)
	}
	meet(t, w.all)
	for _, m := range w.all {
		if err := m.Feedback(m.Ctx, m.Agent(), lyon, "followed", ""); err != nil {
			t.Fatal(err)
		}
		m.Change(lyon, fmt.Sprintf(`{"body":{"text":"I live in %s heron"}}`, m.Self().Name))
	}
	meet(t, w.all)
	a.forget(t, memory.ForgetRequest{ID: a.Tell("I like tea"), Reason: memory.Outdated})
	a.forget(t, memory.ForgetRequest{ID: gone, Reason: memory.Outdated, Hard: true})
	for range 2 { // the second hears what the first says of itself
		packs.hear(t, a, 1<<16)
		a.hear(t, packs, 1<<16)
	}
	m, err := copied(t, a, 3, func() {
		if err := a.Feedback(a.Ctx, a.Agent(), lyon, "ignored", ""); err != nil {
			t.Fatal(err)
		}
		a.Tell("the heron told after the scan")
		run := vaulttest.Drafts(a.House.Key.DID(), 2)
		run.Records[0].Body.Text, run.Records[1].Body.Text = "a heron of the second import", "another of it"
		if _, err := a.Import(a.Ctx, a.own, run, vault.ImportOptions{Name: "more notes", Format: "test", Digest: "another digest"}); err != nil {
			t.Fatal(err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	m.view(t, func(r store.Reader) error {
		spaces, err := r.Spaces()
		for _, space := range []string{vault.UndoSpace, vault.LogHeadSpace} {
			if slices.Contains(spaces, space) {
				t.Errorf("it has %s of the other machine", space)
			}
		}
		entries, _, failed := r.Audit().AuditSize()
		if machines, _ := m.Machines(m.Ctx); err == nil && failed == nil && entries != int64(len(machines)) {
			t.Errorf("its audit log has %d entries, want one for each machine", entries)
		}
		return err
	})
	if damage, err := m.Store.Check(m.Ctx); err != nil || len(damage) > 0 {
		t.Errorf("check: %v %v", damage, err)
	}
	for _, i := range a.tell(t, m, 1<<20).Items {
		t.Logf("the other machine tells it %s %q", i.Kind, i.Key)
		if i.Kind == replica.KindRecord {
			t.Errorf("it hears a record that it has")
		}
	}
	for _, i := range m.tell(t, a, 1<<20).Items {
		if i.Kind != replica.KindMachine && i.Kind != replica.KindImport { // it finds the second import as the other machine does
			t.Errorf("it tells the other machine %s %q", i.Kind, i.Key)
		}
	}
	m.hear(t, a, 1<<16) // nobody else can fill in what the copy lacks
	for _, space := range []string{vault.LessonSpace, vault.ErasureMarkSpace, vault.ItemSpace, vault.ForkSpace, "replica.facts", "replica.import"} {
		if got, want := m.beside(t, space), a.beside(t, space); !slices.Equal(got, want) || len(want) == 0 {
			t.Errorf("%s: %q, not %q", space, got, want)
		}
	}
	w.all = append(w.all, packs, m)
	meet(t, w.all)
	w.word, w.dead = map[memory.ID]string{}, map[memory.ID]bool{}
	w.check(t)
	for _, one := range w.all {
		if imports, err := one.Imports(one.Ctx, one.own); err != nil || len(imports) != 2 {
			t.Errorf("%s has %d imports, %v", one.Self().Name, len(imports), err)
		}
	}
	m.forget(t, memory.ForgetRequest{ID: lyon, Reason: memory.Outdated, Hard: true})
	meet(t, w.all)
	alike(t, w.all)
}
