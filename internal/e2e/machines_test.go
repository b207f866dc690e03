package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/store/postgres/pgtest"
)

// joins makes a machine that shares the memory of another one, by the code that satchel pair
// shows there.
func (h *home) joins(settings ...string) *home {
	h.Helper()
	return h.joinsIn(h.TempDir(), settings...)
}

// joinsIn is joins for a machine whose home folder is dir.
func (h *home) joinsIn(dir string, settings ...string) *home {
	h.Helper()
	pair := h.command("pair", "--listen", "127.0.0.1:0", "--json")
	var errs bytes.Buffer
	pair.Stderr = &errs
	out, err := pair.StdoutPipe()
	if err == nil {
		err = pair.Start()
	}
	if err != nil {
		h.Fatal(err)
	}
	var shown struct{ Join string }
	in := json.NewDecoder(bufio.NewReader(out))
	if err := in.Decode(&shown); err != nil || shown.Join == "" {
		h.Fatalf("pair shows no code: %v %s", err, errs.String())
	}
	joined := &home{TB: h.TB, dir: dir, settings: settings}
	joined.run("init", "--join", shown.Join)
	var told struct {
		Joined string
		Synced bool
	}
	if err := in.Decode(&told); err != nil || told.Joined == "" || !told.Synced {
		h.Errorf("pair ends with %+v, %v\n%s", told, err, errs.String())
	}
	if err := pair.Wait(); err != nil {
		h.Errorf("pair: %v\n%s", err, errs.String())
	}
	return joined
}

// trio is three machines of one owner: the first two meet in a folder, the last two by the
// server of the second.
type trio struct {
	a, b, c *home
	server  *replica // of b
	folder  string
}

// joined are the machines of a trio in a folder each, before they meet anywhere.
var joined prepared

// newTrio makes a trio, whose second machine has settings if any are given.
func newTrio(t *testing.T, settings ...string) *trio {
	t.Helper()
	all := &home{TB: t, dir: t.TempDir()}
	if len(settings) > 0 {
		all.join(settings...)
	} else {
		all = joined.copy(t, "joined", func(h *home) { h.join() })
	}
	m := &trio{folder: t.TempDir()}
	m.a, m.b, m.c = all.within("first"), all.within("second", settings...), all.within("third")
	m.a.run("sync", "add", m.folder, "--name", "stick")
	m.b.run("sync", "add", m.folder, "--name", "stick")
	m.server = &replica{home: m.b, name: "the second machine"}
	m.server.start()
	t.Cleanup(func() { m.server.kill() })
	return m
}

// join makes the machines of a trio, two of which join the first.
func (h *home) join(settings ...string) {
	h.Helper()
	first := h.within("first")
	h.must(os.Mkdir(first.dir, 0o700))
	first.run("init")
	first.run("remember", "Known before the others came")
	all := []*home{first}
	for _, h := range []*home{h.within("second", settings...), h.within("third")} {
		h.must(os.Mkdir(h.dir, 0o700))
		all = append(all, first.joinsIn(h.dir, h.settings...))
	}
	for _, h := range all {
		if out := h.run("list"); !strings.Contains(out, "Known before the others came") {
			h.Fatalf("a machine that has joined lists %q", out)
		}
	}
}

// within is the home in a folder of this one.
func (h *home) within(name string, settings ...string) *home {
	return &home{TB: h.TB, dir: filepath.Join(h.dir, name), settings: settings}
}

// meet lets all machines meet: what the first knows goes by the second to the third, and what
// the third knows goes the same way back.
func (m *trio) meet(t *testing.T) {
	t.Helper()
	m.a.run("sync")
	m.b.run("sync", "stick")
	m.c.run("sync", "http://"+m.server.at())
	m.b.run("sync", "stick")
	m.a.run("sync")
}

// same fails unless all machines export the same bytes.
func (m *trio) same(t *testing.T) string {
	t.Helper()
	want := m.a.run("export", "-q")
	for name, h := range map[string]*home{"the second": m.b, "the third": m.c} {
		if got := h.run("export", "-q"); got != want {
			t.Errorf("%s machine differs:\n%s\nnot\n%s", name, got, want)
		}
	}
	return want
}

func TestMachines(t *testing.T) {
	t.Parallel()
	threeMachines(t)
}

// TestMachinesOverPostgreSQL: one of the machines keeps its memory in a database.
func TestMachinesOverPostgreSQL(t *testing.T) {
	t.Parallel()
	threeMachines(t, "SATCHEL_STORE="+pgtest.Database(t), "SATCHEL_HOME="+filepath.Join(t.TempDir(), "second"))
}

func threeMachines(t *testing.T, settings ...string) {
	m := newTrio(t, settings...)
	m.a.run("remember", "Written on the first")
	m.b.run("remember", "Written on the second")
	shared := id(m.c.run("remember", "Written on the third"))
	m.meet(t)
	all := m.same(t)
	for _, text := range []string{"before the others", "on the first", "on the second", "on the third"} {
		if !strings.Contains(all, text) {
			t.Errorf("nobody has %q", text)
		}
	}

	// Revised apart: both stay, everywhere.
	m.a.run("revise", shared, "--text", "Revised on the first")
	m.c.run("revise", shared, "--text", "Revised on the third")
	m.meet(t)
	if all = m.same(t); !strings.Contains(all, "Revised on the first") || !strings.Contains(all, "Revised on the third") {
		t.Errorf("a revision is lost:\n%s", all)
	}

	// What is erased on one machine is in no file of any other, and the one who erases hears
	// who does not know yet.
	doomed := []string{id(m.a.run("remember", doomedText(1))), id(m.a.run("remember", doomedText(2)))}
	m.meet(t)
	for _, h := range []*home{m.b, m.c} {
		if n := len(h.saying(doomedWords[0])); n != 2 {
			t.Fatalf("%d of what will be erased, not 2", n)
		}
	}
	said := m.c.forget(doomed)
	if !strings.Contains(said, `"behind"`) {
		t.Errorf("the erasure names nobody who is behind: %s", said)
	}
	m.meet(t)
	m.server.stop() // it closes its files
	for name, h := range map[string]*home{"first": m.a, "second": m.b, "third": m.c} {
		if found := h.tracks(); len(found) > 0 {
			t.Errorf("the %s machine still holds it: %v", name, found)
		}
		if n := len(h.saying(doomedWords[0])); n != 0 {
			t.Errorf("the %s machine has %d of it", name, n)
		}
	}
	if found := (&home{TB: t, dir: m.folder}).tracks(); len(found) > 0 {
		t.Errorf("the folder holds it in the clear: %v", found)
	}
	m.server.start()

	// A removed machine gets nothing.
	m.a.run("devices", "remove", m.c.self().Machine, "--yes")
	m.a.run("sync")
	m.b.run("sync", "stick")
	m.b.run("remember", "Nobody tells the third")
	if out, errs, err := m.c.try("sync", "http://"+m.server.at()); err == nil || !strings.Contains(errs, "removed") {
		t.Errorf("a removed machine syncs: %s%s", out, errs)
	}
	if _, _, err := m.c.try("sync", m.folder); err == nil && len(m.c.saying("Nobody tells")) > 0 {
		t.Error("a removed machine reads the folder")
	}
	if len(m.c.saying("Nobody tells")) > 0 {
		t.Error("a removed machine gets memories")
	}
}

// TestMachinesKilled: each machine is killed in the midst of meetings, time and again. What
// was acknowledged is on all machines in the end.
func TestMachinesKilled(t *testing.T) {
	t.Parallel()
	m := newTrio(t)
	var texts []string
	rnd := rand.New(rand.NewPCG(26, 11))
	for n := range 4 {
		for i, h := range []*home{m.a, m.b, m.c} {
			text := fmt.Sprintf("Round %d on machine %d", n, i)
			h.run("remember", text)
			texts = append(texts, text)
		}
		for _, cmd := range []*exec.Cmd{m.a.command("sync"), m.b.command("sync", "stick"), m.c.command("sync", "http://"+m.server.at())} {
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Duration(40+rnd.IntN(250)) * time.Millisecond)
			if n%3 == 2 && cmd.Args[len(cmd.Args)-1] != "stick" {
				m.server.kill()
				m.server.start()
			}
			_ = cmd.Process.Signal(os.Kill) // it may have ended
			_ = cmd.Wait()
		}
	}
	m.meet(t)
	m.meet(t)
	all := m.same(t)
	for _, text := range texts {
		if !strings.Contains(all, text) {
			t.Errorf("%q is lost", text)
		}
	}
}
