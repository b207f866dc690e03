package condition

import (
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/codec"
)

// facts are what a definition says about the payloads of its conditions. The zero facts
// know only the members of the payload.
type facts struct {
	tools   []callable
	which   string   // the selected tools; "" for all
	others  bool     // tools of other agents, which are unknown, need approval, too (AAIF-4.9-17)
	outputs []string // the possible names of outputs
	given   bool
}

// callable is a tool with its argument names, and whether the list is complete.
type callable struct {
	aaif.Tool
	arguments []string
	known     bool
}

func factsOf(d aaif.Definition) facts {
	o := d.Agent.Orchestration
	f := facts{others: len(o.Subagents)+len(o.Handoffs) > 0, given: true}
	for _, t := range d.Agent.Tools {
		arguments, known := t.Arguments()
		f.tools = append(f.tools, callable{t, arguments, known && isDeclaredTool(t)})
	}
	for _, s := range o.Subagents {
		f.outputs = append(f.outputs, s.Alias, s.Ref)
	}
	return f
}

// isDeclaredTool reports whether a tool is called under its own name with its declared
// arguments. Servers and OpenAPI documents have tools of their own (AAIF-4.4-6, 4.4-11).
func isDeclaredTool(t aaif.Tool) bool {
	return t.Protocol == aaif.FunctionTool || t.Protocol == aaif.HTTPTool
}

// hasTool reports whether a tool of that name may be called.
func (f facts) hasTool(name string) bool {
	return !f.given || f.others || slices.ContainsFunc(f.tools, func(t callable) bool {
		return t.Name == name || !isDeclaredTool(t.Tool) && t.Protocol != aaif.OpenAPITool || t.Protocol == aaif.OpenAPITool && strings.HasPrefix(name, t.Name+"__")
	})
}

// names returns the names of the tools.
func (f facts) names() []string {
	var names []string
	for _, t := range f.tools {
		names = append(names, t.Name)
	}
	return names
}

// hasProtocol reports whether a tool of that protocol may be called.
func (f facts) hasProtocol(protocol string) bool {
	return !f.given || f.others || slices.Contains(protocols(), protocol) ||
		slices.ContainsFunc(f.tools, func(t callable) bool { return string(t.Protocol) == protocol })
}

func protocols() []string {
	return []string{string(aaif.FunctionTool), string(aaif.MCPTool), string(aaif.HTTPTool), string(aaif.OpenAPITool)}
}

// only returns the facts for calls of the tools with some names.
func (f facts) only(names []string) facts {
	var tools []callable
	for _, t := range f.tools {
		if slices.Contains(names, t.Name) {
			tools = append(tools, t)
		}
	}
	for _, name := range names {
		if !slices.ContainsFunc(tools, func(t callable) bool { return t.Name == name }) {
			return facts{} // tools of a server or a document, or an unknown tool, which another check reports
		}
	}
	f.tools = tools
	f.which += strings.Join(names, "\x00") + "\x00\x00"
	return f
}

// argument says why no call has an argument of that name, or returns "".
func (f facts) argument(name string) string {
	if !f.given || f.others || len(f.tools) == 0 {
		return ""
	}
	var all []string
	for _, t := range f.tools {
		if !t.known || slices.Contains(t.arguments, name) {
			return ""
		}
		all = append(all, t.arguments...)
	}
	if len(f.tools) == 1 {
		return printable(f.tools[0].Name) + " takes no argument " + printable(name) + suggestion(name, all)
	}
	return "no tool takes an argument " + printable(name) + suggestion(name, all)
}

// suggestion suggests the intended name, or lists the known ones.
func suggestion(name string, known []string) string {
	if m := codec.ClosestWord(name, known); m != "" {
		return "; did you mean " + printable(m) + "?"
	}
	there := slices.DeleteFunc(slices.Sorted(slices.Values(known)), func(s string) bool { return s == "" })
	if there = slices.Compact(there); len(there) == 0 {
		return ""
	}
	return "; known: " + joinNames(there)
}
