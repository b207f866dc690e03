package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/clitest"
	"github.com/satchel-memory/satchel/internal/embed/embedtest"
)

// embedHouse is a person with some memories, and a server of vectors.
type embedHouse struct {
	*testing.T
	app           *cli.App
	out, messages *clitest.Buffer
	server        *embedtest.Server
}

func newEmbedHouse(t *testing.T) *embedHouse {
	a, out, messages := clitest.Person(t, t.Context())
	e := &embedHouse{t, a, out, messages, embedtest.New(t)}
	e.server.Keyed()
	e.ends(cli.ExitDone, "init", "-q")
	for _, text := range []string{"A poodle named Rex", "Two volvos in the yard", "Cello practice on Mondays"} {
		e.ends(cli.ExitDone, "remember", text)
	}
	return e
}

// ends runs a command and returns what it printed. Nothing of that is the server's key.
func (e *embedHouse) ends(code int, args ...string) (out, said string) {
	e.Helper()
	before, saidBefore := len(e.out.String()), len(e.messages.String())
	got := run(e.app, args)
	out, said = e.out.String()[before:], e.messages.String()[saidBefore:]
	if got != code {
		e.Fatalf("%v ends with %d, want %d: %s", args, got, code, said)
	}
	if strings.Contains(out+said, embedtest.Key) {
		e.Errorf("%v shows the key: %s%s", args, out, said)
	}
	return out, said
}

func TestEmbed(t *testing.T) {
	t.Parallel()
	e := newEmbedHouse(t)
	key := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(key, []byte(embedtest.Key+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, _ := e.ends(cli.ExitDone, "embed", "status"); !strings.Contains(out, "by words alone") {
		t.Errorf("status: %s", out)
	}
	for _, bad := range [][]string{
		{"embed", "use", e.server.URL, "--model", "table"}, // nobody to ask
		{"embed", "use", "http://192.0.2.1/v1", "--model", "table", "--yes"},
		{"embed", "use", "https://me:" + embedtest.Key + "@example.com", "--model", "table", "--yes"},
		{"embed", "use", e.server.URL, "--yes"},
		{"embed", "use", e.server.URL, "--model", "table", "--yes", "--keyring", "--key-file", key},
		{"embed", "off"},
	} {
		e.ends(cli.ExitUsage, bad...)
	}
	e.ends(cli.ExitDone, "embed", "backfill")
	e.ends(cli.ExitRefused, "embed", "use", e.server.URL, "--model", "table", "--yes")
	e.ends(cli.ExitFailed, "embed", "use", e.server.URL, "--model", "table", "--yes", "--key-file", key+"s")
	if got := strings.Join(e.server.Texts(), " "); strings.Contains(got, "poodle") || strings.Contains(got, "volvos") {
		t.Fatalf("sent %s before a server was in use", got)
	}
	_, said := e.ends(cli.ExitDone, "embed", "use", e.server.URL, "--model", "table", "--yes", "--key-file", key)
	if !strings.Contains(said, strings.TrimPrefix(e.server.URL, "http://")+" receives the text of your memories") {
		t.Errorf("use says %s", said)
	}
	if out, _ := e.ends(cli.ExitDone, "embed", "backfill"); !strings.Contains(out, "3 memories got vectors, 0 had them") {
		t.Errorf("backfill: %s", out)
	}
	var state struct {
		On               bool
		Records, Vectors int
	}
	out, _ := e.ends(cli.ExitDone, "embed", "status", "--json")
	if err := json.Unmarshal([]byte(out), &state); err != nil || !state.On || state.Records != 3 || state.Vectors != 3 {
		t.Errorf("status: %s, %v", out, err)
	}
	e.server.Misbehave(embedtest.Broken)
	out, said = e.ends(cli.ExitDone, "recall", "Rex the poodle")
	if !strings.Contains(out, "A poodle named Rex") || !strings.Contains(said, "found by words alone") {
		t.Errorf("recall of a broken server: %s; %s", out, said)
	}
	var answer struct {
		Results []struct {
			Record struct{ Body struct{ Text string } }
		}
		Warnings []struct{ Message string }
	}
	out, _ = e.ends(cli.ExitDone, "recall", "--json", "Rex the poodle")
	if err := json.Unmarshal([]byte(out), &answer); err != nil || len(answer.Results) != 1 || len(answer.Warnings) != 1 {
		t.Errorf("recall: %s, %v", out, err)
	}
	if out, said := e.ends(cli.ExitDone, "recall", "--format", "framed", "Rex"); !strings.Contains(out, "poodle") || !strings.Contains(said, "found by words alone") {
		t.Errorf("frame: %s; %s", out, said)
	}
	if _, said := e.ends(cli.ExitDone, "embed", "off", "--yes"); strings.Contains(said, "not") {
		t.Errorf("off: %s", said)
	}
	e.ends(cli.ExitFailed, "embed", "off", "--yes")
}
