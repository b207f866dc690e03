package umpmcp

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// Backend is the service behind the binding.
type Backend interface {
	ump.Backend
	// Brief returns the memories that a new session in the project needs, within the
	// budget in tokens (0: the service's default), framed as untrusted data. An empty
	// project means no particular one.
	Brief(ctx context.Context, c memory.Caller, project string, budget int) (text string, err error)
	// Find returns the ID of the record that a caller names by a whole ID or the
	// beginning of one. It fails with NotFound, or with InvalidRecord if the name is too
	// short or ambiguous; then a [memory.AmbiguousID] is the cause. It ignores records
	// that the caller may not read.
	Find(ctx context.Context, c memory.Caller, name string) (memory.ID, error)
	// ShortIDs returns a short form of each ID that Find accepts, see [memory.ShortIDs].
	// It reveals nothing about records that the caller may not read.
	ShortIDs(ctx context.Context, c memory.Caller, ids []memory.ID) (map[memory.ID]string, error)
}

// Admitter is a [Backend] whose owner can keep programs out. Other backends let every program
// in that may call.
type Admitter interface {
	// AdmitHost refuses the program that a caller names as its Agent, in words that a model
	// can pass on, if the owner keeps it out at present.
	AdmitHost(ctx context.Context, c memory.Caller) error
}

// admit refuses callers whom the owner keeps out.
func admit(ctx context.Context, b Backend, c memory.Caller) error {
	if a, ok := b.(Admitter); ok {
		return a.AdmitHost(ctx, c)
	}
	return nil
}

// Options configure the binding. The zero value serves a stranger.
type Options struct {
	// Caller is the caller if the transport does not authenticate: over stdio, the
	// owner's agent. The binding lowers its Role to Agent, because a model calls and
	// never the person (decision UD-33). It fills an empty Agent with the client's name,
	// and an empty Session with that of the transport.
	Caller memory.Caller
	// Dotted makes tools/list spell the tools as section 4.1 does: ump.recall.
	Dotted bool
	// Strict makes tools/list return schemas in OpenAI's strict form, see
	// [ump.StrictSchema]. It does not change how calls are checked.
	Strict bool
	// Name and Version of the server; empty: satchel, 0.
	Name, Version string
	// Instructions are for the model; empty: [Instructions].
	Instructions string
	// Now returns the time from which "last month" counts, in the caller's time zone. nil:
	// the binding refuses such words.
	Now func() time.Time
	// Report receives the cause of every answer that hides it, and the action that
	// failed. nil: nobody receives it.
	Report func(doing string, err error)
}

// binding serves the tools, resources and prompts of an MCP server.
type binding struct {
	backend    Backend
	options    Options
	operations []ump.Operation
	models     *modelView
	changes    *subscriptions
}

// New returns an MCP server over b. It may serve any number of sessions, over any of the
// SDK's transports; see [Serve] and [NewHTTP]. New reads the capabilities of b once.
func New(b Backend, o Options) *mcp.Server {
	o = o.filled()
	return newServer(b, o, levelThree(b, o))
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

// report reports the cause of an internal error.
func (o Options) report(doing string, err error) {
	if memory.KindOf(err) == memory.Internal {
		o.Report(doing, err)
	}
}

// tier lists what a service at level 3 offers besides the six operations.
type tier struct {
	learns bool
	watch  *watch
}

// levelThree returns what the service offers of level 3, if that level is in force
// (UMP-4.1-2).
func levelThree(b Backend, o Options) tier {
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
	bound := &binding{backend: b, options: o, operations: ump.Operations()}
	if t.learns {
		bound.operations = append(bound.operations, ump.OpFeedback)
	}
	bound.models = &modelView{backend: b, options: o, listed: flatArguments(bound.operations)}
	bound.changes = &subscriptions{options: o, watch: t.watch, read: bound.read, listeners: map[*mcp.ServerSession]*listener{}}
	watched := t.watch != nil
	options := &mcp.ServerOptions{
		Instructions: o.Instructions,
		// The tools and prompts never change while the server runs.
		Capabilities: &mcp.ServerCapabilities{
			Tools: &mcp.ToolCapabilities{}, Prompts: &mcp.PromptCapabilities{},
			Resources: &mcp.ResourceCapabilities{Subscribe: watched, ListChanged: watched},
		},
	}
	if watched { // the SDK requires these; receive checks who may subscribe
		options.SubscribeHandler = func(context.Context, *mcp.SubscribeRequest) error { return nil }
		options.UnsubscribeHandler = func(context.Context, *mcp.UnsubscribeRequest) error { return nil }
	}
	server := mcp.NewServer(&mcp.Implementation{Name: o.Name, Title: "Satchel memory", Version: o.Version}, options)
	bound.addTools(server)
	bound.addResources(server)
	bound.addBrief(server)
	server.AddReceivingMiddleware(bound.receive)
	server.AddSendingMiddleware(bound.changes.send)
	return server
}

// receive accepts both spellings of a tool's name. It reads resources itself, because the
// SDK would not match an id with its colons. It also passes subscriptions to changes.
func (b *binding) receive(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, request mcp.Request) (mcp.Result, error) {
		switch request := request.(type) {
		case *mcp.CallToolRequest:
			return next(withSpelling(ctx, request.Params.Name), method, b.withListedName(request))
		case *mcp.ReadResourceRequest:
			result, err := b.read(ctx, request)
			if err != nil {
				return nil, err // result is a nil pointer, which the interface must not hold
			}
			return result, nil
		}
		if b.changes.watch == nil {
			return next(ctx, method, request)
		}
		switch request := request.(type) {
		case *mcp.InitializedRequest:
			defer b.changes.greet(ctx, request)
		case *mcp.SubscribeRequest:
			if err := b.changes.subscribe(ctx, request); err != nil {
				return nil, err
			}
		case *mcp.UnsubscribeRequest:
			b.changes.unsubscribe(request)
		case *mcp.SubscriptionsListenRequest:
			return b.changes.listen(ctx, request, func(ctx context.Context) (mcp.Result, error) { return next(ctx, method, request) })
		}
		return next(ctx, method, request)
	}
}

// spellingKey is the context key of the tool's name in the caller's spelling.
type spellingKey struct{}

func withSpelling(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, spellingKey{}, name)
}

// forModel reports whether the caller used the underscore spelling of a tool: then a
// [modelView] answers and refuses unknown arguments. Dotted names are those of the
// protocol, which ignores unknown members of a request (UMP-3.2-1).
func forModel(ctx context.Context) bool {
	name, _ := ctx.Value(spellingKey{}).(string)
	return strings.HasPrefix(name, "ump_")
}

// withListedName returns the call with the tool's listed name.
func (b *binding) withListedName(r *mcp.CallToolRequest) *mcp.CallToolRequest {
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
