package pages

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// Watcher says what changes while a page is open.
type Watcher interface {
	// Activity returns what an owner's open pages show of the moment. It counts what changed
	// after a number that an earlier Activity returned; a negative one counts nothing.
	Activity(ctx context.Context, c memory.Caller, after int64) (Activity, error)
}

// Activity is what changes while a page is open.
type Activity struct {
	Head  int64  `json:"head"`           // number of the latest change
	New   int    `json:"new"`            // memories that were made or changed; MostNew and more count as MostNew
	Waits int    `json:"waits"`          // things that wait
	Read  string `json:"read"`           // the place of the latest reading by an assistant
	Runs  string `json:"runs,omitempty"` // changes when one of the newest runs does; empty: no agents of the owner run here
	Asks  int    `json:"asks,omitempty"` // how many of these runs wait for the owner
}

// MostNew is the largest number of changes that an [Activity] counts.
const MostNew = 100

const eventsPath = Root + "events"

// Limits of streams. A browser opens six connections to a server of HTTP/1.1, and loads pages
// over them as well.
const (
	mostStreams = 4               // of an owner
	checkEvery  = time.Second     // at the earliest
	checkRest   = 20              // the wait for the next activity is at least so many times the time that the last one took
	visitEvery  = 5 * time.Second // how often the stream checks that the visit goes on
	aliveEvery  = 15 * time.Second
	retryField  = "retry: 2000\n" // milliseconds until the browser connects again
)

// eventHandler streams activity.
type eventHandler struct {
	*Handler
	mu   sync.Mutex
	open map[memory.DID]int // streams
}

// begin takes one of an owner's places for streams.
func (h *eventHandler) begin(owner memory.DID) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.open[owner] >= mostStreams {
		return false
	}
	h.open[owner]++
	return true
}

func (h *eventHandler) end(owner memory.DID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.open[owner]--; h.open[owner] == 0 {
		delete(h.open, owner)
	}
}

// events streams activity to a browser until its visit ends. Without a visit, or beyond
// mostStreams, the answer is 204, after which browsers do not connect again.
func (h *eventHandler) events(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet {
		w.Header().Set("Allow", "GET")
		h.refuse(w, r, wrongMethod())
		return
	}
	v, err := h.visitor(r)
	after, wrong := strconv.ParseInt(r.URL.Query().Get("after"), 10, 64)
	if err != nil || wrong != nil || !h.begin(v.caller.Owner) {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	defer h.end(v.caller.Owner)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no")
	s := eventStream{out: w, control: http.NewResponseController(w)}
	for seen := h.options.Now(); s.write(r.Context(), h, v, after) == nil; {
		if now := h.options.Now(); now.Sub(seen) >= visitEvery {
			if seen = now; !h.visits(r, v) {
				return
			}
		}
	}
}

// visits reports whether the visit of a request goes on. Unlike a click, this does not count
// as a use of the visit.
func (h *eventHandler) visits(r *http.Request, v visitor) bool {
	all, err := h.backend.Visits(r.Context(), v.caller, h.cookieOf(r))
	return err == nil && slices.ContainsFunc(all, func(x Visit) bool { return x.This })
}

// eventStream writes activity as server-sent events.
type eventStream struct {
	out     http.ResponseWriter
	control *http.ResponseController
	last    Activity
	at      time.Time // of the last write
}

// write sends an activity if it differs from the last one, and waits for the next. An error means
// that the stream is over.
func (s *eventStream) write(ctx context.Context, h *eventHandler, v visitor, after int64) error {
	began := h.options.Now()
	activity, err := h.backend.Activity(ctx, v.caller, after)
	if err != nil {
		return err
	}
	text := ""
	if s.at.IsZero() || activity != s.last {
		data, err := json.Marshal(activity)
		if err != nil {
			return err
		}
		text = fmt.Sprintf("%sevent: activity\ndata: %s\n\n", retryField, data)
	} else if began.Sub(s.at) >= aliveEvery {
		text = ": alive\n\n"
	}
	if text != "" {
		s.last, s.at = activity, began
		if err := s.send(text); err != nil {
			return err
		}
	}
	rest, stop := context.WithTimeout(ctx, max(checkEvery, checkRest*h.options.Now().Sub(began)))
	defer stop()
	<-rest.Done()
	return ctx.Err()
}

func (s *eventStream) send(text string) error {
	if _, err := s.out.Write([]byte(text)); err != nil {
		return err
	}
	return s.control.Flush()
}
