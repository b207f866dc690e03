package tool

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/text/internet"
)

// mcpServer is the connection of an entry of protocol mcp.
type mcpServer struct {
	s     *Set
	t     aaif.Tool
	where mcpPlace

	lock    sync.Mutex
	session *mcp.ClientSession
	process *process // of a command; nil: the server is at an address
	sender  *sender  // of an address; nil: the server is a command
	closed  bool
}

// mcpPlace is where a server is.
type mcpPlace struct {
	url        string // empty: program
	program    Program
	trusted    bool
	operators  bool                // the address is the operator's
	capability string              // empty: all tools
	listed     map[string][]string // the tools of capabilities
}

// place finds the server of an endpoint (AAIF-4.4-6, 4.4-8).
func (s *Set) place(endpoint string) (mcpPlace, *Error) {
	u, err := url.Parse(endpoint)
	if err != nil {
		return mcpPlace{}, fail(egressDenied, "the endpoint is no address")
	}
	switch u.Scheme {
	case "mcp":
		return s.named(u)
	case "stdio":
		return s.allowed(u)
	case "https", "http":
		p := mcpPlace{url: endpoint}
		if i := slices.IndexFunc(s.o.Operator.Servers, func(o Server) bool { return o.URL != "" && o.URL == endpoint }); i >= 0 {
			p.trusted, p.operators = s.o.Operator.Servers[i].Trusted, true
			return p, nil
		}
		return p, s.guard.check(u)
	case "ws", "wss":
		return mcpPlace{}, fail(aaif.ToolUnbound, "MCP servers are not called over WebSockets here")
	}
	return mcpPlace{}, fail(egressDenied, "%s is no endpoint of an MCP server", shownEndpoint(endpoint))
}

// named finds the operator's server of mcp://SERVER/CAPABILITY.
func (s *Set) named(u *url.URL) (mcpPlace, *Error) {
	i := slices.IndexFunc(s.o.Operator.Servers, func(o Server) bool { return o.Name == u.Host })
	if i < 0 {
		return mcpPlace{}, fail(serverUnknown, "the operator has no MCP server %s: mcp in %s", aaif.Shown(u.Host), toolsTable)
	}
	o := s.o.Operator.Servers[i]
	return mcpPlace{url: o.URL, program: o.Program, trusted: o.Trusted, operators: true,
		capability: strings.Trim(u.Path, "/"), listed: o.Capabilities}, nil
}

// allowed finds the operator's command of stdio:///PATH?arg=ONE&arg=TWO. Without arguments
// the endpoint stands for the operator's command with its own.
func (s *Set) allowed(u *url.URL) (mcpPlace, *Error) {
	path, args := u.Path, u.Query()["arg"]
	if path == "" {
		path = u.Opaque
	}
	for _, o := range s.o.Operator.Servers {
		if len(o.Command) > 0 && o.Command[0] == path && (len(args) == 0 || slices.Equal(o.Command[1:], args)) {
			return mcpPlace{program: o.Program, trusted: o.Trusted, operators: true, listed: o.Capabilities}, nil
		}
	}
	return mcpPlace{}, fail(commandDenied, "the operator does not list the command %s: mcp in %s", aaif.Shown(path), toolsTable)
}

// connected returns a session. It connects anew if the last one broke: a session is used
// for further calls, and never for one that was sent already.
func (m *mcpServer) connected(ctx context.Context) (*mcp.ClientSession, error) {
	m.lock.Lock()
	defer m.lock.Unlock()
	if m.closed {
		return nil, fail(Unreachable, "the run has ended")
	}
	if m.session != nil && (m.process == nil || m.process.runs()) {
		return m.session, nil
	}
	m.leave()
	transport, err := m.transport()
	if err != nil {
		return nil, err
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "satchel", Version: "1"}, &mcp.ClientOptions{
		Capabilities:   &mcp.ClientCapabilities{},
		MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: true}, // it repeats calls
	})
	session, err := client.Connect(ctx, transport, nil)
	if err != nil {
		m.leave()
		return nil, connectError(ctx, err)
	}
	m.session = session
	return session, nil
}

// connectError describes why there is no session. Nothing was called.
func connectError(ctx context.Context, err error) error {
	if known, ok := errors.AsType[*Error](err); ok {
		return known
	}
	return broken(ctx, err, false)
}

// transport returns what a session speaks over: a process that it starts, or requests.
func (m *mcpServer) transport() (mcp.Transport, error) {
	if m.where.url == "" {
		p, err := start(m.where.program, environment(m.s.o.Env, m.where.program.Env))
		if err != nil {
			return nil, &Error{Code: Unreachable, Outcome: NotSent, Text: plainText(err), Err: err}
		}
		m.process = p
		return &mcp.IOTransport{Reader: p.out, Writer: p.in, MaxLineLength: mostMessage}, nil
	}
	m.sender = &sender{s: m.s, auth: m.t.Auth, guard: m.s.guard}
	if u, err := url.Parse(m.where.url); err == nil && m.where.operators {
		m.sender.guard.hosts = []string{internet.PlainHost(u.Hostname())}
	}
	return &mcp.StreamableClientTransport{Endpoint: m.where.url, HTTPClient: m.sender.client(),
		MaxRetries: -1, DisableStandaloneSSE: true, MaxEventSize: mostMessage}, nil
}

// leave ends the session and its process.
func (m *mcpServer) leave() {
	if m.session != nil {
		_ = m.session.Close() // it is of no more use, whether it closes well or not
	}
	if m.process != nil {
		m.process.end()
	}
	m.session, m.process, m.sender = nil, nil, nil
}

// drop ends a session that broke, unless there is another one already.
func (m *mcpServer) drop(session *mcp.ClientSession) {
	m.lock.Lock()
	defer m.lock.Unlock()
	if m.session == session {
		m.leave()
	}
}

// close ends the connection for good.
func (m *mcpServer) close() {
	m.lock.Lock()
	defer m.lock.Unlock()
	m.leave()
	m.closed = true
}
