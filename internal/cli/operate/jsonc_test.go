package operate

import (
	"encoding/json"
	"strings"
	"testing"
)

var testPath = []string{"mcpServers", "satchel"}

func testEntry() []setting {
	return []setting{{"command", json.RawMessage(`"/bin/s"`)}, {"args", json.RawMessage(`["mcp"]`)}}
}

func TestJSONSet(t *testing.T) {
	for name, test := range map[string]struct{ before, after string }{
		"no file": {"", `{
  "mcpServers": {
    "satchel": {
      "command": "/bin/s",
      "args": [
        "mcp"
      ]
    }
  }
}
`},
		"an empty object": {"{}", `{
  "mcpServers": {
    "satchel": {
      "command": "/bin/s",
      "args": [
        "mcp"
      ]
    }
  }
}`},
		"tabs, comments, order, numbers": {`{
	// the theme
	"theme": "dark",
	"size": 1.50, /* points */
	"mcpServers": {
		// kept
		"other": {"command": "npx", "args": ["-y", "x"]} // last
	},
	"z": 1e3
}
`, `{
	// the theme
	"theme": "dark",
	"size": 1.50, /* points */
	"mcpServers": {
		// kept
		"other": {"command": "npx", "args": ["-y", "x"]}, // last
		"satchel": {
			"command": "/bin/s",
			"args": [
				"mcp"
			]
		}
	},
	"z": 1e3
}
`},
		"trailing commas": {`{
    "mcpServers": {
        "a": {},
    },
}`, `{
    "mcpServers": {
        "a": {},
        "satchel": {
            "command": "/bin/s",
            "args": [
                "mcp"
            ]
        },
    },
}`},
		"a section with a comment only": {`{
  "mcpServers": {
    // none yet
  }
}`, `{
  "mcpServers": {
    // none yet
    "satchel": {
      "command": "/bin/s",
      "args": [
        "mcp"
      ]
    }
  }
}`},
		"one line": {`{"a":1,"mcpServers":{}}` + "\n", `{"a":1,"mcpServers":{"satchel": {"command":"/bin/s","args":["mcp"]}}}` + "\n"},
		"one line with servers": {`{"mcpServers": {"a": {}}, "b": [1, 2]}`,
			`{"mcpServers": {"a": {}, "satchel": {"command":"/bin/s","args":["mcp"]}}, "b": [1, 2]}`},
		"a section on one line": {"{\n  \"mcpServers\": {\"a\": {}}\n}", "{\n  \"mcpServers\": {\"a\": {}, \"satchel\": {\n    \"command\": \"/bin/s\",\n    \"args\": [\n      \"mcp\"\n    ]\n  }}\n}"},
		"an entry of old keeps what else it says": {`{
  "mcpServers": {
    "satchel": {
      "command": "/old/s", // moved
      "args": ["mcp"],
      "env": {"A": "b"}
    }
  }
}`, `{
  "mcpServers": {
    "satchel": {
      "command": "/bin/s", // moved
      "args": ["mcp"],
      "env": {"A": "b"}
    }
  }
}`},
		"line ends of Windows, byte order mark": {"\ufeff{\r\n  \"a\": 1\r\n}\r\n",
			"\ufeff{\r\n  \"a\": 1,\r\n  \"mcpServers\": {\r\n    \"satchel\": {\r\n      \"command\": \"/bin/s\",\r\n      \"args\": [\r\n        \"mcp\"\r\n      ]\r\n    }\r\n  }\r\n}\r\n"},
		"a name with escapes is the same name": {`{"mcpServers": {"satche\u006c": {"command": "x", "args": []}}}`,
			`{"mcpServers": {"satche\u006c": {"command": "/bin/s", "args": ["mcp"]}}}`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := jsonSet(test.before, testPath, testEntry())
			if err != nil {
				t.Fatal(err)
			}
			if got != test.after {
				t.Errorf("got:\n%s\nwant:\n%s", got, test.after)
			}
			again, err := jsonSet(got, testPath, testEntry())
			if err != nil || again != got {
				t.Errorf("a second time changes it (%v):\n%s", err, again)
			}
		})
	}
}

func TestJSONSetRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"broken off":            `{"a": 1`,
		"no quotes":             `{a: 1}`,
		"two commas":            `{"a": 1,, "b": 2}`,
		"a leading comma":       `{, "a": 1}`,
		"no comma":              `{"a": 1 "b": 2}`,
		"no colon":              `{"a" 1}`,
		"something behind":      `{} {}`,
		"an array":              `[]`,
		"a word":                `hello`,
		"a number like no JSON": `{"a": 01}`,
		"an open comment":       `{} /* x`,
		"an open string":        `{"a": "b}`,
		"a bad escape":          `{"a": "\q"}`,
		"the wrong bracket":     `{"a": [1}}`,
		"a section of no kind":  `{"mcpServers": null}`,
		"a section in an array": `{"mcpServers": []}`,
		"an entry of no kind":   `{"mcpServers": {"satchel": "x"}}`,
		"nested without end":    strings.Repeat(`{"a":`, 300),
		"merge conflict":        "{\n<<<<<<< HEAD\n\"a\": 1\n=======\n}",
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := jsonSet(text, testPath, testEntry()); err == nil {
				t.Errorf("accepted, and became\n%s", got)
			}
		})
	}
}

func TestJSONRemove(t *testing.T) {
	for name, test := range map[string]struct{ before, after string }{
		"the only one": {"{\n  \"mcpServers\": {\n    \"satchel\": {\n      \"command\": \"x\"\n    }\n  }\n}\n", "{\n}\n"},
		"the last":     {"{\"mcpServers\": {\n  \"a\": {}, // a\n  \"satchel\": {}\n}}", "{\"mcpServers\": {\n  \"a\": {} // a\n}}"},
		"the first":    {"{\"mcpServers\": {\n  \"satchel\": {},\n  \"a\": {}\n}}", "{\"mcpServers\": {\n  \"a\": {}\n}}"},
		"the middle":   {"{\"mcpServers\": {\"a\": {}, \"satchel\": {}, \"b\": {}}}", "{\"mcpServers\": {\"a\": {}, \"b\": {}}}"},
		"with a trailing comma": {"{\"mcpServers\": {\n  \"a\": {},\n  \"satchel\": {},\n},}",
			"{\"mcpServers\": {\n  \"a\": {},\n},}"},
		"behind a comment, others on its line": {"{\"mcpServers\": { // c\n  \"satchel\": {}, \"a\": {}\n}}", "{\"mcpServers\": { // c\n   \"a\": {}\n}}"},
		"doubled":                              {"{\"mcpServers\": {\"satchel\": 1, \"a\": {}, \"satchel\": {}}}", "{\"mcpServers\": { \"a\": {}}}"},
		"not there":                            {"{\"mcpServers\": {\"a\": {}}}", "{\"mcpServers\": {\"a\": {}}}"},
		"no section":                           {"{ }\n", "{ }\n"},
		"no file":                              {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := jsonRemove(test.before, testPath)
			if err != nil || got != test.after {
				t.Errorf("got %v:\n%s\nwant:\n%s", err, got, test.after)
			}
		})
	}
	if _, err := jsonRemove("{", testPath); err == nil {
		t.Error("a broken file is accepted")
	}
}

// What is added and removed leaves every other setting as it was, and what is
// accepted stays readable.
func FuzzJSONSet(f *testing.F) {
	for _, seed := range []string{
		"", "{}", `{"a":1,"mcpServers":{"x":{}}}`, "{\n\t// c\n\t\"a\": [1, {\"b\": null}], /* d */\n}\n",
		"\ufeff{ \"mcpServers\" : { } }", "{\"mcpServers\": {\"satchel\": {\"command\": 1,},},}", "{\"a\":\"\\u0022\"\r\n}",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		set, err := jsonSet(text, testPath, testEntry())
		if err != nil {
			return
		}
		root, err := parseJSONC(set)
		if err != nil {
			t.Fatalf("unreadable: %v", err)
		}
		if again, err := jsonSet(set, testPath, testEntry()); err != nil || again != set {
			t.Errorf("not settled: %v", err)
		}
		removed, err := jsonRemove(set, testPath)
		if err != nil {
			t.Fatalf("cannot be removed: %v", err)
		}
		left, err := parseJSONC(removed)
		if err != nil {
			t.Fatalf("unreadable once removed: %v", err)
		}
		if plain(removed, left, nil) == plain(set, root, nil) {
			t.Error("removing changes nothing")
		}
	})
}
