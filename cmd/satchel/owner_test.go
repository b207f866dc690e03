package main

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/clitest"
	"github.com/satchel-memory/satchel/internal/cli/sharing"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/sqlite"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// filled is somebody with so many memories.
func filled(t *testing.T, n int) *tried {
	t.Helper()
	a, out, messages := clitest.Person(t, t.Context())
	p := &tried{a: a, out: out, messages: messages}
	var lines strings.Builder
	for i := range n {
		fmt.Fprintf(&lines, "- fact number %d about the garden\n", i)
	}
	file := filepath.Join(t.TempDir(), "facts.md")
	if err := os.WriteFile(file, []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	p.must(t, "init", "-q")
	p.must(t, "import", file, "--from", "paste", "-q")
	return p
}

func (p *tried) must(t *testing.T, args ...string) string {
	t.Helper()
	code, out, said := p.run(args...)
	if code != cli.ExitDone {
		t.Fatalf("%v ends with %d: %s%s", args, code, out, said)
	}
	return out
}

// process starts the program as another process.
func (p *tried) process(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return &exec.Cmd{Path: self, Args: append([]string{"satchel"}, args...),
		Env: []string{"HOME=" + p.a.Env("HOME"), "SATCHEL_STORE=" + p.a.Env("SATCHEL_STORE")}}
}

// TestRekeyIsKilled kills the program again and again while it goes over to
// another key: nothing is ever lost, and the last attempt finishes.
func TestRekeyIsKilled(t *testing.T) {
	t.Parallel()
	const n = 1500
	p := filled(t, n)
	_, before, err := p.a.ExistingStore()
	if err != nil {
		t.Fatal(err)
	}
	killed := 0
	for range 12 {
		c := p.process(t, "owner", "rekey", "--yes", "-q")
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(20*time.Millisecond + rand.N(500*time.Millisecond))
		_ = c.Process.Kill() // it may have ended by itself
		if c.Wait() == nil {
			break
		}
		killed++
		if out := p.must(t, "owner", "list", "--json"); !strings.Contains(out, fmt.Sprintf(`"records": %d`, n)) {
			t.Fatalf("no owner has all records: %s", out)
		}
		if code, out, _ := p.run("recall", "garden"); code != cli.ExitDone || !strings.Contains(out, "fact number") {
			t.Fatalf("recall ends with %d: %s", code, out)
		}
	}
	if killed == 0 {
		t.Fatal("it was never killed: the test could not fail")
	}
	if h, _, _ := p.a.ExistingStore(); cli.Exists(h.Journal()) || killed == 12 {
		p.must(t, "owner", "rekey", "--yes")
	}
	_, after, err := p.a.ExistingStore()
	if err != nil || after.Owner == before.Owner {
		t.Fatalf("the owner is %s, %v", after.Owner, err)
	}
	if out := p.must(t, "verify", "--all"); !strings.HasPrefix(out, fmt.Sprintf("%d verified, 0 unsigned, 0 failed", n)) {
		t.Errorf("verify says %s", out)
	}
	p.must(t, "doctor")
	p.must(t, "audit", "verify")
	p.must(t, "remember", "life goes on")
}

// cutOff leaves a change as a program leaves it that is killed once everything is
// under the new owner.
func cutOff(t *testing.T, p *tried) (cli.Home, cli.RekeyJournal) {
	t.Helper()
	h, conf, err := p.a.ExistingStore()
	if err != nil {
		t.Fatal(err)
	}
	c := &sharing.OwnerRekeyCmd{Yes: true}
	j, err := c.Begin(p.a, h, conf)
	if err != nil {
		t.Fatal(err)
	}
	return h, j
}

func TestRekeyCutOffBeforeAnythingIsWritten(t *testing.T) {
	t.Parallel()
	p := filled(t, 3)
	h, j := cutOff(t, p)
	code, out, _ := p.run("doctor")
	if code != cli.ExitFailed || !strings.Contains(out, "satchel owner rekey finishes it") {
		t.Errorf("doctor ends with %d: %s", code, out)
	}
	if code, _, said := p.run("backup", "-o", filepath.Join(t.TempDir(), "b.tar")); code != cli.ExitRefused {
		t.Errorf("backup ends with %d: %s", code, said)
	}
	if code, _, said := p.run("owner", "rekey", "--yes", "--key", h.Key(cli.OwnerKey)); code != cli.ExitRefused {
		t.Errorf("a change to another key ends with %d: %s", code, said)
	}
	p.must(t, "owner", "rekey", "--abandon")
	if cli.Exists(h.Journal()) || cli.Exists(h.Key(cli.NextKey)) {
		t.Error("something is left of the change")
	}
	p.must(t, "doctor")
	if out := p.must(t, "owner", "list"); strings.Contains(out, string(j.To)) {
		t.Errorf("the owners are %s", out)
	}
}

func TestRekeyCutOffInTheMiddle(t *testing.T) {
	t.Parallel()
	p := filled(t, 3)
	h, j := cutOff(t, p)
	next, err := keys.ReadFile(h.Key(cli.NextKey), nil)
	if err != nil {
		t.Fatal(err)
	}
	o, err := p.a.Open(cli.Signing)
	if err != nil {
		t.Fatal(err)
	}
	o.Next = next
	_, err = sharing.CarryOver(o, p.a, o.Caller(), next)
	if err = errors.Join(err, o.Close()); err != nil {
		t.Fatal(err)
	}
	code, _, said := p.run("remember", "meanwhile")
	if code != cli.ExitRefused || !strings.Contains(said, "satchel owner rekey finishes that") {
		t.Errorf("remember ends with %d: %s", code, said)
	}
	if out := p.must(t, "list"); strings.Count(out, "garden") != 3 {
		t.Errorf("the list is %s", out)
	}
	t.Run("given up", func(t *testing.T) {
		p.must(t, "owner", "rekey", "--abandon")
		p.must(t, "remember", "all is as before")
		p.must(t, "verify", "--all")
		p.must(t, "doctor")
	})
	t.Run("after config.json was written", func(t *testing.T) {
		h, j = cutOff(t, p)
		_, conf, err := p.a.ExistingStore()
		if err != nil {
			t.Fatal(err)
		}
		if err := new(sharing.OwnerRekeyCmd).Carry(p.a, h, conf, j); err != nil {
			t.Fatal(err)
		}
		p.must(t, "remember", "under the new key") // before the old owner is erased
		if code, _, said := p.run("owner", "rekey", "--abandon"); code != cli.ExitRefused {
			t.Errorf("abandon ends with %d: %s", code, said)
		}
		out := p.must(t, "owner", "rekey", "--json")
		if !strings.Contains(out, `"records": 5`) || !strings.Contains(out, "recovery_kit") {
			t.Errorf("the report is %s", out)
		}
		p.must(t, "doctor")
	})
}

// TestKeyOfAFormerOwner: it vouches for what the store still has of that owner, and
// nothing else needs it.
func TestKeyOfAFormerOwner(t *testing.T) {
	t.Parallel()
	p := filled(t, 1)
	h, conf, err := p.a.ExistingStore()
	if err != nil {
		t.Fatal(err)
	}
	p.must(t, "owner", "rekey", "--yes")
	retired := h.Retired(conf.Owner)
	if err := os.Rename(retired, retired+".away"); err != nil {
		t.Fatal(err)
	}
	p.must(t, "remember", "all works without it")
	p.must(t, "doctor")
	if err := os.Rename(retired+".away", retired); err != nil {
		t.Fatal(err)
	}
	p.must(t, "doctor")
	tamper(t, p.a, `UPDATE owners SET moved = 'done did:key:elsewhere' WHERE moved <> ''`)
	if code, out, _ := p.run("doctor"); code != cli.ExitFailed || !strings.Contains(out, "table owners") {
		t.Errorf("doctor ends with %d: %s", code, out)
	}
}

func TestSettleMovesKeysOnce(t *testing.T) {
	t.Parallel()
	p := filled(t, 1)
	h, j := cutOff(t, p)
	old, err := os.ReadFile(h.Key(cli.OwnerKey))
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	for range 8 {
		go func() { done <- h.Settle(j.To) }()
	}
	for range 8 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	kept, err := os.ReadFile(h.Retired(j.From))
	if err != nil || string(kept) != string(old) {
		t.Errorf("the old key is not kept: %v", err)
	}
	if key, err := keys.ReadFile(h.Key(cli.OwnerKey), nil); err != nil || key.DID() != j.To {
		t.Errorf("the new key is not in place: %v", err)
	}
}

func TestOwnerRekeyFromAPlainName(t *testing.T) {
	t.Parallel()
	p := filled(t, 1)
	h, conf, err := p.a.ExistingStore()
	if err != nil {
		t.Fatal(err)
	}
	rec, err := ump.Author(memory.Record{Kind: memory.Semantic, Body: memory.Body{Text: "I drink tea"},
		Scope: memory.Scope{Owner: "alice"}, Time: memory.Times{Created: time.Now().Add(-time.Hour)},
		Provenance: &memory.Provenance{Actor: "alice", ActorKind: memory.ByUser, Method: "told"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := sqlite.Open(t.Context(), h.Database(), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	err = s.Update(t.Context(), "alice", func(w store.Writer) error {
		_, err := w.Insert(store.Row{ID: rec.ID, Origin: rec.Origin, Columns: store.Columns{Kind: rec.Kind, Status: memory.Active,
			Visibility: memory.Private, Created: rec.Time.Created, From: rec.Time.Created, Lineage: rec.ID}}, store.Document{}, store.Links{})
		return err
	})
	if err = errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	out := p.must(t, "owner", "rekey", "--from", "alice")
	if !strings.Contains(out, "took over 1 memory of alice") {
		t.Errorf("it says %s", out)
	}
	if out := p.must(t, "verify", string(rec.ID)); !strings.Contains(out, "1 verified") {
		t.Errorf("verify says %s", out)
	}
	if _, after, err := p.a.ExistingStore(); err != nil || after.Owner != conf.Owner {
		t.Errorf("the owner is %s, %v", after.Owner, err)
	}
	if _, err := os.Lstat(h.Journal()); !errors.Is(err, fs.ErrNotExist) {
		t.Error("there is a journal")
	}
	p.must(t, "doctor")
}
