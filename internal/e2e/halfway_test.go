package e2e

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// halfway is a command that is killed at any point of its work.
type halfway struct {
	name  string
	args  []string
	moves bool   // to another folder
	note  string // the file of the home folder that stands while it is under way
	says  string // the command that doctor names then
}

var halfways = []halfway{
	{name: "rekey", args: []string{"owner", "rekey"}, note: "rekey.json", says: "satchel owner rekey finishes it"},
	{name: "move", args: []string{"store", "move"}, moves: true, note: "move.json", says: "satchel store move "},
}

// TestKilledHalfway kills commands that write everything anew. doctor then names the
// command that goes on, and that command finishes: nothing is lost, nothing is there
// twice, nothing that was erased comes back, and an export of before still verifies.
func TestKilledHalfway(t *testing.T) {
	t.Parallel()
	rounds := 1
	if os.Getenv("SATCHEL_LONG") != "" {
		rounds = 20
	}
	base := &home{TB: t, dir: t.TempDir()}
	base.settings = base.place("store")
	base.fillHalfway()
	for _, tt := range halfways {
		t.Run(tt.name, func(t *testing.T) {
			cut := 0
			for range rounds {
				if tt.killed(t, base, rand.N(time.Second)) {
					cut++
				}
			}
			t.Logf("%d of %d were killed on the way", cut, rounds)
		})
	}
}

// killed kills the command after a while, and reports whether it was not faster.
func (tt halfway) killed(t *testing.T, base *home, after time.Duration) bool {
	t.Helper()
	h := &home{TB: t, dir: t.TempDir()}
	from := h.place("store")
	h.settings = from
	if out, err := exec.Command("cp", "-a", filepath.Join(base.dir, "store"), h.dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want, export := h.everything(), filepath.Join(h.dir, "before.json")
	h.run("export", "-q", "--to", "ump", "-o", export)
	args, there := append(slices.Clone(tt.args), "--yes", "-q"), from
	if tt.moves {
		there = h.place("there")
		args = append(args, storeOf(from), storeOf(there))
	}
	cmd := h.command(args...)
	cmd.Env = slices.DeleteFunc(cmd.Env, func(v string) bool { return tt.moves && strings.HasPrefix(v, "SATCHEL_STORE=") })
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(after, func() { _ = cmd.Process.Kill() }) // unless it has ended
	err := cmd.Wait()
	timer.Stop()
	if err != nil {
		tt.askDoctor(h)
		again := exec.Command(cmd.Path, cmd.Args[1:]...)
		again.Env, again.Dir = cmd.Env, cmd.Dir
		if out, err := again.CombinedOutput(); err != nil {
			t.Fatalf("the command again: %v\n%s", err, out)
		}
	}
	h.settings = there
	if got := h.everything(); !slices.Equal(got, want) {
		t.Errorf("killed after %v: %d memories, want %d", after, len(got), len(want))
	}
	for _, args := range [][]string{{"verify", "--all"}, {"verify", export}, {"audit", "verify"}, {"doctor"}} {
		h.run(args...)
	}
	if found := h.tracks(doomedStems...); len(found) > 0 {
		t.Errorf("killed after %v: what was erased is in %v", after, found)
	}
	return err != nil
}

// askDoctor expects doctor to name the command that goes on, unless nothing was begun or
// all is done.
func (tt halfway) askDoctor(h *home) {
	h.Helper()
	out, _, _ := h.try("doctor") // it ends with 1 for what it finds
	if _, err := os.Stat(filepath.Join(h.dir, "store", tt.note)); err == nil && !strings.Contains(out, tt.says) {
		h.Errorf("doctor: %s", out)
	}
	if _, err := os.Stat(filepath.Join(h.dir, "there", "satchel.db")); err != nil {
		return
	}
	if _, err := os.Stat(filepath.Join(h.dir, "there", "config.json")); err != nil {
		if _, said, _ := h.try("--store", filepath.Join(h.dir, "there"), "recall", "garden"); !strings.Contains(said, "run that command again") {
			h.Errorf("recall there: %s", said)
		}
	}
}

// place returns the settings that name a folder for a store.
func (h *home) place(name string) []string {
	return []string{"SATCHEL_STORE=" + filepath.Join(h.dir, name)}
}

// storeOf returns the store that settings name.
func storeOf(settings []string) string { return strings.TrimPrefix(settings[0], "SATCHEL_STORE=") }

// fillHalfway makes a store of two owners in which something was erased.
func (h *home) fillHalfway() {
	h.Helper()
	h.run("init", "-q")
	h.run("owner", "add", "--label", "bob", "-q")
	var facts strings.Builder
	for i := range 300 {
		fmt.Fprintf(&facts, "- fact %d about the garden\n", i)
	}
	path := filepath.Join(h.dir, "facts.md")
	if err := os.WriteFile(path, []byte(facts.String()), 0o600); err != nil {
		h.Fatal(err)
	}
	h.run("import", path, "--from", "paste", "-q")
	h.run("--owner", "bob", "import", path, "--from", "paste", "-q")
	h.run("forget", id(h.run("remember", doomedText(1))), "--hard", "--yes")
}

// everything lists what both owners keep.
func (h *home) everything() (lines []string) {
	h.Helper()
	for _, owner := range [][]string{nil, {"--owner", "bob"}} {
		for line := range strings.Lines(h.run(append(owner, "export", "-q", "--to", "ump")...)) {
			if strings.Contains(line, `"text":`) || strings.Contains(line, `"id":`) {
				lines = append(lines, strings.TrimSpace(line))
			}
		}
	}
	slices.Sort(lines)
	return lines
}
