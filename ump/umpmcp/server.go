package umpmcp

import (
	"cmp"
	"context"
	"strings"
	"sync"
	"time"

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
	// Find returns the ID of the record that a caller names by a whole ID or the
	// beginning of one. It fails with NotFound, or with InvalidRecord where the name is
	// too short or ambiguous; then a [memory.AmbiguousID] is the cause. Records that the
	// caller may not read do not count.
	Find(ctx context.Context, c memory.Caller, name string) (memory.ID, error)
	// ShortIDs returns a form of each ID that Find understands, see [memory.ShortIDs]. It
	// tells nothing of records that the caller may not read.
	ShortIDs(ctx context.Context, c memory.Caller, ids []memory.ID) (map[memory.ID]string, error)
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
	// Strict makes tools/list give schemas in the strict form of OpenAI's interfaces, see
	// [ump.StrictSchema]. Calls are judged alike.
	Strict bool
	// Name and Version are what the server calls itself; empty: satchel, 0.
	Name, Version string
	// Instructions are for the model; empty: [Instructions].
	Instructions string
	// Now tells the time from which "last month" counts, in the caller's time zone. nil:
	// such words are refused.
	Now func() time.Time
	// Report receives the cause of every answer that hides one, with what was
	// attempted. nil: causes are dropped.
	Report func(doing string, err error)
}

// binding is a server's own part.
type binding struct {
	backend    Backend
	options    Options
	operations []ump.Operation
	listed     map[ump.Operation][]string // names of the arguments for models
	watch      *watch                     // nil: changes cannot be followed
	notify     mcp.MethodHandler

	mu        sync.Mutex
	listeners map[*mcp.ServerSession]*listener
}

// New returns an MCP server over b. It may serve any number of sessions, over
// any of the SDK's transports; see [Serve] and [NewHTTP]. What b offers is asked
// here, once.
func New(b Backend, o Options) *mcp.Server {
	o = o.filled()
	return newServer(b, o, full(b, o))
}

func (o Options) filled() Options {
	o.Name = cmp.Or(o.Name, "satchel")
	o.Version = cmp.Or(o.Version, "0")
	o.Instructions = cmp.Or(o.Instructions, Instructions(o.Dotted))
	if o.Report == nil {
		o.Report = func(string, error) {}
	}
	return o
}

// tier is what a service at level 3 offers besides the six operations.
type tier struct {
	learns bool
	watch  *watch
}

// full returns what the service offers of level 3, as far as that level is in
// force (UMP-4.1-2).
func full(b Backend, o Options) tier {
	offered, err := capabilities(b)
	if err != nil {
		o.Report("capabilities", err)
		return tier{}
	}
	if offered.Conformance != "L3" {
		return tier{}
	}
	var t tier
	_, t.learns = b.(ump.Learner)
	if w, ok := b.(ump.Watcher); ok {
		t.watch = newWatch(w, o.Report)
	}
	return t
}

func capabilities(b Backend) (offered memory.Capabilities, err error) {
	defer guard("capabilities", &err)
	return b.Capabilities(context.Background(), memory.Caller{})
}

func newServer(b Backend, o Options, t tier) *mcp.Server {
	bound := &binding{backend: b, options: o, operations: ump.Operations(), watch: t.watch, listeners: map[*mcp.ServerSession]*listener{}}
	if t.learns {
		bound.operations = append(bound.operations, ump.OpFeedback)
	}
	bound.listed = flatArguments(bound.operations)
	watched := t.watch != nil
	options := &mcp.ServerOptions{
		Instructions: o.Instructions,
		// Which tools and prompts there are never changes while the server runs.
		Capabilities: &mcp.ServerCapabilities{
			Tools: &mcp.ToolCapabilities{}, Prompts: &mcp.PromptCapabilities{},
			Resources: &mcp.ResourceCapabilities{Subscribe: watched, ListChanged: watched},
		},
	}
	if watched { // the SDK's own part in it; who subscribes is judged in receive
		options.SubscribeHandler = func(context.Context, *mcp.SubscribeRequest) error { return nil }
		options.UnsubscribeHandler = func(context.Context, *mcp.UnsubscribeRequest) error { return nil }
	}
	server := mcp.NewServer(&mcp.Implementation{Name: o.Name, Title: "Satchel memory", Version: o.Version}, options)
	bound.addTools(server)
	bound.addResources(server)
	bound.addBrief(server)
	server.AddReceivingMiddleware(bound.receive)
	server.AddSendingMiddleware(bound.send)
	return server
}

// receive lets a tool be called by either spelling of its name, and reads
// resources here: the SDK would not match an id with its colons. It also keeps
// account of who is to be told of changes.
func (b *binding) receive(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, request mcp.Request) (mcp.Result, error) {
		switch request := request.(type) {
		case *mcp.CallToolRequest:
			return next(withSpelling(ctx, request.Params.Name), method, b.named(request))
		case *mcp.ReadResourceRequest:
			result, err := b.read(ctx, request)
			if err != nil {
				return nil, err // not a nil result in an interface
			}
			return result, nil
		}
		if b.watch == nil {
			return next(ctx, method, request)
		}
		switch request := request.(type) {
		case *mcp.InitializedRequest:
			defer b.greet(ctx, request)
		case *mcp.SubscribeRequest:
			if err := b.subscribe(ctx, request); err != nil {
				return nil, err
			}
		case *mcp.UnsubscribeRequest:
			b.unsubscribe(request)
		case *mcp.SubscriptionsListenRequest:
			return b.listen(ctx, request, func(ctx context.Context) (mcp.Result, error) { return next(ctx, method, request) })
		}
		return next(ctx, method, request)
	}
}

// spelling is the key under which a context holds the name of the tool as the
// caller spelled it.
type spelling struct{}

func withSpelling(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, spelling{}, name)
}

// forModel reports whether a tool was called by the underscore spelling: then the answer
// is the view for models, and unknown arguments are refused. The dotted names are the
// protocol's, which ignores unknown members of a request (UMP-3.2-1).
func forModel(ctx context.Context) bool {
	name, _ := ctx.Value(spelling{}).(string)
	return strings.HasPrefix(name, "ump_")
}

// named returns a call with the tool's name as it is listed.
func (b *binding) named(r *mcp.CallToolRequest) *mcp.CallToolRequest {
	op, ok := b.operationOf(r.Params.Name)
	if !ok {
		return r
	}
	params := *r.Params
	params.Name = toolName(op, b.options.Dotted)
	named := *r
	named.Params = &params
	return &named
}
