package e2e

import (
	"encoding/json"
	"strings"
	"testing"
)

type device struct{ Machine, Name, State string }

// devices lists the machines that a machine knows.
func (h *home) devices() (list []device) {
	h.Helper()
	var known struct{ Machines []device }
	if err := json.Unmarshal([]byte(h.run("devices", "--json")), &known); err != nil {
		h.Fatal(err)
	}
	return known.Machines
}

// self returns a machine as it knows itself.
func (h *home) self() (self device) {
	h.Helper()
	for _, d := range h.devices() {
		if d.State == "this" {
			self = d
		}
	}
	return self
}

// names maps the ids of the machines that a machine knows to their names.
func (h *home) names() map[string]string {
	h.Helper()
	all := map[string]string{}
	for _, d := range h.devices() {
		all[d.Machine] = d.Name
	}
	return all
}

// refuses calls the program, which refuses with some words.
func (h *home) refuses(words string, args ...string) {
	h.Helper()
	if out, errs, err := h.try(args...); err == nil || !strings.Contains(errs, words) {
		h.Errorf("satchel %s: %v, not %q\n%s%s", strings.Join(args, " "), err, words, out, errs)
	}
}

// TestMachinesOfOneOwner: what the owner decides on one machine counts on all.
func TestMachinesOfOneOwner(t *testing.T) {
	t.Parallel()
	m := newTrio(t)
	m.decides(t)
	m.names(t)
}

// names: machines that got one name apart are told apart by their DIDs alone.
func (m *trio) names(t *testing.T) {
	t.Helper()
	second, third := m.b.self().Machine, m.c.self().Machine
	m.a.run("devices", "rename", second, "desk")
	m.a.refuses("another machine has the name desk", "devices", "rename", third, "desk")
	m.c.run("devices", "rename", third, "desk")
	m.meet(t)
	for _, h := range []*home{m.a, m.b, m.c} {
		if all := h.names(); all[second] != "desk" || all[third] != "desk" || len(all) != 3 {
			t.Errorf("the machines are %v", all)
		}
		h.refuses("several have it", "devices", "rename", "desk", "table")
		h.refuses("several have it", "devices", "remove", "desk", "--yes")
	}
	m.b.run("devices", "rename", third, "lap")
	m.a.run("devices", "rename", third, "lapdog")
	m.a.run("devices", "rename", third, "laptop") // the latest name: it was renamed more often
	m.meet(t)
	for _, h := range []*home{m.a, m.b, m.c} {
		if all := h.names(); all[second] != "desk" || all[third] != "laptop" {
			t.Errorf("the machines are %v", all)
		}
	}
	m.a.run("devices", "remove", "laptop", "--yes")
	m.a.run("sync")
	m.b.run("sync", "stick")
	if out := m.b.run("devices"); strings.Contains(out, "laptop") || !strings.Contains(m.b.run("devices", "list", "--all"), "laptop") {
		t.Errorf("after its removal, machines are\n%s", out)
	}
	m.b.run("devices", "rename", second, "laptop") // the name of a removed machine is free
	m.c.refuses("removed", "sync", "http://"+m.server.at())
}

// decides: what was revised apart waits on every machine, with both texts, and a decision on
// one settles it on all.
func (m *trio) decides(t *testing.T) {
	t.Helper()
	shared := id(m.a.run("remember", "I live in Lyon"))
	m.meet(t)
	paris := id(m.a.run("revise", shared, "--text", "I live in Paris"))
	m.c.run("revise", shared, "--text", "I live in Nice")
	m.meet(t)
	want := m.a.run("corrections", "list", "--json")
	for _, h := range []*home{m.a, m.b, m.c} {
		out := h.run("corrections", "list")
		if !strings.Contains(out, "Paris") || !strings.Contains(out, "Nice") {
			t.Errorf("what waits does not show both texts:\n%s", out)
		}
		if got := h.run("corrections", "list", "--json"); got != want {
			t.Errorf("what waits is\n%s\nnot\n%s", got, want)
		}
	}
	m.c.run("corrections", "confirm", paris, "--yes")
	m.meet(t)
	m.same(t)
	for _, h := range []*home{m.a, m.b, m.c} {
		if out := h.run("corrections", "list", "--json"); strings.Contains(out, "Paris") || strings.Contains(out, "Nice") {
			t.Errorf("after the decision there waits %s", out)
		}
		if out := h.run("recall", "where do I live?"); !strings.Contains(out, "Paris") || strings.Contains(out, "Nice") {
			t.Errorf("after the decision it recalls %s", out)
		}
	}
}

// TestMachinesAfterRekey: a new key of the owner's makes a new owner. The machine where it was
// made goes on, and others join it again; those that stay with the old key get nothing.
func TestMachinesAfterRekey(t *testing.T) {
	t.Parallel()
	m := newTrio(t)
	m.meet(t)
	m.server.stop()
	was := m.b.did()
	if _, errs, err := m.b.try("owner", "rekey", "--yes"); err != nil || !strings.Contains(errs, "satchel pair") {
		t.Errorf("rekey: %v\n%s", err, errs)
	}
	m.server.start()
	if m.b.did() == was {
		t.Fatal("the owner has the old key")
	}
	m.b.run("remember", "After the new key")
	m.b.run("sync", "add", m.folder, "--name", "stick") // a new owner has no remotes
	if out, errs, err := m.c.try("sync", "http://"+m.server.at()); err == nil || !strings.Contains(errs, "owner") {
		t.Errorf("a machine of the old key: %v\n%s%s", err, out, errs)
	}
	m.a.run("sync")
	for _, h := range []*home{m.a, m.c} {
		if len(h.saying("After the new key")) > 0 || len(h.saying("Known before")) != 1 {
			t.Error("a machine of the old key has something of the new one, or lost what it had")
		}
	}
	again := m.b.joins()
	again.run("sync", "add", m.folder, "--name", "stick")
	again.run("remember", "On the machine that joined again")
	again.run("sync")
	m.b.run("sync", "stick")
	for _, h := range []*home{m.b, again} {
		for _, text := range []string{"Known before", "After the new key", "On the machine that joined again"} {
			if len(h.saying(text)) != 1 {
				t.Errorf("%q is %d times on a machine of the new key", text, len(h.saying(text)))
			}
		}
	}
	if n := len(again.devices()); n != 2 {
		t.Errorf("the new owner has %d machines:\n%s", n, again.run("devices"))
	}
}
