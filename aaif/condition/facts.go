package condition

import (
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/codec"
)

// facts are what a definition says of the payloads of its conditions. Of the zero facts
// only the contract of the payloads is known.
type facts struct {
	tools   []callable
	which   string   // of which tools, where not of all
	others  bool     // tools of other agents, of which nothing is known, are asked for, too (AAIF-4.9-17)
	outputs []string // the names that outputs may have
	given   bool
}

// callable is a tool with the names of its arguments, and whether these are all there are.
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
		f.tools = append(f.tools, callable{t, arguments, known && own(t)})
	}
	for _, s := range o.Subagents {
		f.outputs = append(f.outputs, s.Alias, s.Ref)
	}
	return f
}

// own reports whether a tool is called as the definition says: under its name, with its
// arguments. Servers have tools of their own, and so have documents (AAIF-4.4-6, 4.4-11).
func own(t aaif.Tool) bool { return t.Protocol == aaif.FunctionTool || t.Protocol == aaif.HTTPTool }

// called reports whether a tool of that name may be called.
func (f facts) called(name string) bool {
	return !f.given || f.others || slices.ContainsFunc(f.tools, func(t callable) bool {
		return t.Name == name || !own(t.Tool) && t.Protocol != aaif.OpenAPITool || t.Protocol == aaif.OpenAPITool && strings.HasPrefix(name, t.Name+"__")
	})
}

// names returns what the tools are called.
func (f facts) names() []string {
	var names []string
	for _, t := range f.tools {
		names = append(names, t.Name)
	}
	return names
}

// spoken reports whether a tool of that protocol may be called.
func (f facts) spoken(protocol string) bool {
	return !f.given || f.others || slices.Contains(protocols(), protocol) ||
		slices.ContainsFunc(f.tools, func(t callable) bool { return string(t.Protocol) == protocol })
}

func protocols() []string {
	return []string{string(aaif.FunctionTool), string(aaif.MCPTool), string(aaif.HTTPTool), string(aaif.OpenAPITool)}
}

// only returns the facts where the tool that is called has one of some names.
func (f facts) only(names []string) facts {
	var tools []callable
	for _, t := range f.tools {
		if slices.Contains(names, t.Name) {
			tools = append(tools, t)
		}
	}
	for _, name := range names {
		if !slices.ContainsFunc(tools, func(t callable) bool { return t.Name == name }) {
			return facts{} // of a server's or a document's, or of none, which is told by itself
		}
	}
	f.tools = tools
	f.which += strings.Join(names, "\x00") + "\x00\x00"
	return f
}

// argument says why a call never has an argument of that name, and "" where it may.
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
		return told(f.tools[0].Name) + " takes no argument " + told(name) + asked(name, all)
	}
	return "no tool takes an argument " + told(name) + asked(name, all)
}

// asked is a question for what may have been meant, or what there is.
func asked(name string, known []string) string {
	if m := codec.Meant(name, known); m != "" {
		return "; did you mean " + told(m) + "?"
	}
	there := slices.DeleteFunc(slices.Sorted(slices.Values(known)), func(s string) bool { return s == "" })
	if there = slices.Compact(there); len(there) == 0 {
		return ""
	}
	return "; known: " + shown(there)
}
