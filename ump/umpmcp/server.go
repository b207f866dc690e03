package umpmcp

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// Backend is the service behind the binding.
type Backend interface {
	ump.Backend
	// Brief returns what a new session in the project should know, within the
	// budget in tokens (0: the service's default), framed as untrusted data. An
	// empty project means none in particular.
	Brief(ctx context.Context, c memory.Caller, project string, budget int) (text string, err error)
}

// Options steer the binding. The zero value serves a stranger.
type Options struct {
	// Caller is who speaks where the carrier cannot tell: over stdio, the owner's
	// agent. Its Role is lowered to Agent, because a model speaks here and never
	// the person (decision UD-33). An empty Agent is filled with the client's
	// name, an empty Session with that of the carrier.
	Caller memory.Caller
	// Dotted makes tools/list spell the tools as section 4.1 does: ump.recall.
	Dotted bool
	// Name and Version are what the server calls itself; empty: satchel, 0.
	Name, Version string
	// Instructions are for the model; empty: [Instructions].
	Instructions string
	// Report receives the cause of every answer that hides one, with what was
	// attempted. nil: causes are dropped.
	Report func(doing string, err error)
}

// binding is a server's own part.
type binding struct {
	backend Backend
	options Options
}

// New returns an MCP server over b. It may serve any number of sessions, over
// any of the SDK's transports; see [Serve] and [NewHTTP].
func New(b Backend, o Options) *mcp.Server {
	if o.Name == "" {
		o.Name = "satchel"
	}
	if o.Version == "" {
		o.Version = "0"
	}
	if o.Instructions == "" {
		o.Instructions = Instructions(o.Dotted)
	}
	if o.Report == nil {
		o.Report = func(string, error) {}
	}
	bound := &binding{b, o}
	server := mcp.NewServer(&mcp.Implementation{Name: o.Name, Title: "Satchel memory", Version: o.Version}, &mcp.ServerOptions{
		Instructions: o.Instructions,
		// What is offered never changes while the server runs, so nothing is
		// announced and no stream has to stay open for it.
		Capabilities: &mcp.ServerCapabilities{
			Tools: &mcp.ToolCapabilities{}, Resources: &mcp.ResourceCapabilities{}, Prompts: &mcp.PromptCapabilities{},
		},
	})
	bound.addTools(server)
	bound.addResources(server)
	bound.addBrief(server)
	server.AddReceivingMiddleware(bound.receive)
	return server
}

// receive lets a tool be called by either spelling of its name, and reads
// resources here: the SDK would not match an id with its colons.
func (b *binding) receive(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, request mcp.Request) (mcp.Result, error) {
		switch request := request.(type) {
		case *mcp.CallToolRequest:
			if op, ok := operationOf(request.Params.Name); ok {
				params := *request.Params
				params.Name = toolName(op, b.options.Dotted)
				named := *request
				named.Params = &params
				return next(ctx, method, &named)
			}
		case *mcp.ReadResourceRequest:
			result, err := b.read(ctx, request)
			if err != nil {
				return nil, err // not a nil result in an interface
			}
			return result, nil
		}
		return next(ctx, method, request)
	}
}
