package umphttp

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/satchel-memory/satchel/internal/httpkit"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// batch is the most events that one stream holds.
const batch = 20

// subscribe streams the changes of a scope as server-sent events (section 3.8, decision
// UD-27) until the client disconnects, its credentials end or the server stops.
func (h *Handler) subscribe(w http.ResponseWriter, r *http.Request, c memory.Caller) error {
	watcher, ok := h.backend.(ump.Watcher)
	if !ok {
		return &memory.Error{Kind: memory.Unsupported, Op: "subscribe", Rule: "UMP-3.7-4",
			Message: "subscribe is not offered here; see GET /ump/capabilities"}
	}
	s := &stream{
		handler: h, watcher: watcher, request: r, caller: c, reader: c,
		out: w, control: http.NewResponseController(w),
	}
	if err := s.readQuery(r.URL.RawQuery); err != nil {
		return err
	}
	if err := s.setStart(); err != nil {
		return err
	}
	httpkit.AnnounceEvents(w.Header())
	if r.Method == http.MethodHead {
		return nil
	}
	leave, err := h.streams.enter(c)
	if err == nil {
		defer leave()
		err = s.serve()
	}
	if err != nil {
		clearStreamHeader(w.Header())
	}
	return err
}

func clearStreamHeader(header http.Header) { header.Del("X-Accel-Buffering") }

// readQuery reads the subscription from the query. It fills in missing limits from the
// caller's token. The service refuses a conflict, because it knows all names of a
// project (decision UD-25). Of another owner's memory the caller gets only the events
// that strangers get: none, unless that owner's memory is open to strangers.
func (s *stream) readQuery(query string) error {
	values, err := url.ParseQuery(query)
	if err != nil {
		return wrongQuery("the query is not well-formed; percent-encode its values")
	}
	for _, name := range []string{"owner", "project", "agent", "last_event_id"} {
		if len(values[name]) > 1 {
			return wrongQuery("send " + name + " once, and open one stream for each")
		}
	}
	s.subscription = memory.Subscription{Project: values.Get("project"), Agent: values.Get("agent"), Max: batch}
	if owner := memory.DID(values.Get("owner")); owner != "" && owner != s.caller.Owner {
		if s.caller.Role == memory.Peer {
			return s.handler.reportRefusal(s.request, &memory.Error{Kind: memory.ForbiddenScope, Op: "subscribe", Rule: "UMP-5.2-1",
				Message: "the token is for another owner's memory: leave owner out, or ask for another token"})
		}
		s.reader = memory.Caller{Owner: owner}
	}
	if s.caller.Grant != nil {
		s.subscription.Project = cmp.Or(s.subscription.Project, s.caller.Grant.Scope.Project)
		s.subscription.Agent = cmp.Or(s.subscription.Agent, s.caller.Grant.Scope.Agent)
	}
	s.last = values.Get("last_event_id")
	return nil
}

// setStart sets the event after which the stream begins: the last one that the client
// has, or the latest event.
func (s *stream) setStart() error {
	given := s.request.Header.Values("Last-Event-ID")
	if len(given) > 1 {
		return wrongQuery("send one Last-Event-ID, not several")
	}
	if len(given) == 1 && given[0] != "" { // newer than the parameter: the client has reconnected
		s.last = given[0]
	}
	var after uint64
	if s.last != "" {
		var err error
		if after, err = strconv.ParseUint(s.last, 10, 63); err != nil {
			return wrongQuery("Last-Event-ID is the id of an event of this stream: a whole number")
		}
	}
	head, err := s.head()
	if err != nil {
		return err
	}
	s.subscription.After = head
	if s.last == "" {
		return nil
	}
	if int64(after) > head {
		if !s.reader.Speaks() { // an error would let strangers count the events of others
			return nil
		}
		return wrongQuery("there has been no such event here; subscribe without Last-Event-ID, and recall what you need anew")
	}
	s.subscription.After = int64(after)
	return nil
}

// head returns the number of the latest event. An unknown owner, and one whose memory
// is closed to strangers, look the same as an owner without events.
func (s *stream) head() (int64, error) {
	ctx := s.request.Context()
	head, err := s.watcher.Head(ctx, s.caller)
	if err != nil || s.reader.Owner == s.caller.Owner {
		return head, err
	}
	if o := s.handler.options; !o.Anonymous || o.Owner != s.reader.Owner {
		s.watcher = noEvents{}
		return 0, nil
	}
	head, err = s.watcher.Head(ctx, s.reader)
	switch memory.KindOf(err) {
	case memory.Unsupported, memory.NotFound, memory.ForbiddenScope:
		s.watcher = noEvents{}
		return 0, nil
	}
	return head, err
}

// noEvents is a [ump.Watcher] without events.
type noEvents struct{}

var _ ump.Watcher = noEvents{}

// Head returns 0.
func (noEvents) Head(context.Context, memory.Caller) (int64, error) { return 0, nil }

// Changes returns none.
func (noEvents) Changes(_ context.Context, _ memory.Caller, s memory.Subscription) ([]memory.Event, int64, error) {
	return nil, s.After, nil
}

// Await waits until ctx ends.
func (noEvents) Await(ctx context.Context, _ memory.Caller, _ int64) error {
	<-ctx.Done()
	return ctx.Err()
}

func wrongQuery(message string) error {
	return &memory.Error{Kind: memory.InvalidRecord, Op: "subscribe", Message: message}
}
