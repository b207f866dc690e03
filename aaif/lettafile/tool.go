package lettafile

import (
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/aaif/exchange"
	"github.com/satchel-memory/satchel/canon"
)

// tools takes the tools of an agent: its own, and those it names.
func (r *reader) tools() {
	r.toolNames = map[string][]string{}
	for _, t := range r.agent.Get("tools").Items() {
		r.tool(t)
	}
	if r.agent.Pointer != "" {
		r.namedTools()
	}
	r.rules()
	r.draft.Approve(distinct(r.approve))
}

// rules takes the rules that require approval of tools: of all tools with that name, or
// with that name in their schemas. A rule for an unknown tool is listed as lost
// (AAIF-3-4, AAIF-12-6).
func (r *reader) rules() {
	const held = "; whoever runs the agent has to be told [AAIF-3-4] [AAIF-12-6]"
	list, done := r.agent.Get("tool_rules"), map[string]bool{}
	if list.Value.Type() != canon.TypeArray {
		list.Lose("rules of tools, which may ask for approval, in a form that is not known" + held)
	}
	for _, rule := range list.Items() {
		if !strings.Contains(strings.ToLower(rule.Get("type").Peek()), "approval") {
			continue
		}
		name := rule.Get("tool_name")
		tools := r.toolNames[name.Peek()]
		if len(tools) == 0 {
			rule.Lose("asks for approval of a tool that the definition has not" + held)
			continue
		}
		if !done[name.Peek()] {
			r.approve = append(r.approve, tools...)
		}
		done[name.Text()] = true
		if kind := rule.Get("type"); kind.Peek() == "requires_approval" {
			kind.Skip()
		}
	}
}

// distinct returns each name once.
func distinct(names []string) []string {
	had := map[string]bool{}
	return slices.DeleteFunc(names, func(name string) bool {
		was := had[name]
		had[name] = true
		return was
	})
}

// namedTools takes the tools of the file that the agent names.
func (r *reader) namedTools() {
	ids := r.agent.Get("tool_ids").Items()
	wanted, known := map[string]bool{}, map[string]bool{}
	for _, id := range ids {
		wanted[id.Peek()] = true
	}
	for _, t := range r.root.Get("tools").Items() {
		if id := t.Get("id").Peek(); id != "" && wanted[id] {
			known[id] = true
			r.tool(t)
		}
	}
	for _, id := range ids {
		if known[id.Peek()] {
			id.Skip()
		}
	}
}

// tool takes a tool by its schema.
func (r *reader) tool(t exchange.Place) {
	kind := t.Get("tool_type")
	if strings.HasPrefix(kind.Peek(), "letta_") || kind.Peek() == "external_composio" {
		t.Lose("a tool of Letta's own server, which is not mapped to anything")
		return
	}
	schema := t.Get("json_schema")
	if schema.Get("name").Peek() == "" {
		schema = t
	}
	was := schema.Get("name").Peek()
	more := r.server(t, was)
	name, ok := r.draft.Function(schema, more...)
	if !ok {
		return
	}
	r.toolNames[was] = append(r.toolNames[was], name)
	if own := t.Get("name").Peek(); own != was && own != "" {
		r.toolNames[own] = append(r.toolNames[own], name)
	}
	t.Get("id").Skip()
	if kind.Peek() == "custom" || more != nil {
		kind.Skip()
	}
	for _, member := range []string{"name", "description"} {
		if p := t.Get(member); p.Peek() == schema.Get(member).Peek() {
			p.Skip()
		}
	}
	t.Get("source_code").Lose("source code is neither taken over nor run: another platform has to provide the tool")
	if t.Get("default_requires_approval").Approval() {
		r.approve = append(r.approve, name)
	}
}

// server returns the members of a tool on an MCP server.
func (r *reader) server(t exchange.Place, name string) []canon.Member {
	if t.Get("tool_type").Peek() != "external_mcp" {
		return nil
	}
	server := ""
	for _, tag := range t.Get("tags").Items() {
		if s, ok := strings.CutPrefix(tag.Peek(), "mcp:"); ok && server == "" {
			tag.Skip()
			server = s
		}
	}
	if p := t.Get("metadata_").Get("mcp").Get("server_name"); server == "" {
		server = p.Text()
	}
	if server == "" {
		server = "unknown"
	}
	return []canon.Member{
		{Name: "protocol", Value: canon.String("mcp")},
		{Name: "endpoint", Value: canon.String("mcp://" + exchange.Segment(server) + "/" + exchange.Segment(name))},
	}
}
