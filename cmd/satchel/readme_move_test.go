package main

import (
	"archive/zip"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// talk is an export of ChatGPT with one conversation.
const talk = `[{"id":"garden","title":"Garden","create_time":1767250000.0,"update_time":1767250200.0,"current_node":"n2","mapping":{
"n0":{"id":"n0","message":null,"parent":null,"children":["n1"]},
"n1":{"id":"n1","parent":"n0","children":["n2"],"message":{"id":"n1","author":{"role":"user"},"create_time":1767250000.0,
 "content":{"content_type":"text","parts":["I am allergic to birch pollen. Always answer in metric units. Which tree should I plant?"]}}},
"n2":{"id":"n2","parent":"n1","children":[],"message":{"id":"n2","author":{"role":"assistant"},"create_time":1767250050.0,
 "content":{"content_type":"text","parts":["A field maple would suit you."]}}}}}]`

// What README says of ChatGPT and Claude Code works, in that order: seven commands.
func TestReadmeMove(t *testing.T) {
	commands := fenced(t, filepath.Join("..", "..", "README.md"), "## Move what ChatGPT knows")
	if len(commands) != 7 {
		t.Errorf("README says %d commands", len(commands))
	}
	t.Chdir(t.TempDir())
	packed(t, "chatgpt.zip", "conversations.json", talk)
	a, out, messages := person(t, t.Context())
	must := func(line string, args ...string) string {
		t.Helper()
		before := len(out.String())
		if code := run(a, args); code != exitDone {
			t.Fatalf("%s\nends with %d: %s", line, code, messages)
		}
		return out.String()[before:]
	}
	for _, line := range commands {
		args := words(line)
		if args[0] != "satchel" {
			t.Fatalf("README says %s", line)
		}
		must(line, args[1:]...)
	}
	index, err := os.ReadFile(filepath.Join("memory", "MEMORY.md"))
	for _, want := range []string{"birch pollen", "metric units"} {
		if err != nil || !strings.Contains(string(index), want) {
			t.Errorf("Claude Code's index does not say %q: %s, %v", want, index, err)
		}
	}
	if strings.Contains(string(index), "field maple") {
		t.Errorf("what an assistant said became a fact: %s", index)
	}
	must("verify", "verify", "mine.aimem.json")
	if again := must("import again", "import", "chatgpt.zip"); !strings.Contains(again, "imported before") {
		t.Errorf("a second import says %q", again)
	}
}

// packed makes an archive of one file.
func packed(t *testing.T, name, within, text string) {
	t.Helper()
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(f)
	w, err := z.Create(within)
	if err == nil {
		_, err = w.Write([]byte(text))
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}
