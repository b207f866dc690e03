package agentspec

import (
	"strings"

	"github.com/satchel-memory/satchel/aaif/exchange"
	"github.com/satchel-memory/satchel/canon"
)

// tools takes a list of tools.
func (r *reader) tools(list exchange.Place) {
	for _, t := range list.Items() {
		t = r.follow(t)
		kind := t.Get("component_type")
		switch kind.Peek() {
		case "ServerTool":
			r.tool(t)
		case "ClientTool":
			r.tool(t)
			kind.Lose("the client runs the tool, where a definition does not say who does")
		case "RemoteTool":
			r.remote(t)
		case "MCPTool":
			r.serverTool(t, r.follow(t.Get("client_transport")), false)
		}
	}
}

// tool takes a tool by its description, with further members, and returns its name.
func (r *reader) tool(t exchange.Place, more ...canon.Member) (called string, taken bool) {
	name := t.Get("name")
	if name.Peek() == "" {
		return "", false
	}
	t.Get("component_type").Skip()
	t.Get("id").Skip()
	called = r.draft.ToolName(name)
	r.draft.AddTool(canon.Object(append([]canon.Member{
		{Name: "name", Value: canon.String(called)},
		{Name: "description", Value: canon.String(t.Get("description").Text())},
		{Name: "parameters_schema", Value: properties(t.Get("inputs"))},
		{Name: "output_schema", Value: properties(t.Get("outputs"))}}, more...)...))
	if t.Get("requires_confirmation").Approval() {
		r.approve = append(r.approve, called)
	}
	return called, true
}

// remote takes a tool that is called over HTTP: by POST, with its arguments as a JSON
// body (decision R12).
func (r *reader) remote(t exchange.Place) {
	address := t.Get("url")
	if address.Peek() == "" {
		return
	}
	endpoint := strings.NewReplacer("{{", "{", "}}", "}").Replace(address.Peek())
	if _, ok := r.tool(t, protocol("http"), canon.Member{Name: "endpoint", Value: canon.String(endpoint)}); !ok {
		return
	}
	address.Skip()
	if method := t.Get("http_method"); method.Peek() == "POST" {
		method.Skip()
	} else {
		method.Lose("a definition does not say by which method a tool is called, and means POST; bind it on the platform")
	}
	for i, d := range t.Get("data").Members() {
		if name := t.Get("data").Value.Members()[i].Name; d.Peek() == "{{"+name+"}}" {
			d.Skip()
		}
	}
	t.Get("sensitive_headers").Lose("what a tool is shown of who calls may be a secret, and is not taken over [AAIF-12-3]")
}

func protocol(name string) canon.Member {
	return canon.Member{Name: "protocol", Value: canon.String(name)}
}

// wholeServer takes a box that names no tools as all tools of its MCP server, which have
// names of their own (AAIF-4.4-6).
func (r *reader) wholeServer(box, transport exchange.Place) {
	confirm := box.Get("requires_confirmation").Approval()
	box.Get("component_type").Skip()
	box.Get("id").Skip()
	r.draft.AddTool(canon.Object(
		canon.Member{Name: "name", Value: canon.String(r.draft.ToolName(box.Get("name")))},
		canon.Member{Name: "description", Value: canon.String(box.Get("description").Text())},
		protocol("mcp"), canon.Member{Name: "endpoint", Value: canon.String(r.server(transport, ""))}))
	r.servers = r.servers || confirm
}

// boxes takes the tools that tool boxes name, or their servers.
func (r *reader) boxes(list exchange.Place) {
	for _, box := range list.Items() {
		box = r.follow(box)
		filter := box.Get("tool_filter")
		if box.Get("component_type").Peek() != "MCPToolBox" {
			continue
		}
		transport := r.follow(box.Get("client_transport"))
		switch {
		case !filter.Has() && transport.Has() && box.Get("name").Peek() != "":
			r.wholeServer(box, transport)
			continue
		case len(filter.Items()) == 0:
			box.Lose("a box that names neither tools nor a server with a name of its own")
			continue
		}
		box.Get("component_type").Skip()
		box.Get("id").Skip()
		all := box.Get("requires_confirmation").Approval()
		for _, t := range filter.Items() {
			r.serverTool(r.follow(t), transport, all)
		}
	}
}

// serverTool takes a tool of an MCP server: a described one, or only a name.
func (r *reader) serverTool(t, transport exchange.Place, confirm bool) {
	named := t.Peek() != ""
	name := t
	if !named {
		name = t.Get("name")
	}
	if name.Peek() == "" {
		return
	}
	endpoint := canon.Member{Name: "endpoint", Value: canon.String(r.server(transport, name.Peek()))}
	if named {
		called := r.draft.ToolName(name)
		r.draft.AddTool(canon.Object(canon.Member{Name: "name", Value: canon.String(called)},
			canon.Member{Name: "description", Value: canon.String("")}, protocol("mcp"), endpoint))
		if confirm {
			r.approve = append(r.approve, called)
		}
		return
	}
	if called, ok := r.tool(t, protocol("mcp"), endpoint); ok && confirm && !t.Get("requires_confirmation").Value.True() {
		r.approve = append(r.approve, called)
	}
}

// server returns the address of a tool's server, or a name that the platform knows. It
// never takes a command over.
func (r *reader) server(transport exchange.Place, tool string) string {
	transport.Get("id").Skip()
	transport.Get("sensitive_headers").Lose("what a server is shown of who calls may be a secret, and is not taken over [AAIF-12-3]")
	if address := transport.Get("url"); exchange.IsHTTP(address.Peek()) {
		return address.Text()
	}
	for _, name := range []string{"command", "args", "env", "cwd"} {
		transport.Get(name).Lose("a command is not taken over, nor run: the platform has to know the server by its name")
	}
	name := transport.Get("name").Text()
	if name == "" {
		name = "unknown"
	}
	return strings.TrimSuffix("mcp://"+exchange.Segment(name)+"/"+exchange.Segment(tool), "/")
}
