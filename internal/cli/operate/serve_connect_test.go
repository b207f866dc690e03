package operate

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/clitest"
	"github.com/satchel-memory/satchel/memory"
)

// The pages connect a host as the command does, after saying what changes, and take exactly
// that out again.
func TestPagesConnect(t *testing.T) {
	a, _, _ := clitest.Person(t, t.Context())
	home, err := a.UserHome()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(home, ".cursor", "mcp.json")
	const mine = "{\n  \"mcpServers\": {\"x\": {\"command\": \"x\"}} // mine\n}\n"
	write := func(text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	read := func() string {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	write(mine)
	p := newPagesConnector(a)
	changes, err := p.Preview(t.Context(), "cursor", false)
	if err != nil || len(changes) != 1 || changes[0].File != file || changes[0].Before != mine || !strings.Contains(changes[0].After, `"satchel"`) {
		t.Fatalf("%+v, %v", changes, err)
	}
	if read() != mine {
		t.Fatal("to preview it changes the file")
	}
	if err := p.Connect(t.Context(), "cursor", false, changes); err != nil || read() != changes[0].After {
		t.Fatalf("%v; %s", err, read())
	}
	h, err := a.Home()
	if err != nil {
		t.Fatal(err)
	}
	state := func(at cli.Home) (connected bool, elsewhere, broken, backup string) {
		for _, h := range hostsFor(a, at) {
			if h.Name == "cursor" {
				return h.Connected, h.Elsewhere, h.Broken, h.Backup
			}
		}
		return
	}
	other := h
	other.Dir = filepath.Join(t.TempDir(), "other")
	if connected, elsewhere, _, backup := state(h); !connected || elsewhere != "" || backup != file+".bak" {
		t.Errorf("%v %q %q", connected, elsewhere, backup)
	}
	if connected, elsewhere, _, _ := state(other); !connected || elsewhere == "" {
		t.Error("a host of another store counts as this one's")
	}
	back, err := p.Preview(t.Context(), "cursor", true)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Connect(t.Context(), "cursor", true, back); err != nil || read() != mine {
		t.Fatalf("%v; %s", err, read())
	}
	write("{\n  \"a\": 1,\n  b\n}")
	for _, remove := range []bool{false, true} {
		_, previewed := p.Preview(t.Context(), "cursor", remove)
		done := p.Connect(t.Context(), "cursor", remove, nil)
		if memory.KindOf(previewed) != memory.InvalidRecord || memory.KindOf(done) != memory.InvalidRecord || !strings.Contains(previewed.Error(), "line 3") {
			t.Errorf("a broken file: %v; %v", previewed, done)
		}
	}
	if _, _, broken, _ := state(h); !strings.Contains(broken, "line 3") {
		t.Errorf("the page says %q", broken)
	}
	for _, name := range []string{"", "code", "no-such", "../x"} {
		if _, err := p.Preview(t.Context(), name, false); memory.KindOf(err) != memory.NotFound {
			t.Errorf("%q: %v", name, err)
		}
	}
	if _, err := p.Try(t.Context(), "cursor"); memory.KindOf(err) != memory.InvalidRecord {
		t.Errorf("a trial without an entry: %v", err)
	}
}

// tracing names, in the environment, the file to which the test program adds its arguments if
// it is started for a trial.
const tracing = "SATCHEL_TEST_TRACE"

// TestMain is the program that a trial starts: it says what it was started with, and answers
// as satchel mcp does.
func TestMain(m *testing.M) {
	trace := os.Getenv(tracing)
	if trace == "" {
		os.Exit(m.Run())
	}
	f, err := os.OpenFile(trace, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = fmt.Fprintln(f, strings.Join(os.Args[1:], " "))
	}
	if err != nil {
		os.Exit(1)
	}
	fmt.Println(`{"jsonrpc":"2.0","id":1,"result":{"serverInfo":{"name":"satchel","version":"1"}}}`)
}

// entryOf writes an entry of this program with arguments into the settings of Cursor.
func entryOf(t *testing.T, a *cli.App, args ...string) {
	t.Helper()
	home, err := a.UserHome()
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"satchel": map[string]any{"command": self, "args": args}}})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(home, ".cursor", "mcp.json")
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, text, 0o600)); err != nil {
		t.Fatal(err)
	}
}

// A trial starts this program's command mcp, as connect writes it, and no other.
func TestTryStartsNoOtherCommand(t *testing.T) {
	a, _, _ := clitest.Person(t, t.Context())
	trace := filepath.Join(t.TempDir(), "ran")
	t.Setenv(tracing, trace)
	p := newPagesConnector(a)
	for _, args := range [][]string{nil, {}, {"remember", "tea"}, {"serve"}, {"mcp", "serve"}, {"mcp", "--http"}, {"mcp", "--store"}, {"mcp", "--store", "--http"}, {"mcp", "--store", ""}, {"mcp", "--store=/a"},
		{"mcp", "--store", "/a", "--store", "/b"}, {"mcp", "--log", "/a"}, {"--store", "/a", "mcp"}, {"--store", "/a", "serve"}} {
		entryOf(t, a, args...)
		if said, err := p.Try(t.Context(), "cursor"); memory.KindOf(err) != memory.InvalidRecord || !strings.Contains(err.Error(), "arguments") || cli.Exists(trace) {
			t.Fatalf("%q: %s, %v; it ran: %v", args, said, err, cli.Exists(trace))
		}
	}
	for _, args := range [][]string{{"mcp"}, {"mcp", "--store", "/a"}, {"mcp", "--store", "postgres://db/x", "--home", "/a", "--owner", "did:key:z6Mk"}} {
		entryOf(t, a, args...)
		if said, err := p.Try(t.Context(), "cursor"); err != nil || !strings.Contains(said, "satchel 1 answered") {
			t.Errorf("%q: %s, %v", args, said, err)
		}
	}
	if ran, err := os.ReadFile(trace); err != nil || strings.Count(string(ran), "\n") != 3 {
		t.Errorf("%s, %v", ran, err)
	}
}

// One trial runs at a time.
func TestTryOneAtATime(t *testing.T) {
	a, _, _ := clitest.Person(t, t.Context())
	trace := filepath.Join(t.TempDir(), "ran")
	t.Setenv(tracing, trace)
	entryOf(t, a, "mcp")
	p := newPagesConnector(a)
	p.trials <- struct{}{} // another trial runs
	if said, err := p.Try(t.Context(), "cursor"); memory.KindOf(err) != memory.InvalidRecord || cli.Exists(trace) {
		t.Errorf("beside another trial: %s, %v; it ran: %v", said, err, cli.Exists(trace))
	}
	<-p.trials
	for range 2 {
		if _, err := p.Try(t.Context(), "cursor"); err != nil {
			t.Error(err)
		}
	}
}

// Only this program is started for a trial.
func TestTryStartsNothingElse(t *testing.T) {
	a, _, _ := clitest.Person(t, t.Context())
	home, err := a.UserHome()
	if err != nil {
		t.Fatal(err)
	}
	trace := filepath.Join(t.TempDir(), "ran")
	program := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(program, []byte("#!/bin/sh\ntouch "+trace+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(home, ".cursor", "mcp.json")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(`{"mcpServers": {"satchel": {"command": "`+program+`", "args": ["mcp"]}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	said, err := newPagesConnector(a).Try(t.Context(), "cursor")
	if memory.KindOf(err) != memory.InvalidRecord || !strings.Contains(err.Error(), "not this program") || cli.Exists(trace) {
		t.Errorf("%s, %v; it ran: %v", said, err, cli.Exists(trace))
	}
}

// What another program writes between the look at a file and the writing stays.
func TestSettingsChangedMeanwhile(t *testing.T) {
	a, _, _ := clitest.Person(t, t.Context())
	p := newPagesConnector(a)
	file := filepath.Join(t.TempDir(), "new.json")
	const theirs = "{\"theirs\": 1}"
	theyWrite := func(path string) {
		t.Helper()
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(theirs), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	stays := func(name, path string, err error) {
		t.Helper()
		if data, _ := os.ReadFile(path); err == nil || string(data) != theirs {
			t.Errorf("%s: %s, %v", name, data, err)
		}
	}
	theyWrite(file)
	stays("a file that appeared", file, put(a, &receipt{File: file}, nil, "{}", 0o600, true))
	stays("a file that changed while it was written", file, func() error {
		if err := os.WriteFile(file, []byte("{}"), 0o600); err != nil {
			return err
		}
		return refill(file, 0o600, []byte("{}"), func(w io.Writer) error {
			theyWrite(file)
			return nil
		})
	}())
	changes, err := p.Preview(t.Context(), "cursor", false)
	if err != nil || len(changes) != 1 || !changes[0].New {
		t.Fatalf("%+v, %v", changes, err)
	}
	theyWrite(changes[0].File)
	err = p.Connect(t.Context(), "cursor", false, changes)
	stays("a file that appeared since the page was shown", changes[0].File, err)
	if memory.KindOf(err) != memory.InvalidRecord {
		t.Error(err)
	}
}
