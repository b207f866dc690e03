package operate

import (
	"strings"
	"testing"
)

var tomlPath = []string{"mcp_servers", "satchel"}

const tomlTable = "[mcp_servers.satchel]\ncommand = \"/bin/s\"\nargs = [\"mcp\"]\n"

func TestTOMLSet(t *testing.T) {
	for name, test := range map[string]struct{ before, after string }{
		"no file": {"", tomlTable},
		"other settings": {"model = \"gpt\" # mine\n\n[mcp_servers.docs]\ncommand = \"npx\"\n",
			"model = \"gpt\" # mine\n\n[mcp_servers.docs]\ncommand = \"npx\"\n\n" + tomlTable},
		"no line end": {"model = 'x'", "model = 'x'\n\n" + tomlTable},
		"an entry of old keeps what else it says": {
			"[mcp_servers.satchel] # memory\nstartup_timeout_sec = 20\ncommand = '/old' # moved\nargs = [ # two\n  \"mcp\",\n  \"x\",\n]\n[mcp_servers.satchel.env]\nA = \"b\"\n",
			"[mcp_servers.satchel] # memory\nstartup_timeout_sec = 20\ncommand = \"/bin/s\" # moved\nargs = [\"mcp\"]\n[mcp_servers.satchel.env]\nA = \"b\"\n"},
		"an entry with members missing": {"[mcp_servers.satchel]\nenabled = true\n\n[x]\ny = 1\n",
			"[mcp_servers.satchel]\ncommand = \"/bin/s\"\nargs = [\"mcp\"]\nenabled = true\n\n[x]\ny = 1\n"},
		"quoted names": {"[\"mcp_servers\".'satchel']\ncommand = \"x\"\nargs = []\n", "[\"mcp_servers\".'satchel']\ncommand = \"/bin/s\"\nargs = [\"mcp\"]\n"},
		"what looks like the table in a string": {"a = \"\"\"\n[mcp_servers.satchel]\n\\\"\"\"\"\nb = '''\ncommand = 1\n'''\n",
			"a = \"\"\"\n[mcp_servers.satchel]\n\\\"\"\"\"\nb = '''\ncommand = 1\n'''\n\n" + tomlTable},
		"every kind of value": {"a = [1, -2.5e3, 0xff, inf, true, 1979-05-27, 1979-05-27 07:32:00Z, 07:32:00]\nb = {x = 1, y.z = [\"#\"]}\n\"k k\".'l' = ''\n[[list]]\nn = 1\n[[list]]\n",
			"a = [1, -2.5e3, 0xff, inf, true, 1979-05-27, 1979-05-27 07:32:00Z, 07:32:00]\nb = {x = 1, y.z = [\"#\"]}\n\"k k\".'l' = ''\n[[list]]\nn = 1\n[[list]]\n\n" + tomlTable},
		"line ends of Windows": {"a = 1\r\n", "a = 1\r\n\r\n" + strings.ReplaceAll(tomlTable, "\n", "\r\n")},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := tomlSet(test.before, tomlPath, testEntry())
			if err != nil || got != test.after {
				t.Fatalf("got %v:\n%s\nwant:\n%s", err, got, test.after)
			}
			if again, err := tomlSet(got, tomlPath, testEntry()); err != nil || again != got {
				t.Errorf("a second time changes it (%v):\n%s", err, again)
			}
		})
	}
}

func TestTOMLSetRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"an inline entry":         "[mcp_servers]\nsatchel = {command = \"x\"}\n",
		"inline servers":          "mcp_servers = {}\n",
		"a list of servers":       "[[mcp_servers]]\nname = \"x\"\n",
		"dotted keys":             "mcp_servers.satchel.command = \"x\"\n",
		"no value":                "a =\n",
		"no equals sign":          "a\n",
		"no key":                  "= 1\n",
		"an open table":           "[a\n",
		"an open string":          "a = \"b\n",
		"an open block":           "a = \"\"\"b\n",
		"an open array":           "a = [1, 2\n",
		"an open inline table":    "a = {b = 1\n",
		"a word":                  "a = hello\n",
		"two statements":          "a = 1 b = 2\n",
		"JSON":                    "{\"mcp_servers\": {}}",
		"an escape in a key":      "\"\\q\" = 1\n",
		"something after a table": "[a] b\n",
		"nested without end":      "a = " + strings.Repeat("[", 300),
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := tomlSet(text, tomlPath, testEntry()); err == nil {
				t.Errorf("accepted, and became\n%s", got)
			}
		})
	}
}

func TestTOMLRemove(t *testing.T) {
	for name, test := range map[string]struct{ before, after string }{
		"the last":     {"a = 1\n\n" + tomlTable, "a = 1\n"},
		"the only one": {tomlTable, ""},
		"the middle":   {"a = 1\n\n" + tomlTable + "\n# next\n[x]\ny = 1\n", "a = 1\n\n# next\n[x]\ny = 1\n"},
		"with tables below": {"[a]\n\n" + tomlTable + "\n[mcp_servers.satchel.env]\nA = \"b\" # c\n\n[mcp_servers.satchel-2]\ncommand = \"z\"\n",
			"[a]\n\n[mcp_servers.satchel-2]\ncommand = \"z\"\n"},
		"in two places": {"mcp_servers.satchel.command = 'x'\nb = 1\nmcp_servers.satchel.args = []\n", "b = 1\n"},
		"inline":        {"[mcp_servers]\nsatchel = {command = \"x\"}\nother = {}\n", "[mcp_servers]\nother = {}\n"},
		"not there":     {"a = 1\n", "a = 1\n"},
		"no file":       {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := tomlRemove(test.before, tomlPath)
			if err != nil || got != test.after {
				t.Errorf("got %v:\n%q\nwant:\n%q", err, got, test.after)
			}
		})
	}
	if _, err := tomlRemove("a =", tomlPath); err == nil {
		t.Error("a broken file is accepted")
	}
}

func FuzzTOMLSet(f *testing.F) {
	for _, seed := range []string{"", tomlTable, "a = 1 # x\n[b]\n\"c\".d = [1,\n2]", "a = '''\n'''''\n", "[[x]]\n[x.y]\nz={}", `"\`, `a="""\`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		set, err := tomlSet(text, tomlPath, testEntry())
		if err != nil {
			return
		}
		if again, err := tomlSet(set, tomlPath, testEntry()); err != nil || again != set {
			t.Errorf("not settled: %v", err)
		}
		if removed, err := tomlRemove(set, tomlPath); err != nil || strings.Contains(removed, `command = "/bin/s"`) && !strings.Contains(text, `command = "/bin/s"`) {
			t.Errorf("not removed: %v", err)
		}
	})
}

func TestMarkers(t *testing.T) {
	block := markerBegin + "\nUse it.\n" + markerEnd
	for name, test := range map[string]struct{ before, after, removed string }{
		"no file":     {"", block + "\n", ""},
		"rules":       {"# Rules\n", "# Rules\n\n" + block + "\n", "# Rules\n"},
		"no line end": {"# Rules", "# Rules\n\n" + block + "\n", "# Rules\n"},
		"an older one": {"a\n\n" + markerBegin + "\nold\nlines\n" + markerEnd + "\n\nb\n",
			"a\n\n" + block + "\n\nb\n", "a\n\nb\n"},
		"line ends of Windows": {"a\r\n", "a\r\n\r\n" + strings.ReplaceAll(block, "\n", "\r\n") + "\r\n", "a\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := markerSet(test.before, "Use it.\n")
			if err != nil || got != test.after {
				t.Fatalf("got %v %q, want %q", err, got, test.after)
			}
			if again, err := markerSet(got, "Use it."); err != nil || again != got {
				t.Errorf("a second time changes it: %v %q", err, again)
			}
			if removed, err := markerRemove(got); err != nil || removed != test.removed {
				t.Errorf("removed: %v %q, want %q", err, removed, test.removed)
			}
		})
	}
	for name, text := range map[string]string{
		"no end": markerBegin, "no begin": markerEnd, "the wrong way round": markerEnd + markerBegin,
		"two": block + block,
	} {
		if got, err := markerSet(text, "x"); err == nil {
			t.Errorf("%s: accepted, and became %q", name, got)
		}
	}
}
