package operate

import (
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

// starts are settings as people have them.
func starts(s syntax) []string {
	texts := map[syntax][]string{
		syntaxJSON: {"", " \n", "{}", "{}\n", "{ }", "{\n}", "{\n  \"a\": 1\n}\n", "{\n\t\"a\": 1 // one\n}", `{"a": [1, 2.50]}`, `{"mcpServers": {}}`,
			"{\n  \"mcpServers\": {\n  },\n  \"b\": {}\n}", "// mine\n{\n  // nothing\n}\n", "{\n  \"mcpServers\": {\"x\": {\"command\": \"x\"}},\n}\n",
			"{\"hooks\": {}}", "{\"hooks\": {\"SessionStart\": []}, \"a\": 1}", "{\n  \"hooks\": {\n    \"SessionStart\": [\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"x\"}]} // mine\n    ]\n  }\n}\n",
			"{\n  \"mcp\": {}, \"servers\": {}, \"context_servers\": { /* none */ }\n}", "{\"a\": \"ä\"}"},
		syntaxTOML: {"", "\n", "a = 1", "a = 1\n", "a = 1\n\n", "[mcp_servers]\n", "[mcp_servers.x]\ncommand = \"x\"", "# only a comment", "a = \"ä\" # é\n\n\n[t]\nb = 2\n\n\n"},
		syntaxYAML: {"", "\n", "# mine", "a: 1", "a: 1\n", "extensions:", "extensions:\n", "extensions: {}\n", "extensions: {x: {cmd: y}} # one\nb: 2",
			"extensions:\n    x:\n        cmd: y # why\n        args:\n        - a\n\n# end\nb: |\n  text\n\n", "b: 2\nextensions:\n  x:\n    cmd: y", "---\na: 1\n"},
		syntaxList: {"", "name: mine\nversion: 1.0.0\n", "mcpServers: []", "mcpServers: [{name: x, command: y}]\na: 1\n", "mcpServers:\n- name: x\n  command: y\n",
			"a: 1\nmcpServers:\n    # first\n    - command: y\n      name: x\n\nmodels:\n  - name: ä", "a: 1\nmcpServers:\n"},
	}
	var out []string
	for _, text := range texts[s] {
		out = append(out, text, strings.ReplaceAll(text, "\n", "\r\n"), "\ufeff"+text)
	}
	return out
}

// TestConnectRemove connects hosts in texts of every kind, with one entry and then with
// another: removing leaves the same bytes.
func TestConnectRemove(t *testing.T) {
	for _, h := range Hosts() {
		t.Run(h.Name, func(t *testing.T) {
			for _, start := range starts(h.syntax) {
				for _, changes := range [][]change{hostChanges(h, "/bin/s"), hostChanges(h, "/a \"b\"/s")} {
					r := receipt{}
					after := mustText(r.make(changes, start))(t)
					renewed := mustText(r.make(hostChanges(h, "/new/s"), after))(t)
					if renewed == after || len(r.Steps) != len(changes) {
						t.Fatalf("%q stays as it is, with %d steps", after, len(r.Steps))
					}
					if got := mustText(r.undo(changes, renewed))(t); got != start || len(r.Steps) > 0 {
						t.Errorf("%q becomes %q", start, got)
					}
				}
			}
		})
	}
}

// TestConnectRemoveEdited edits a file between connecting and removing: the edit stays,
// and only satchel's part goes.
func TestConnectRemoveEdited(t *testing.T) {
	for _, h := range Hosts() {
		t.Run(h.Name, func(t *testing.T) {
			for _, start := range starts(h.syntax) {
				for _, edit := range []func(string) string{
					func(text string) string { return text + "\n\n" },
					func(text string) string {
						return strings.NewReplacer(`"a": 1`, `"a": 17`, "a: 1", "a: 17", "a = 1", "a = 17").Replace(text)
					},
					func(text string) string { return strings.Replace(text, "mine", "yours", 1) },
					func(text string) string { return strings.Replace(text, "\"x\"", "\"xx\"", 1) },
				} {
					r, changes := receipt{}, hostChanges(h, "/bin/s")
					after := edit(mustText(r.make(changes, start))(t))
					if got := mustText(r.undo(changes, after))(t); got != edit(start) {
						t.Errorf("%q becomes %q, want %q", start, got, edit(start))
					}
				}
			}
		})
	}
}

// TestConnectRemoveWithout removes without a receipt, as of an earlier release: nothing of
// satchel is left and nothing else is lost.
func TestConnectRemoveWithout(t *testing.T) {
	for _, h := range Hosts() {
		t.Run(h.Name, func(t *testing.T) {
			for _, start := range starts(h.syntax) {
				var r receipt
				changes := hostChanges(h, "/bin/s")
				after := mustText(new(receipt).make(changes, start))(t)
				got := mustText(r.undo(changes, after))(t)
				if strings.Contains(got, "/bin/s") {
					t.Errorf("%q becomes %q", start, got)
				}
				// Each of two checks would find that the other's part is gone.
				if err := changes[0].check(start, got); len(changes) == 1 && err != nil {
					t.Errorf("%q becomes %q: %v", start, got, err)
				}
			}
		})
	}
}

// hostChanges are the changes of a host's settings, and of its hooks where these are in
// JSON as well.
func hostChanges(h host, program string) []change {
	s := serverCommand{program, []string{"mcp"}}
	changes := []change{{name: "server", set: func(text string) (string, error) { return h.set(text, s) }, remove: h.remove, check: h.unchanged}}
	if h.hooks != nil && h.syntax == syntaxJSON {
		changes = append(changes, change{name: "hook", set: func(text string) (string, error) { return jsonHookSet(text, hookEntry(h, s)) },
			remove: jsonHookRemove, check: hookUnchanged})
	}
	return changes
}

// TestInstructionRemove puts the instruction into texts of every kind and takes it out.
func TestInstructionRemove(t *testing.T) {
	c := change{name: "instruction", set: func(text string) (string, error) { return markerSet(text, "Remember.") }, remove: markerRemove, check: markerUnchanged}
	for _, start := range []string{"", "\n", "# Mine", "# Mine\n", "# Mine\r\n\r\n", "\ufeff# Mine\n\n\n", " # Mine \n "} {
		var r receipt
		after := mustText(r.make([]change{c}, start))(t)
		if got := mustText(r.undo([]change{c}, after))(t); got != start {
			t.Errorf("%q becomes %q", start, got)
		}
	}
}

// mustText returns a text, or fails.
func mustText(text string, err error) func(*testing.T) string {
	return func(t *testing.T) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
}

// TestShellQuote hands words to a shell: it takes each as it is.
func TestShellQuote(t *testing.T) {
	for _, word := range []string{"/bin/s", "/a b/s", "/it's/s", `/"q"/$HOME/s`, "/a\\b`c`;d&e", "ä*?", "-x"} {
		if got := shellUnquote(shellQuote(word)); runtime.GOOS != "windows" && got != word {
			t.Errorf("%q becomes %q", word, got)
		}
		shell, err := exec.LookPath("sh")
		if err != nil || runtime.GOOS == "windows" {
			t.Skip("there is no sh")
		}
		if got, err := exec.Command(shell, "-c", "printf %s "+shellQuote(word)).Output(); err != nil || string(got) != word {
			t.Errorf("the shell takes %q as %q (%v)", word, got, err)
		}
	}
}
