package umpmcp

import (
	"context"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/satchel-memory/satchel/memory"
)

// maxSubscriptions is the most resources that one session watches, or one
// request to listen.
const maxSubscriptions = 1000

// The notifications of the protocol, which the SDK does not name.
const (
	resourceUpdated     = "notifications/resources/updated"
	resourceListChanged = "notifications/resources/list_changed"
)

// listener is a session, or in revisions without sessions a request to listen,
// that is told of changes. What is to be told waits here while the client reads
// what came before; a slow client holds nobody up, and what happens twice
// meanwhile is told once.
type listener struct {
	caller  memory.Caller
	session *mcp.ServerSession
	notify  mcp.MethodHandler

	mu      sync.Mutex
	ready   bool                              // the client knows that it listens
	list    bool                              // is told of new and erased resources
	request any                               // id of the request to listen; nil for a session
	records map[memory.ID]map[string]struct{} // URIs as the client spells them
	briefs  map[string]struct{}
	count   int // of URIs
	due     map[string]struct{}
	listDue bool
	busy    bool
}

func newListener(c memory.Caller, s *mcp.ServerSession, notify mcp.MethodHandler) *listener {
	return &listener{
		caller: c, session: s, notify: notify,
		records: map[memory.ID]map[string]struct{}{}, briefs: map[string]struct{}{}, due: map[string]struct{}{},
	}
}

// add makes the listener be told of changes of a resource.
func (l *listener) add(uri string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	set := l.set(uri)
	if _, ok := set[uri]; ok {
		return nil
	}
	if l.count >= maxSubscriptions {
		return &memory.Error{Kind: memory.RateLimited, Op: "subscribe", Message: "this session watches as many resources as it may; unsubscribe from some"}
	}
	l.count++
	set[uri] = struct{}{}
	return nil
}

// set returns where a URI is kept.
func (l *listener) set(uri string) map[string]struct{} {
	_, id, err := ParseResourceURI(uri)
	if err != nil {
		return l.briefs
	}
	if l.records[id] == nil {
		l.records[id] = map[string]struct{}{}
	}
	return l.records[id]
}

// remove undoes add.
func (l *listener) remove(uri string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	set := l.set(uri)
	if _, ok := set[uri]; ok {
		l.count--
	}
	delete(set, uri)
	delete(l.due, uri)
	if _, id, err := ParseResourceURI(uri); err == nil && len(l.records[id]) == 0 {
		delete(l.records, id)
	}
}

// open begins to tell what is due. request is the id of the request to listen.
func (l *listener) open(request any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ready, l.request = true, request
	l.wake()
}

// changed tells of records that changed.
func (l *listener) changed(ids []memory.ID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, id := range ids {
		for uri := range l.records[id] {
			l.due[uri] = struct{}{}
		}
	}
	l.wake()
}

// announced tells that what is known has changed, and whether there are others
// than there were.
func (l *listener) announced(listed bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for uri := range l.briefs {
		l.due[uri] = struct{}{}
	}
	l.listDue = l.listDue || l.list && listed
	l.wake()
}

// wake sees to it that what is due is told. l.mu is held.
func (l *listener) wake() {
	if l.ready && !l.busy && (l.listDue || len(l.due) > 0) {
		l.busy = true
		go l.tell()
	}
}

// tell tells what is due until nothing is.
func (l *listener) tell() {
	for {
		method, request := l.next()
		if request == nil {
			return
		}
		// A client that does not read, or has no stream open, is not told; it has
		// nothing to miss but the hint to look again.
		_, _ = l.notify(context.Background(), method, request)
	}
}

// next takes one notification that is due, or ends the telling.
func (l *listener) next() (method string, request mcp.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var meta mcp.Meta
	if l.request != nil {
		meta = mcp.Meta{mcp.MetaKeySubscriptionID: l.request}
	}
	for uri := range l.due {
		delete(l.due, uri)
		return resourceUpdated, &mcp.ServerRequest[*mcp.ResourceUpdatedNotificationParams]{
			Session: l.session, Params: &mcp.ResourceUpdatedNotificationParams{URI: uri, Meta: meta}}
	}
	if l.listDue {
		l.listDue = false
		return resourceListChanged, &mcp.ServerRequest[*mcp.ResourceListChangedParams]{
			Session: l.session, Params: &mcp.ResourceListChangedParams{Meta: meta}}
	}
	l.busy = false
	return "", nil
}
