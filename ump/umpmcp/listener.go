package umpmcp

import (
	"context"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/satchel-memory/satchel/memory"
)

// maxSubscriptions is the most resources of one session, or of one request to listen.
const maxSubscriptions = 1000

// The notifications of the protocol, which the SDK does not name.
const (
	resourceUpdated     = "notifications/resources/updated"
	resourceListChanged = "notifications/resources/list_changed"
)

// listener is a session that gets notifications, or a request to listen in revisions
// without sessions. It queues notifications while the client reads earlier ones. So a
// slow client delays nobody, and repeated changes in that time give one notification.
type listener struct {
	caller  memory.Caller
	session *mcp.ServerSession
	notify  mcp.MethodHandler

	mu      sync.Mutex
	ready   bool                              // the client knows that it is subscribed
	list    bool                              // gets notifications of new and erased resources
	request any                               // id of the request to listen; nil for a session
	records map[memory.ID]map[string]struct{} // URIs in the client's spelling
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

// add subscribes the listener to a resource.
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

// set returns the set that holds a URI.
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

// start starts to send notifications. request is the id of the request to listen.
func (l *listener) start(request any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ready, l.request = true, request
	l.wake()
}

// recordsChanged queues notifications of changed records.
func (l *listener) recordsChanged(ids []memory.ID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, id := range ids {
		for uri := range l.records[id] {
			l.due[uri] = struct{}{}
		}
	}
	l.wake()
}

// listChanged queues notifications that the memory has changed. listed: there are new or
// erased memories.
func (l *listener) listChanged(listed bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for uri := range l.briefs {
		l.due[uri] = struct{}{}
	}
	l.listDue = l.listDue || l.list && listed
	l.wake()
}

// wake starts to deliver queued notifications. l.mu is held.
func (l *listener) wake() {
	if l.ready && !l.busy && (l.listDue || len(l.due) > 0) {
		l.busy = true
		go l.deliver()
	}
}

// deliver sends queued notifications until there are none.
func (l *listener) deliver() {
	for {
		method, request := l.next()
		if request == nil {
			return
		}
		// A client that does not read, or has no open stream, misses a hint to look
		// again and nothing else.
		_, _ = l.notify(context.Background(), method, request)
	}
}

// next takes one notification from the queue, or ends the delivery.
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
