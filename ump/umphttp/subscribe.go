package umphttp

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// batch is how many events are held at once for one stream.
const batch = 20

// subscribe streams the changes of a scope as server-sent events (section 3.8,
// decision UD-27) until the client leaves, its credentials end or the server
// stops.
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
	if err := s.choose(r.URL.RawQuery); err != nil {
		return err
	}
	if err := s.place(); err != nil {
		return err
	}
	announceStream(w.Header())
	if r.Method == http.MethodHead {
		return nil
	}
	leave, err := h.streams.enter(c)
	if err == nil {
		defer leave()
		err = s.serve()
	}
	if err != nil {
		unannounceStream(w.Header())
	}
	return err
}

func announceStream(header http.Header) {
	header.Set("Content-Type", "text/event-stream")
	header.Set("Cache-Control", "no-store")
	header.Set("X-Accel-Buffering", "no") // a proxy that waits for more would keep events back
	header.Set("X-Content-Type-Options", "nosniff")
}

func unannounceStream(header http.Header) { header.Del("X-Accel-Buffering") }

// choose reads which changes are wanted. What the request leaves open is narrowed
// to what the caller's token grants; a conflict is the service's to refuse, which
// knows by what names a project goes (decision UD-25). Of another owner's memory
// the caller learns what a stranger here would: nothing, unless it is the one that
// strangers are shown.
func (s *stream) choose(query string) error {
	values, err := url.ParseQuery(query)
	if err != nil {
		return wrongQuery("the query is not well-formed; percent-encode its values")
	}
	for _, name := range []string{"owner", "project", "agent", "last_event_id"} {
		if len(values[name]) > 1 {
			return wrongQuery("send " + name + " once, and open one stream for each")
		}
	}
	s.wanted = memory.Subscription{Project: values.Get("project"), Agent: values.Get("agent"), Max: batch}
	if owner := memory.DID(values.Get("owner")); owner != "" && owner != s.caller.Owner {
		if s.caller.Role == memory.Peer {
			return s.handler.refused(s.request, &memory.Error{Kind: memory.ForbiddenScope, Op: "subscribe", Rule: "UMP-5.2-1",
				Message: "the token is for another owner's memory: leave owner out, or ask for another token"})
		}
		s.reader = memory.Caller{Owner: owner}
	}
	if s.caller.Grant != nil {
		s.wanted.Project = cmp.Or(s.wanted.Project, s.caller.Grant.Scope.Project)
		s.wanted.Agent = cmp.Or(s.wanted.Agent, s.caller.Grant.Scope.Agent)
	}
	s.last = values.Get("last_event_id")
	return nil
}

// place finds after which event the stream begins: the one the client has had
// last, or the latest there is.
func (s *stream) place() error {
	given := s.request.Header.Values("Last-Event-ID")
	if len(given) > 1 {
		return wrongQuery("send one Last-Event-ID, not several")
	}
	if len(given) == 1 && given[0] != "" { // what a client has seen since it made its URL
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
	s.wanted.After = head
	if s.last == "" {
		return nil
	}
	if int64(after) > head {
		if !s.reader.Speaks() { // who is told "not yet" could count what happens to others
			return nil
		}
		return wrongQuery("there has been no such event here; subscribe without Last-Event-ID, and recall what you need anew")
	}
	s.wanted.After = int64(after)
	return nil
}

// head returns the number of the latest event. An owner of whom nothing is kept
// here, or of whom strangers are shown nothing, has no events, and is not told from
// one who shows none.
func (s *stream) head() (int64, error) {
	ctx := s.request.Context()
	head, err := s.watcher.Head(ctx, s.caller)
	if err != nil || s.reader.Owner == s.caller.Owner {
		return head, err
	}
	if o := s.handler.options; !o.Anonymous || o.Owner != s.reader.Owner {
		s.watcher = silence{}
		return 0, nil
	}
	head, err = s.watcher.Head(ctx, s.reader)
	switch memory.KindOf(err) {
	case memory.Unsupported, memory.NotFound, memory.ForbiddenScope:
		s.watcher = silence{}
		return 0, nil
	}
	return head, err
}

// silence is the memory of somebody of whom nothing is told.
type silence struct{}

var _ ump.Watcher = silence{}

// Head returns 0: nothing has happened.
func (silence) Head(context.Context, memory.Caller) (int64, error) { return 0, nil }

// Changes returns none.
func (silence) Changes(_ context.Context, _ memory.Caller, s memory.Subscription) ([]memory.Event, int64, error) {
	return nil, s.After, nil
}

// Await waits until ctx ends.
func (silence) Await(ctx context.Context, _ memory.Caller, _ int64) error {
	<-ctx.Done()
	return ctx.Err()
}

func wrongQuery(message string) error {
	return &memory.Error{Kind: memory.InvalidRecord, Op: "subscribe", Message: message}
}
