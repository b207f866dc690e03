package tool

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec/settings"
)

// toolsTable is the usual name of the operator's table, for people.
const toolsTable = "tools.json"

// Anything, in place of an agent, a tool or a host, stands for all of them.
const Anything = "*"

// Operator is what the operator allows. No definition can add to it. The zero Operator
// allows nothing.
type Operator struct {
	Functions []Function
	Servers   []Server
	Bindings  []Binding
	Secrets   []Secret
	Vaults    []Vault
	// Egress lists the hosts that may be contacted, private ones included. nil: any host of
	// the Internet over https, and none of this machine or its network.
	Egress []string
	Grants []Grant
	Hooks  []Hook
	Agents []Elsewhere
}

// Elsewhere is an agent on another platform that agents here may give tasks to.
type Elsewhere struct {
	Card string // the address of its Agent Card
	Env  string // the name of the variable with the token for it; empty: it wants none
	// Idempotent says that it takes a message that comes twice for one.
	Idempotent bool
	// Regions are where it keeps data, as the operator says; none: not known (AAIF-4.9-6).
	Regions []string
}

// Program is a command of the operator.
type Program struct {
	Command []string // an absolute path, and arguments
	Dir     string   // working folder; empty: the root of the file system
	Env     []string // names of the variables that the command gets; it gets no others
}

// Function implements tools of protocol function.
type Function struct {
	Name string
	Program
	ReadOnly, Idempotent bool
}

// Server is an MCP server: a command or a URL.
type Server struct {
	Name string // as in mcp://NAME/CAPABILITY
	URL  string
	Program
	Trusted bool // what the server says about its tools is believed
	// Capabilities lists the tools of capabilities. A capability that is not listed has the
	// tool of its name, and those whose names begin with it and one of the characters _-./:
	Capabilities map[string][]string
}

// Binding is what the operator says about a tool of an agent.
type Binding struct {
	Agent, Tool          string
	Method               string   // of tools of protocol http; empty: POST
	Operations           []string // operationIds of tools of protocol openapi; nil: all
	ReadOnly, Idempotent bool
}

// Secret lets tools use a secret with the hosts.
type Secret struct {
	Env            string // the name of a variable, or
	Provider, Path string // the place in a vault; a path that ends in * is a prefix
	Hosts          []string
}

// Vault is a command that reads secrets.
type Vault struct {
	Provider string // 1password or custom
	Program
}

// Grant lets an agent use tools (AAIF-12-2).
type Grant struct {
	Agent string // id, or *
	Tools []string
	// Endpoints are those for which the tools were granted. A tool that is not listed is
	// granted wherever its definition leads.
	Endpoints map[string]string
}

// table reads the operator's table of tools.
type table struct{ *settings.Table }

// ReadOperator reads the operator's table of tools, whose form is in docs/agents.md. It
// refuses misspelled members, since nobody would notice them before a tool does harm.
// Failures are [*codec.ParseError] with the place.
func ReadOperator(v canon.Value) (Operator, error) {
	t := table{&settings.Table{Name: "table of tools", Rule: "AAIF-12-2"}}
	var o Operator
	t.Only(v, "", "functions", "mcp", "tools", "secrets", "vaults", "egress", "grants", "hooks", "agents")
	for at, item := range t.List(v, "functions") {
		t.Only(item, at, "name", "command", "dir", "env", "read_only", "idempotent")
		o.Functions = append(o.Functions, Function{Name: t.Need(item, at, "name"), Program: t.program(item, at),
			ReadOnly: t.Flag(item, at, "read_only"), Idempotent: t.Flag(item, at, "idempotent")})
	}
	for at, item := range t.List(v, "hooks") {
		t.Only(item, at, "name", "command", "dir", "env")
		o.Hooks = append(o.Hooks, Hook{Name: t.Need(item, at, "name"), Program: t.program(item, at)})
	}
	for at, item := range t.List(v, "mcp") {
		o.Servers = append(o.Servers, t.server(item, at))
	}
	for at, item := range t.List(v, "tools") {
		o.Bindings = append(o.Bindings, t.binding(item, at))
	}
	for at, item := range t.List(v, "secrets") {
		o.Secrets = append(o.Secrets, t.secret(item, at))
	}
	for at, item := range t.List(v, "vaults") {
		t.Only(item, at, "provider", "command", "dir", "env")
		vault := Vault{Provider: t.Need(item, at, "provider"), Program: t.program(item, at)}
		if !slices.Contains([]string{"1password", "custom"}, vault.Provider) {
			t.Fail(at+"/provider", "is neither 1password nor custom")
		}
		o.Vaults = append(o.Vaults, vault)
	}
	for at, item := range t.List(v, "grants") {
		t.Only(item, at, "agent", "tools", "endpoints")
		g := Grant{Agent: t.Need(item, at, "agent"), Tools: t.NeedNames(item, at, "tools")}
		if ends := item.Get("endpoints"); ends.Type() != canon.TypeUndefined {
			g.Endpoints = map[string]string{}
			for _, m := range ends.Members() {
				g.Endpoints[m.Name] = t.Text(ends, at+"/endpoints", m.Name)
			}
		}
		o.Grants = append(o.Grants, g)
	}
	for at, item := range t.List(v, "agents") {
		t.Only(item, at, "card", "env", "idempotent", "regions")
		o.Agents = append(o.Agents, Elsewhere{
			Card: t.Need(item, at, "card"), Env: t.Text(item, at, "env"), Idempotent: t.Flag(item, at, "idempotent"), Regions: t.Names(item, at, "regions"),
		})
	}
	o.Egress = t.Hosts(v, "", "egress")
	t.Unique("/functions", len(o.Functions), func(i int) string { return o.Functions[i].Name })
	t.Unique("/hooks", len(o.Hooks), func(i int) string { return o.Hooks[i].Name })
	t.Unique("/mcp", len(o.Servers), func(i int) string { return o.Servers[i].Name })
	t.Unique("/tools", len(o.Bindings), func(i int) string { return o.Bindings[i].Agent + "\x00" + o.Bindings[i].Tool })
	t.Unique("/agents", len(o.Agents), func(i int) string { return o.Agents[i].Card })
	t.Unique("/vaults", len(o.Vaults), func(i int) string { return o.Vaults[i].Provider })
	return o, t.Err
}

func (t table) server(item canon.Value, at string) Server {
	t.Only(item, at, "name", "url", "command", "dir", "env", "trusted", "capabilities")
	s := Server{Name: t.Need(item, at, "name"), URL: t.Text(item, at, "url"), Trusted: t.Flag(item, at, "trusted")}
	if item.Has("url") == item.Has("command") {
		t.Fail(at, "has to have either url or command")
	}
	if item.Has("command") {
		s.Program = t.program(item, at)
	}
	if members := item.Get("capabilities"); members.Type() != canon.TypeUndefined {
		if members.Type() != canon.TypeObject {
			t.Fail(at+"/capabilities", "is no object")
		}
		s.Capabilities = map[string][]string{}
		for _, m := range members.Members() {
			s.Capabilities[m.Name] = t.NeedNames(members, at+"/capabilities", m.Name)
		}
	}
	return s
}

func (t table) binding(item canon.Value, at string) Binding {
	t.Only(item, at, "agent", "tool", "method", "operations", "read_only", "idempotent")
	b := Binding{Agent: t.Need(item, at, "agent"), Tool: t.Need(item, at, "tool"), Method: t.Text(item, at, "method"),
		ReadOnly: t.Flag(item, at, "read_only"), Idempotent: t.Flag(item, at, "idempotent")}
	if item.Has("method") && !slices.Contains([]string{"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"}, b.Method) {
		t.Fail(at+"/method", "is none of GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE")
	}
	if item.Has("operations") {
		b.Operations = append([]string{}, t.Names(item, at, "operations")...)
	}
	return b
}

func (t table) secret(item canon.Value, at string) Secret {
	t.Only(item, at, "env", "provider", "path", "hosts")
	s := Secret{Env: t.Text(item, at, "env"), Provider: t.Text(item, at, "provider"), Path: t.Text(item, at, "path"), Hosts: t.Hosts(item, at, "hosts", Anything)}
	if (s.Env == "") == (s.Provider == "") || (s.Provider == "") != (s.Path == "") {
		t.Fail(at, "has to have either env, or provider and path")
	}
	if len(s.Hosts) == 0 {
		t.Fail(at+"/hosts", `is missing: the hosts that get the secret, or "*"`)
	}
	return s
}

// program reads a command. Its path is absolute, so that it does not depend on the folder
// or the environment in which a run starts.
func (t table) program(item canon.Value, at string) Program {
	p := Program{Command: t.Texts(item, at, "command"), Dir: t.Text(item, at, "dir"), Env: t.Names(item, at, "env")}
	if len(p.Command) == 0 || p.Command[0] == "" {
		t.Fail(at+"/command", "is missing or empty")
	} else if !filepath.IsAbs(p.Command[0]) {
		t.Fail(at+"/command/0", "is no absolute path")
	}
	if p.Dir != "" && !filepath.IsAbs(p.Dir) {
		t.Fail(at+"/dir", "is no absolute path")
	}
	return p
}

// granted reports whether an agent may use a tool of an entry of its definition.
func (o Operator) granted(agent, tool string, of aaif.Tool) bool {
	return slices.ContainsFunc(o.Grants, func(g Grant) bool {
		return matches(g.Agent, agent) && g.leads(of) && (slices.Contains(g.Tools, tool) || slices.Contains(g.Tools, Anything))
	})
}

// Lets reports whether a grant lets an agent use an entry of its definition, or a part of it.
func (g Grant) Lets(agent string, of aaif.Tool) bool {
	return matches(g.Agent, agent) && g.leads(of) && slices.ContainsFunc(g.Tools, func(name string) bool {
		return name == Anything || name == of.Name || strings.HasPrefix(name, of.Name+"__")
	})
}

// leads reports whether an entry leads where it did when it was granted.
func (g Grant) leads(of aaif.Tool) bool {
	to, noted := g.Endpoints[of.Name]
	return !noted || to == of.Endpoint
}

// matches reports whether a pattern of the table stands for an agent. Nobody is an agent
// without an id.
func matches(pattern, agent string) bool {
	return pattern == Anything || pattern == agent && agent != ""
}

// binding returns what the operator says about a tool: for the agent itself, else for any.
func (o Operator) binding(agent, tool string) Binding {
	var found Binding
	for _, b := range o.Bindings {
		if b.Tool == tool && matches(b.Agent, agent) && (found.Tool == "" || b.Agent != Anything) {
			found = b
		}
	}
	return found
}

// lets reports whether the list lets a host have the secret.
func (s Secret) lets(host string) bool {
	return slices.Contains(s.Hosts, Anything) || slices.Contains(s.Hosts, host)
}

// holds reports whether a path in a vault belongs to the secret.
func (s Secret) holds(provider, path string) bool {
	prefix, any := strings.CutSuffix(s.Path, Anything)
	return s.Provider != "" && s.Provider == provider && (s.Path == path || any && strings.HasPrefix(path, prefix) && !strings.Contains(path, ".."))
}
