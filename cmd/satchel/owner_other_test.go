package main

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/clitest"
	"github.com/satchel-memory/satchel/internal/cli/sharing"
	"github.com/satchel-memory/satchel/memory"
)

// TestRekeyOfAnotherIsCutOff cuts the change of an owner's key off once everything
// lies under the new one: meanwhile nothing can be moved, and the change can be
// finished or given up, though its key was lost.
func TestRekeyOfAnotherIsCutOff(t *testing.T) {
	t.Parallel()
	for _, end := range []struct {
		name   string
		lost   bool // the key
		finish []string
		owner  string // whose the memory is then: the old one's, or another's
	}{
		{"it is finished", false, nil, "another"},
		{"it is given up", false, []string{"--abandon"}, "the old one"},
		{"its key is lost", true, []string{"--abandon"}, "the old one"},
	} {
		t.Run(end.name, func(t *testing.T) {
			a, out, messages := clitest.Person(t, t.Context())
			p := &tried{a: a, out: out, messages: messages}
			p.must(t, "init", "-q")
			added := p.must(t, "owner", "add", "--label", "ana")
			ana := regexp.MustCompile(`did:key:\w+`).FindString(added)
			p.must(t, "--owner", "ana", "remember", "ana keeps bees")
			at := beginRekey(t, p, memory.DID(ana))
			code, _, said := p.run("store", "move", p.a.Env("SATCHEL_STORE"), filepath.Join(t.TempDir(), "to"), "--yes")
			if code != cli.ExitRefused || !strings.Contains(said, "is not finished") {
				t.Errorf("a move ends with %d: %s", code, said)
			}
			if code, found, _ := p.run("doctor"); code != cli.ExitFailed || !strings.Contains(found, "not finished") {
				t.Errorf("doctor ends with %d: %s", code, found)
			}
			if end.lost {
				if err := sharing.RemoveKeyFile(at); err != nil {
					t.Fatal(err)
				}
				if code, _, said := p.run("--owner", ana, "owner", "rekey", "--yes"); code != cli.ExitFailed || !strings.Contains(said, "--abandon") {
					t.Errorf("without the key it ends with %d: %s", code, said)
				}
			}
			p.must(t, append([]string{"--owner", ana, "owner", "rekey", "--yes"}, end.finish...)...)
			if cli.Exists(at) {
				t.Error("the key is still there")
			}
			if got := p.must(t, "--owner", "ana", "list"); !strings.Contains(got, "bees") {
				t.Errorf("what was remembered is gone: %s", got)
			}
			p.must(t, "--owner", "ana", "remember", "and chickens")
			listed := p.must(t, "owner", "list")
			if moved := strings.Contains(listed, ana+"  0 memories, went over to "); moved != (end.owner == "another") {
				t.Errorf("the memory is not that of %s: %s", end.owner, listed)
			}
			p.must(t, "doctor")
		})
	}
}

// beginRekey carries everything of an owner over to another key, which is kept in
// the file that it returns, and leaves it at that.
func beginRekey(t *testing.T, p *tried, owner memory.DID) string {
	t.Helper()
	p.a.Owner = string(owner)
	defer func() { p.a.Owner = "" }()
	o, err := p.a.Open(cli.Signing)
	if err != nil {
		t.Fatal(err)
	}
	at := sharing.Upcoming(o.Home, owner)
	if err := (&sharing.OwnerRekeyCmd{}).Prepare(p.a, o, at); err != nil {
		t.Fatal(err)
	}
	next, _, err := cli.UnlockWith(at, nil)
	if err == nil {
		_, err = sharing.CarryOver(o, p.a, o.Caller(), next)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := o.Close(); err != nil {
		t.Fatal(err)
	}
	return at
}
