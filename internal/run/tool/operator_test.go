package tool_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/run/tool"
)

func TestReadOperator(t *testing.T) {
	t.Run("AAIF-12-2 every member", func(t *testing.T) {
		got, err := tool.ReadOperator(tree(t, `{
			"functions":[{"name":"stamp","command":["/usr/bin/stamp","-j"],"dir":"/srv","env":["TZ"],"read_only":true,"idempotent":true}],
			"mcp":[{"name":"desk","url":"https://desk.example/mcp","trusted":true},{"name":"files","command":["/usr/bin/files"],"capabilities":{"look":["read"]}}],
			"tools":[{"agent":"*","tool":"note","method":"GET","read_only":true,"idempotent":true},{"agent":"a1","tool":"pets","operations":[]}],
			"secrets":[{"env":"TOKEN","hosts":["API.example"]},{"provider":"1password","path":"desk/*","hosts":["*"]}],
			"vaults":[{"provider":"1password","command":["/usr/bin/op"]}],
			"egress":["Desk.internal","::1"],
			"grants":[{"agent":"a1","tools":["note","*"]}]}`))
		want := tool.Operator{
			Functions: []tool.Function{{Name: "stamp", Program: tool.Program{Command: []string{"/usr/bin/stamp", "-j"}, Dir: "/srv", Env: []string{"TZ"}}, ReadOnly: true, Idempotent: true}},
			Servers: []tool.Server{{Name: "desk", URL: "https://desk.example/mcp", Trusted: true},
				{Name: "files", Program: tool.Program{Command: []string{"/usr/bin/files"}}, Capabilities: map[string][]string{"look": {"read"}}}},
			Bindings: []tool.Binding{{Agent: "*", Tool: "note", Method: "GET", ReadOnly: true, Idempotent: true}, {Agent: "a1", Tool: "pets", Operations: []string{}}},
			Secrets:  []tool.Secret{{Env: "TOKEN", Hosts: []string{"api.example"}}, {Provider: "1password", Path: "desk/*", Hosts: []string{"*"}}},
			Vaults:   []tool.Vault{{Provider: "1password", Program: tool.Program{Command: []string{"/usr/bin/op"}}}},
			Egress:   []string{"desk.internal", "::1"},
			Grants:   []tool.Grant{{Agent: "a1", Tools: []string{"note", "*"}}},
		}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%v\n%s", err, diff)
		}
	})
	t.Run("AAIF-12-2 the example of the documents", func(t *testing.T) {
		page, err := os.ReadFile("../../../docs/agents.md")
		if err != nil {
			t.Fatal(err)
		}
		_, section, _ := strings.Cut(string(page), "## Tools of a run")
		_, example, _ := strings.Cut(section, "```json\n")
		example, _, _ = strings.Cut(example, "```")
		o, err := tool.ReadOperator(tree(t, example))
		if err != nil || len(o.Grants)*len(o.Functions)*len(o.Servers)*len(o.Bindings)*len(o.Secrets)*len(o.Vaults)*len(o.Egress) == 0 {
			t.Errorf("got %+v, %v", o, err)
		}
	})
	t.Run("AAIF-12-2 nothing grants nothing", func(t *testing.T) {
		if got, err := tool.ReadOperator(tree(t, `{}`)); err != nil || !cmp.Equal(got, tool.Operator{}) {
			t.Errorf("got %+v, %v", got, err)
		}
	})
	for raw, place := range map[string]string{
		`[]`:                 "",
		`{"grant":[]}`:       "/grant",
		`{"functions":{}}`:   "/functions",
		`{"functions":[{}]}`: "/functions/0/name",
		`{"functions":[{"name":"a","command":["stamp"]}]}`:                            "/functions/0/command/0",
		`{"functions":[{"name":"a","command":[]}]}`:                                   "/functions/0/command",
		`{"functions":[{"name":"a","command":["/a"],"dir":"x"}]}`:                     "/functions/0/dir",
		`{"functions":[{"name":"a","command":["/a"]},{"name":"a","command":["/b"]}]}`: "/functions/1",
		`{"functions":[{"name":"a","command":["/a"],"readonly":true}]}`:               "/functions/0/readonly",
		`{"functions":[{"name":"a","command":["/a"],"read_only":"yes"}]}`:             "/functions/0/read_only",
		`{"mcp":[{"name":"a"}]}`:                                                      "/mcp/0",
		`{"mcp":[{"name":"a","url":"https://x","command":["/a"]}]}`:                   "/mcp/0",
		`{"mcp":[{"name":"a","url":"https://x","capabilities":[]}]}`:                  "/mcp/0/capabilities",
		`{"tools":[{"tool":"a"}]}`:                                                    "/tools/0/agent",
		`{"tools":[{"agent":"*","tool":"a","method":"get"}]}`:                         "/tools/0/method",
		`{"tools":[{"agent":"*","tool":"a"},{"agent":"*","tool":"a"}]}`:               "/tools/1",
		`{"secrets":[{"env":"A"}]}`:                                                   "/secrets/0/hosts",
		`{"secrets":[{"env":"A","provider":"custom","path":"x","hosts":["*"]}]}`:      "/secrets/0",
		`{"secrets":[{"provider":"custom","hosts":["*"]}]}`:                           "/secrets/0",
		`{"secrets":[{"env":"A","hosts":["https://a.example"]}]}`:                     "/secrets/0/hosts/0",
		`{"vaults":[{"provider":"azure_keyvault","command":["/a"]}]}`:                 "/vaults/0/provider",
		`{"egress":["*"]}`:                       "/egress/0",
		`{"egress":["a.example:443"]}`:           "/egress/0",
		`{"egress":"a.example"}`:                 "/egress",
		`{"grants":[{"agent":"a1","tools":[]}]}`: "/grants/0/tools",
		`{"grants":[{"tools":["*"]}]}`:           "/grants/0/agent",
	} {
		t.Run("AAIF-12-2 "+raw, func(t *testing.T) {
			_, err := tool.ReadOperator(tree(t, raw))
			p, ok := errors.AsType[*codec.ParseError](err)
			if !ok || p.Path != place {
				t.Errorf("got %v, want %s", err, place)
			}
		})
	}
}
