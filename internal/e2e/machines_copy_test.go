package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// begun is what satchel init says with -v if the store begins with a copy.
const begun = "begins with a copy of the other machine's"

// pairs starts satchel pair, and returns the code and the address that it shows.
func (h *home) pairs() (pair *exec.Cmd, code, address string) {
	h.Helper()
	pair = h.command("pair", "--listen", "127.0.0.1:0", "--json")
	out, err := pair.StdoutPipe()
	if err == nil {
		err = pair.Start()
	}
	if err != nil {
		h.Fatal(err)
	}
	h.Cleanup(func() { _ = pair.Process.Kill() }) // it may have ended
	var shown struct{ Join string }
	in := json.NewDecoder(bufio.NewReader(out))
	if err := in.Decode(&shown); err != nil {
		h.Fatal(err)
	}
	go func() { _, _ = io.Copy(io.Discard, out) }() // what it says in the end
	code, address, _ = strings.Cut(shown.Join, "@")
	return pair, code, address
}

var talkative prepared

// newTalkative makes a home whose store is larger than what may be sent of it in
// [TestACopyIsCut].
func newTalkative(t *testing.T) *home {
	t.Helper()
	return talkative.copy(t, "talkative", func(h *home) {
		h.run("init")
		h.sayMuch(700)
	})
}

// sayMuch imports a list of n facts.
func (h *home) sayMuch(n int) {
	h.Helper()
	var list strings.Builder
	for i := range n {
		fmt.Fprintf(&list, "- Fact %d, %x\n", i, i*i*7919)
	}
	path := filepath.Join(h.TempDir(), "list.md")
	if err := os.WriteFile(path, []byte(list.String()), 0o600); err != nil {
		h.Fatal(err)
	}
	h.run("import", "--from", "paste", "-q", path)
}

// joinsBy joins by a code, with -v, and returns what init says.
func (h *home) joinsBy(code, address string) (said string) {
	h.Helper()
	_, said, err := h.try("init", "-v", "--join", code+"@"+address)
	if err != nil {
		h.Fatalf("join: %v\n%s", err, said)
	}
	return said
}

// TestMachinesBeginWithACopy: a new machine begins with a copy of the store, without what belongs
// to the other machine. It answers as one that took part from the beginning, and what is erased
// later is erased on it too.
func TestMachinesBeginWithACopy(t *testing.T) {
	t.Parallel()
	a := newHome(t)
	a.sayMuch(100)
	first := id(a.run("remember", "Known before the others came"))
	a.run("revise", first, "--text", "Known and revised")
	gone := id(a.run("remember", doomedText(1)))
	assistant := a.connect()
	assistant.must("ump.recall", `{"query":"fact","scope":{"project":"zebraquestion"}}`) // the journal names the project
	assistant.Close()
	if found := a.tracks("zebraquestion"); len(found) == 0 {
		t.Error("nothing notes what the assistant asked about")
	}
	old := a.joins() // its own copy
	a.forget([]string{gone})
	doomed := id(a.run("remember", doomedText(2)))

	pair, code, address := a.pairs()
	b := &home{TB: t, dir: t.TempDir()}
	if said := b.joinsBy(code, address); !strings.Contains(said, begun) || !strings.Contains(said, "0 items in 1 round trips") {
		t.Errorf("init says %s", said)
	}
	if err := pair.Wait(); err != nil {
		t.Errorf("pair: %v", err)
	}
	for _, args := range [][]string{{"export", "-q"}, {"list"}, {"recall", "known"}, {"history", first}, {"recall", "Fact 77"}, {"imports", "-q"}, {"token", "list"}} {
		want, _, _ := a.try(args...)
		if got, errs, _ := b.try(args...); got != want {
			t.Errorf("%v differs:\n%s%s\nnot\n%s", args, got, errs, want)
		}
	}
	if found := b.tracks("zebraquestion"); len(found) > 0 {
		t.Errorf("what the other machine's assistants asked about is in %v", found)
	}
	b.run("audit", "verify")
	b.run("doctor")
	if a.self().Machine == b.self().Machine {
		t.Error("both are one machine")
	}

	folder := t.TempDir()
	for range 2 {
		for _, h := range []*home{a, b, old} {
			h.run("sync", folder)
		}
	}
	a.forget([]string{doomed})
	for _, h := range []*home{a, b, old} {
		h.run("sync", folder)
	}
	for name, h := range map[string]*home{"new": b, "old": old} {
		if found := h.tracks(); len(found) > 0 {
			t.Errorf("the %s machine still holds what was erased: %v", name, found)
		}
		if h.run("export", "-q") != a.run("export", "-q") {
			t.Errorf("the %s machine differs", name)
		}
	}
	b.run("verify", "--all")
}

// TestOtherOwnersDoNotTravel: a store of two owners gives no copy.
func TestOtherOwnersDoNotTravel(t *testing.T) {
	t.Parallel()
	a := newHome(t)
	a.run("remember", "Known before the others came")
	a.run("owner", "add", "--label", "bob", "-q")
	a.run("--owner", "bob", "remember", "A zebraquestion of somebody else")
	pair, code, address := a.pairs()
	b := &home{TB: t, dir: t.TempDir()}
	if said := b.joinsBy(code, address); strings.Contains(said, begun) || !strings.Contains(said, "1 memory is here now") {
		t.Errorf("init says %s", said)
	}
	if err := pair.Wait(); err != nil {
		t.Errorf("pair: %v", err)
	}
	if a.run("export", "-q") != b.run("export", "-q") {
		t.Error("the new machine lacks something")
	}
	if found := b.tracks("zebraquestion"); len(found) > 0 {
		t.Errorf("what another owner said is in %v", found)
	}
}

// cutter passes a connection on, until so many bytes have come back. Then it calls full.
type cutter struct {
	net.Listener
	to   string
	left atomic.Int64
	full func(near, far net.Conn)
}

func newCutter(t *testing.T, to string, after int64, full func(near, far net.Conn)) *cutter {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	c := &cutter{Listener: l, to: to, full: full}
	c.left.Store(after)
	go func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			go c.pass(near)
		}
	}()
	return c
}

func (c *cutter) pass(near net.Conn) {
	far, err := net.Dial("tcp", c.to)
	if err != nil {
		_ = near.Close()
		return
	}
	defer near.Close()
	defer far.Close()
	go func() { _, _ = io.Copy(far, near); _ = far.Close() }()
	b := make([]byte, 4096)
	for {
		n, err := far.Read(b)
		if before := c.left.Add(-int64(n)) + int64(n); before > 0 && before <= int64(n) {
			c.full(near, far)
		}
		if _, failed := near.Write(b[:n]); err != nil || failed != nil {
			return
		}
	}
}

// TestACopyIsCut: if the connection is cut while the copy is sent, the memory comes in packs.
func TestACopyIsCut(t *testing.T) {
	t.Parallel()
	a := newTalkative(t)
	pair, code, address := a.pairs()
	c := newCutter(t, address, 100_000, func(near, far net.Conn) { _ = near.Close(); _ = far.Close() })
	b := &home{TB: t, dir: t.TempDir()}
	if said := b.joinsBy(code, c.Addr().String()); strings.Contains(said, begun) || !strings.Contains(said, "700 memories are here now") {
		t.Errorf("init says %s", said)
	}
	if err := pair.Wait(); err != nil {
		t.Errorf("pair: %v", err)
	}
	if a.run("export", "-q") != b.run("export", "-q") {
		t.Error("the new machine lacks something")
	}
	b.run("doctor")
}

// TestACopyIsKilled: a machine that is killed while it gets the copy leaves no store, and can join
// again.
func TestACopyIsKilled(t *testing.T) {
	t.Parallel()
	a := newTalkative(t)
	pair, code, address := a.pairs()
	stuck := make(chan struct{})
	c := newCutter(t, address, 100_000, func(net.Conn, net.Conn) { close(stuck); time.Sleep(time.Minute) })
	b := &home{TB: t, dir: t.TempDir()}
	join := b.command("init", "--join", code+"@"+c.Addr().String())
	if err := join.Start(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-stuck:
	case <-time.After(30 * time.Second):
		t.Error("the copy is not under way")
	}
	_ = join.Process.Kill()
	_ = join.Wait()
	_ = pair.Process.Kill()
	_ = pair.Wait()
	if entries, err := os.ReadDir(filepath.Join(b.dir, "store")); err == nil && len(entries) > 0 {
		t.Errorf("it leaves %v", entries)
	}
	pair, code, address = a.pairs()
	if said := b.joinsBy(code, address); !strings.Contains(said, begun) {
		t.Errorf("init says %s", said)
	}
	if err := pair.Wait(); err != nil {
		t.Errorf("pair: %v", err)
	}
	if a.run("export", "-q") != b.run("export", "-q") {
		t.Error("the new machine lacks something")
	}
}
