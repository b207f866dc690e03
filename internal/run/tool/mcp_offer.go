package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/text/size"
)

// The limits of what a server says about its tools.
const (
	mostTools     = 1000
	mostListed    = 4 << 20 // bytes
	mostDescribed = 4 << 10
)

// bindMCP connects to the server of an entry and binds the tools that the entry lets
// through (AAIF-4.4-6).
func (s *Set) bindMCP(ctx context.Context, t aaif.Tool) []*offer {
	where, denied := s.place(t.Endpoint)
	if denied != nil {
		return s.missing(t, denied)
	}
	m := &mcpServer{s: s, t: t, where: where}
	s.lock.Lock()
	s.servers = append(s.servers, m)
	s.lock.Unlock()
	tools, err := m.list(ctx)
	if err != nil {
		return s.missing(t, asError(err, Unreachable, NotSent))
	}
	tools = where.narrow(tools, t)
	var list []*offer
	for _, tool := range tools {
		list = append(list, m.offer(tool))
	}
	if len(list) == 0 {
		list = s.missing(t, fail(aaif.ToolUnbound, "the server has no tools of %s", shownEndpoint(t.Endpoint)))
	}
	return list
}

// list asks the server for its tools.
func (m *mcpServer) list(ctx context.Context) ([]*mcp.Tool, error) {
	session, err := m.connected(ctx)
	if err != nil {
		return nil, err
	}
	var all []*mcp.Tool
	left := mostListed
	for tool, err := range session.Tools(ctx, nil) {
		if err != nil {
			return nil, connectError(ctx, err)
		}
		left -= len(tool.Description) + len(asValue(tool.InputSchema).Append(nil)) + len(asValue(tool.OutputSchema).Append(nil))
		if left < 0 {
			return nil, fail(schemaUnusable, "the server says more than %d bytes about its tools", mostListed)
		}
		if all = append(all, tool); len(all) == mostTools {
			break
		}
	}
	return all, nil
}

// narrow returns the tools of the capability. If one of them is called as the entry or as
// the capability, and the entry declares a schema, the entry is about that tool alone.
func (p mcpPlace) narrow(tools []*mcp.Tool, t aaif.Tool) []*mcp.Tool {
	listed, isListed := p.listed[p.capability]
	var kept []*mcp.Tool
	for _, tool := range tools {
		switch {
		case p.capability == "", isListed && slices.Contains(listed, tool.Name), !isListed && belongs(tool.Name, p.capability):
			kept = append(kept, tool)
		}
	}
	if t.Parameters.Type() == canon.TypeUndefined {
		return kept
	}
	for _, name := range []string{t.Name, p.capability} {
		if i := slices.IndexFunc(kept, func(tool *mcp.Tool) bool { return tool.Name == name }); i >= 0 {
			return kept[i : i+1]
		}
	}
	return kept
}

// belongs reports whether a tool belongs to a capability by its name.
func belongs(name, capability string) bool {
	rest, ok := strings.CutPrefix(name, capability)
	return ok && (rest == "" || strings.ContainsRune("_-./:", rune(rest[0])))
}

// offer binds a tool of the server. Its name is that of the entry and its own, or its own
// alone if the entry is called alike.
func (m *mcpServer) offer(tool *mcp.Tool) *offer {
	name := m.t.Name
	if tool.Name != m.t.Name {
		name = fitName(m.t.Name + "__" + tool.Name)
	}
	live := asValue(tool.InputSchema)
	text := clean(tool.Description, mostDescribed)
	if text == "" {
		text = m.t.Description
	}
	declared := m.t.Parameters
	offered := declared
	if declared.Type() == canon.TypeUndefined {
		offered = live
	}
	t := m.t
	if t.Output.Type() == canon.TypeUndefined {
		t.Output = asValue(tool.OutputSchema)
	}
	o := m.s.offer(t, name, text, offered)
	o.Of = m.t
	if declared.Type() != canon.TypeUndefined {
		o.judgeBy(live)
		m.compare(o, declared, live)
	}
	hint := tool.Annotations != nil && tool.Annotations.ReadOnlyHint
	o.Nature.ReadOnly = o.Missing == nil && (o.Nature.ReadOnly || hint && m.where.trusted)
	o.call = func(ctx context.Context, c Call) (Result, error) { return m.call(ctx, tool.Name, o.Nature.ReadOnly, c) }
	return o
}

// compare holds the declared schema against that of the server (AAIF-4.4-7). The declared
// one narrows the arguments. What it declares and the server does not know is told, and so
// is what the server requires and it does not declare; strict, the tool is disabled.
func (m *mcpServer) compare(o *offer, declared, live canon.Value) {
	if declared.Get("properties").Type() == canon.TypeObject && !declared.Get("additionalProperties").True() {
		o.only = []string{}
		for _, p := range declared.Get("properties").Members() {
			o.only = append(o.only, p.Name)
		}
	}
	drift := ""
	for _, p := range declared.Get("properties").Members() {
		if known := live.Get("properties").Get(p.Name); known.Type() == canon.TypeUndefined {
			drift = fmt.Sprintf("the server's tool takes no %s", aaif.Shown(p.Name))
		} else if a, b := p.Value.Get("type"), known.Get("type"); a.Text() != "" && b.Text() != "" && a.Text() != b.Text() {
			drift = fmt.Sprintf("%s is declared as %s, and the server has it as %s", aaif.Shown(p.Name), aaif.Shown(a.Text()), aaif.Shown(b.Text()))
		}
	}
	for _, name := range live.Get("required").Items() {
		if o.only != nil && !slices.Contains(o.only, name.Text()) {
			drift = fmt.Sprintf("the server's tool requires %s, which is not declared", aaif.Shown(name.Text()))
		}
	}
	if drift == "" {
		return
	}
	o.warn(schemaDrift, drift)
	if m.s.o.Strict {
		o.miss(fail(schemaDrift, "%s", drift))
	}
}

// asValue returns a value of the library as JSON.
func asValue(v any) canon.Value {
	if v == nil {
		return canon.Value{}
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return canon.Value{}
	}
	value, _ := canon.Parse(raw, canon.Options{Inexact: true}) // a value that is none is undefined
	return value
}

// clean returns a text of a stranger without control and invisible characters, cut to most
// bytes.
func clean(text string, most int) string {
	text = strings.Map(func(r rune) rune {
		if r != '\n' && isHidden(r) {
			return -1
		}
		return r
	}, text)
	if short := size.Cut(text, most); short != text {
		text = short + "…"
	}
	return strings.TrimSpace(text)
}
