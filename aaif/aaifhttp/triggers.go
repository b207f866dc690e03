package aaifhttp

import (
	"context"
	"net/http"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
)

// Triggers starts the agents whose triggers the owner has switched on (section 4). It is safe
// for concurrent use.
type Triggers interface {
	// Happens starts the agents that an event of the owner starts.
	Happens(ctx context.Context, c memory.Caller, e Event) ([]Fired, error)
	// Delivered starts the agents that a webhook starts, and returns how many. It fails with a
	// [memory.Unauthorized] error unless the request is signed for one of them, whether there
	// is such a webhook or not.
	Delivered(ctx context.Context, d Delivery) (started int, err error)
}

// Event is a message, or an event of a name.
type Event struct {
	Key     string // tells it from every other; empty: it is a new one
	Name    string
	Message string // empty: it is an event
	Payload canon.Value
}

// Fired is what became of a trigger.
type Fired struct {
	AgentID, Trigger, RunID string
	Event, Why              string // the code of what happened instead, and why: its filter failed
	Err                     error  // why no run started
}

// Delivery is a request of another program that is signed as the Standard Webhooks
// specification says.
type Delivery struct {
	Path, ID, Timestamp, Signature string
	Body                           []byte
}

// EventsPath takes events of the owner. HookPath precedes the path of a webhook.
const (
	EventsPath = "/aaif/events"
	HookPath   = "/aaif/hooks/"
)

// mostEvent is the most bytes of an event.
const mostEvent = 1 << 20

// BringsEvent reports whether a request is of a program that signs it, and has no other
// credential.
func BringsEvent(r *http.Request) bool { return strings.HasPrefix(r.URL.Path, HookPath) }

// event starts the agents that an event starts.
func (h *Handler) event(w http.ResponseWriter, r *http.Request, c memory.Caller) error {
	if err := noQuery(r); err != nil {
		return err
	}
	raw, c, err := h.jsonBody(w, r, c, mostEvent)
	if err != nil {
		return err
	}
	e, err := readEvent(raw, r.Header)
	if err != nil {
		return err
	}
	fired, err := h.options.Triggers.Happens(r.Context(), c, e)
	if err != nil {
		return err
	}
	list := make([]canon.Value, len(fired))
	for i, f := range fired {
		list[i] = canon.Object(member("agent_id", f.AgentID), member("trigger", f.Trigger), optional("run_id", f.RunID), optional("event", f.Event), optional("why", f.Why))
		if f.Err != nil {
			list[i] = list[i].With("error", canon.Object(problemOf(f.Err).members()...))
		}
	}
	send(w, http.StatusAccepted, canon.Object(canon.Member{Name: "fired", Value: canon.Array(list...)}))
	return nil
}

func readEvent(raw []byte, head http.Header) (Event, error) {
	v, err := objectOf(raw, "event_name", "message", "payload")
	if err != nil {
		return Event{}, err
	}
	for _, name := range []string{"event_name", "message"} {
		if said := v.Get(name); said.Type() != canon.TypeUndefined && (said.Type() != canon.TypeString || said.Text() == "") {
			return Event{}, wrongMember(name, "is a text that is not empty")
		}
	}
	e := Event{Name: v.Get("event_name").Text(), Message: v.Get("message").Text(), Payload: v.Get("payload")}
	switch {
	case e.Name == "" && e.Message == "":
		return e, wrongMember("event_name", "is missing, and so is message: say what happened")
	case e.Payload.Type() != canon.TypeUndefined && e.Payload.Type() != canon.TypeObject:
		return e, wrongMember("payload", "is an object")
	}
	e.Key, err = keyOf(head)
	return e, err
}

// hook starts the agents that a webhook starts. What is wrong with a request that is not signed
// is not told.
func (h *Handler) hook(w http.ResponseWriter, r *http.Request, _ memory.Caller) error {
	path := r.PathValue("path")
	if _, err := parametersOf(r); err != nil {
		return err
	}
	leave, err := h.place(r)
	if err != nil {
		return err
	}
	defer leave()
	raw, err := h.body(w, r, mostEvent)
	if err != nil {
		return err
	}
	started, err := h.options.Triggers.Delivered(r.Context(), Delivery{
		Path: path, ID: r.Header.Get("Webhook-Id"), Timestamp: r.Header.Get("Webhook-Timestamp"), Signature: r.Header.Get("Webhook-Signature"), Body: raw,
	})
	if memory.KindOf(err) == memory.Unauthorized {
		h.options.Refused(r, memory.Unauthorized)
	}
	if err != nil {
		return err
	}
	send(w, http.StatusAccepted, canon.Object(canon.Member{Name: "started", Value: canon.Int(int64(started))}))
	return nil
}
