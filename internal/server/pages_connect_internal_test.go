package server

import (
	"context"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/pages"
	"github.com/satchel-memory/satchel/memory"
)

// fakeConnector previews one change, and keeps what it is told to make.
type fakeConnector struct{ change pages.FileChange }

func (f *fakeConnector) Preview(context.Context, string, bool) ([]pages.FileChange, error) {
	return []pages.FileChange{f.change}, nil
}
func (f *fakeConnector) Connect(context.Context, string, bool, []pages.FileChange) error { return nil }
func (f *fakeConnector) Try(context.Context, string) (string, error)                     { return "", nil }

// The page that connects an assistant shows no text of other programs, whose settings hold
// their keys; what Satchel adds or takes out stays readable (before any step-up).
func TestConnectShowsNoOtherKeys(t *testing.T) {
	const key, header, arg = "f00dfeed-not-a-known-shape", "Bearer plainwords", "--token=quince7"
	jsonEntry, yamlEntry := `"satchel":{"command":"/usr/bin/satchel","args":["mcp","--store","/home/ana/m"]}`, "  satchel:\n    command: /usr/bin/satchel\n"
	for name, c := range map[string]struct{ file, before, after string }{
		"a line of JSON": {"/a/mcp.json", `{"mcpServers":{"x":{"env":{"X":"` + key + `"},"headers":{"A":"` + header + `"},"args":["mcp","` + arg + `"]}}}`,
			`{"mcpServers":{"x":{"env":{"X":"` + key + `"},"headers":{"A":"` + header + `"},"args":["mcp","` + arg + `"]},` + jsonEntry + `}}`},
		"a line with a comment": {"/a/mcp.json", `{"mcpServers":{"x":{"env":{"X":"` + key + `"}}}} // "` + header,
			`{"mcpServers":{"x":{"env":{"X":"` + key + `"}},` + jsonEntry + `}} // "` + header},
		"lines": {"/a/mcp.json", "{\n \"mcpServers\": {\n  \"x\": {\"env\": {\"X\": \"" + key + "\"}, \"args\": [\"" + arg + "\"]}\n }\n}\n",
			"{\n \"mcpServers\": {\n  \"x\": {\"env\": {\"X\": \"" + key + "\"}, \"args\": [\"" + arg + "\"]},\n  " + jsonEntry + "\n }\n}\n"},
		"TOML": {"/a/config.toml", "[mcp.x.env]\nX = \"" + key + "\"\nY = '" + header + "'\n", "[mcp.x.env]\nX = \"" + key + "\"\nY = '" + header + "'\n\n[mcp.satchel]\ncommand = \"/usr/bin/satchel\"\n"},
		"YAML": {"/a/config.yaml", "mcp:\n  x:\n    env:\n      X: " + key + "\n    args:\n    - " + arg + "\n    text: |\n      " + header + "\n",
			"mcp:\n  x:\n    env:\n      X: " + key + "\n    args:\n    - " + arg + "\n    text: |\n      " + header + "\n" + yamlEntry},
		"instructions": {"/a/CLAUDE.md", "My key is sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD.\n", "My key is sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD.\n/usr/bin/satchel\n"},
	} {
		for remove, f := range map[bool]pages.FileChange{false: {File: c.file, Before: c.before, After: c.after}, true: {File: c.file, Before: c.after, After: c.before}} {
			p := connectPages{"did:key:a", &fakeConnector{f}}
			all, _, err := p.PreviewConnection(t.Context(), memory.Caller{Owner: "did:key:a", Role: memory.Owner}, "x", remove)
			if err != nil || len(all) != 1 {
				t.Fatalf("%s: %v", name, err)
			}
			with, without := all[0].After, all[0].Before
			if remove {
				with, without = without, with
			}
			for _, secret := range []string{key, header, arg, "sk-proj"} {
				if strings.Contains(with+without, secret) {
					t.Errorf("%s: the page shows %q:\n%s", name, secret, with)
				}
			}
			if !strings.Contains(with, "/usr/bin/satchel") || strings.Contains(without, "/usr/bin/satchel") {
				t.Errorf("%s: what changes is not to be seen:\n%s\n---\n%s", name, without, with)
			}
		}
	}
	// A page compares lines: of a file with one line, only the new entry differs.
	got := shownChange(pages.FileChange{File: "/a/mcp.json", Before: `{"mcpServers":{"x":{"env":{"X":"` + key + `"}}}}`, After: `{"mcpServers":{"x":{"env":{"X":"` + key + `"}},` + jsonEntry + `}}`})
	if !strings.Contains(got.Before, "\n      \"env\": {\n        \"X\": \"…\"\n") || !strings.Contains(got.After, "\n      \"env\": {\n        \"X\": \"…\"\n") {
		t.Errorf("it is not laid out:\n%s\n%s", got.Before, got.After)
	}
}
