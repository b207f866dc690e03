package umpmcp

import (
	"context"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/satchel-memory/satchel/memory"
)

// acknowledged is the first notification that a request to listen gets.
const acknowledged = "notifications/subscriptions/acknowledged"

// subscriptions keeps the listeners of a server's sessions.
type subscriptions struct {
	options Options
	watch   *watch // nil: the service does not report changes
	read    func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error)
	notify  mcp.MethodHandler

	mu        sync.Mutex
	listeners map[*mcp.ServerSession]*listener
}

// greet subscribes a session to new and erased resources. Clients of revisions before
// 2026-07-28 need not ask for that.
func (subs *subscriptions) greet(ctx context.Context, r *mcp.InitializedRequest) {
	l, err := subs.listener(ctx, r.Session, callerOf(subs.options, r))
	if err != nil {
		subs.options.report("watch", err)
		return // the caller may not read, so there is nothing to send
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = true
}

// listener returns the listener of a session, and makes it if there is none.
func (subs *subscriptions) listener(ctx context.Context, s *mcp.ServerSession, c memory.Caller) (*listener, error) {
	subs.mu.Lock()
	defer subs.mu.Unlock()
	if l, ok := subs.listeners[s]; ok {
		return l, nil
	}
	l := newListener(c, s, subs.notify)
	l.ready = true
	leave, err := subs.watch.join(ctx, l)
	if err != nil {
		return nil, err
	}
	subs.listeners[s] = l
	end := sync.OnceFunc(func() {
		subs.mu.Lock()
		delete(subs.listeners, s)
		subs.mu.Unlock()
		leave()
	})
	onEnd(ctx, end)
	go func() {
		_ = s.Wait() // how the session ended does not matter
		end()
	}()
	return l, nil
}

// subscribe subscribes a session to changes of a resource that its caller may read. For
// other resources it fails like reading, so that the caller learns nothing.
func (subs *subscriptions) subscribe(ctx context.Context, r *mcp.SubscribeRequest) error {
	l, err := subs.listener(ctx, r.Session, callerOf(subs.options, r))
	if err != nil {
		subs.options.report("subscribe", err)
		return rpcError(err)
	}
	return subs.add(ctx, l, r.Params.URI, r.Extra)
}

// add subscribes before it reads, so that the listener misses no change in between.
func (subs *subscriptions) add(ctx context.Context, l *listener, uri string, extra *mcp.RequestExtra) error {
	if err := l.add(uri); err != nil {
		return rpcError(err)
	}
	_, err := subs.read(ctx, &mcp.ReadResourceRequest{Session: l.session, Extra: extra, Params: &mcp.ReadResourceParams{URI: uri}})
	if err != nil {
		l.remove(uri)
	}
	return err
}

func (subs *subscriptions) unsubscribe(r *mcp.UnsubscribeRequest) {
	subs.mu.Lock()
	l := subs.listeners[r.Session]
	subs.mu.Unlock()
	if l != nil {
		l.remove(r.Params.URI)
	}
}

type listenerKey struct{}

// listen serves subscriptions/listen of revision 2026-07-28. The SDK answers the request
// and keeps it open. This package sends the notifications, because the SDK does not know
// what each caller may see.
func (subs *subscriptions) listen(ctx context.Context, r *mcp.SubscriptionsListenRequest, next func(context.Context) (mcp.Result, error)) (mcp.Result, error) {
	wanted := r.Params.Notifications
	if wanted == nil || !wanted.ResourcesListChanged && len(wanted.ResourceSubscriptions) == 0 {
		return next(ctx)
	}
	l := newListener(callerOf(subs.options, r), r.Session, subs.notify)
	l.list = wanted.ResourcesListChanged
	leave, err := subs.watch.join(ctx, l)
	if err != nil {
		subs.options.report("subscribe", err)
		return nil, rpcError(err)
	}
	defer leave()
	for _, uri := range wanted.ResourceSubscriptions {
		if err := subs.add(ctx, l, uri, r.Extra); err != nil {
			return nil, err
		}
	}
	return next(context.WithValue(ctx, listenerKey{}, l))
}

// send starts a listener after the acknowledgement of its request to listen, which the
// protocol requires first.
func (subs *subscriptions) send(next mcp.MethodHandler) mcp.MethodHandler {
	subs.notify = next
	return func(ctx context.Context, method string, request mcp.Request) (mcp.Result, error) {
		result, err := next(ctx, method, request)
		if l, ok := ctx.Value(listenerKey{}).(*listener); ok && method == acknowledged && err == nil {
			l.start(request.GetParams().GetMeta()[mcp.MetaKeySubscriptionID])
		}
		return result, err
	}
}

type cleanupKey struct{}

// cleanups holds the functions to run at the end of a conversation, before the end is
// reported.
type cleanups struct {
	mu  sync.Mutex
	all []func()
}

// withCleanups returns a context for [onEnd], and the function that runs the cleanups.
func withCleanups(ctx context.Context) (context.Context, func()) {
	e := &cleanups{}
	return context.WithValue(ctx, cleanupKey{}, e), e.run
}

func (e *cleanups) run() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, end := range e.all {
		end()
	}
}

// onEnd registers end with the cleanups of the conversation of ctx, if there are any.
func onEnd(ctx context.Context, end func()) {
	e, ok := ctx.Value(cleanupKey{}).(*cleanups)
	if !ok {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.all = append(e.all, end)
}
