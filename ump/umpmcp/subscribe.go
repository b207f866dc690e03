package umpmcp

import (
	"context"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/satchel-memory/satchel/memory"
)

// acknowledged is the first notification that a request to listen gets.
const acknowledged = "notifications/subscriptions/acknowledged"

// greet begins to tell a session of revisions before 2026-07-28 of new and erased
// resources, which it need not ask for.
func (b *binding) greet(ctx context.Context, r *mcp.InitializedRequest) {
	l, err := b.listener(ctx, r.Session, callerOf(b.options, r))
	if err != nil {
		b.report("watch", err)
		return // one that may not read: there is nothing to tell
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = true
}

// listener returns the listener of a session.
func (b *binding) listener(ctx context.Context, s *mcp.ServerSession, c memory.Caller) (*listener, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if l, ok := b.listeners[s]; ok {
		return l, nil
	}
	l := newListener(c, s, b.notify)
	l.ready = true
	leave, err := b.watch.join(ctx, l)
	if err != nil {
		return nil, err
	}
	b.listeners[s] = l
	end := sync.OnceFunc(func() {
		b.mu.Lock()
		delete(b.listeners, s)
		b.mu.Unlock()
		leave()
	})
	atEnd(ctx, end)
	go func() {
		_ = s.Wait() // however it ended
		end()
	}()
	return l, nil
}

// subscribe makes a session be told of changes of a resource that its caller can
// read. Others are refused as reading them is, so that nothing is learnt.
func (b *binding) subscribe(ctx context.Context, r *mcp.SubscribeRequest) error {
	l, err := b.listener(ctx, r.Session, callerOf(b.options, r))
	if err != nil {
		b.report("subscribe", err)
		return rpcError(err)
	}
	return b.add(ctx, l, r.Params.URI, r.Extra)
}

// add subscribes before it reads: what happens in between is told.
func (b *binding) add(ctx context.Context, l *listener, uri string, extra *mcp.RequestExtra) error {
	if err := l.add(uri); err != nil {
		return rpcError(err)
	}
	_, err := b.read(ctx, &mcp.ReadResourceRequest{Session: l.session, Extra: extra, Params: &mcp.ReadResourceParams{URI: uri}})
	if err != nil {
		l.remove(uri)
	}
	return err
}

func (b *binding) unsubscribe(r *mcp.UnsubscribeRequest) {
	b.mu.Lock()
	l := b.listeners[r.Session]
	b.mu.Unlock()
	if l != nil {
		l.remove(r.Params.URI)
	}
}

type listening struct{}

// listen serves subscriptions/listen of revision 2026-07-28. The SDK answers it
// and keeps it open; what is sent on it is sent here, for the SDK does not know
// what each caller may see.
func (b *binding) listen(ctx context.Context, r *mcp.SubscriptionsListenRequest, next func(context.Context) (mcp.Result, error)) (mcp.Result, error) {
	wanted := r.Params.Notifications
	if wanted == nil || !wanted.ResourcesListChanged && len(wanted.ResourceSubscriptions) == 0 {
		return next(ctx)
	}
	l := newListener(callerOf(b.options, r), r.Session, b.notify)
	l.list = wanted.ResourcesListChanged
	leave, err := b.watch.join(ctx, l)
	if err != nil {
		b.report("subscribe", err)
		return nil, rpcError(err)
	}
	defer leave()
	for _, uri := range wanted.ResourceSubscriptions {
		if err := b.add(ctx, l, uri, r.Extra); err != nil {
			return nil, err
		}
	}
	return next(context.WithValue(ctx, listening{}, l))
}

// send lets a listener be told of changes once its request to listen is
// acknowledged, which the protocol wants first.
func (b *binding) send(next mcp.MethodHandler) mcp.MethodHandler {
	b.notify = next
	return func(ctx context.Context, method string, request mcp.Request) (mcp.Result, error) {
		result, err := next(ctx, method, request)
		if l, ok := ctx.Value(listening{}).(*listener); ok && method == acknowledged && err == nil {
			l.open(request.GetParams().GetMeta()[mcp.MetaKeySubscriptionID])
		}
		return result, err
	}
}

type endings struct{}

// ends are what is to be done when a conversation is over, before that is said.
type ends struct {
	mu  sync.Mutex
	all []func()
}

// withEnds returns a context in which [atEnd] works, and what ends it.
func withEnds(ctx context.Context) (context.Context, func()) {
	e := &ends{}
	return context.WithValue(ctx, endings{}, e), e.run
}

func (e *ends) run() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, end := range e.all {
		end()
	}
}

// atEnd has end called when the conversation of ctx is over, if somebody sees to
// that.
func atEnd(ctx context.Context, end func()) {
	e, ok := ctx.Value(endings{}).(*ends)
	if !ok {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.all = append(e.all, end)
}
