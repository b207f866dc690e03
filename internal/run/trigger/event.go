package trigger

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/condition"
	"github.com/satchel-memory/satchel/canon"
)

// The types of triggers. One of type manual is a person's own start.
const (
	Schedule   = "schedule"
	Webhook    = "webhook"
	Message    = "message"
	Named      = "event"
	Handoff    = "agent_handoff"
	FileChange = "file_change"
)

// Event is something that happens and may start agents.
type Event struct {
	Type string // of the triggers that it may fire
	// Name is that of the event: of type event it has to be the trigger's, of type message too
	// if the trigger has one.
	Name    string
	Payload canon.Value // what filters decide about (decision R15)
	Input   canon.Value // what an agent is started with
	// Key tells the event from every other of its type; programs that share a store start a run
	// for a trigger and a key once, until Until.
	Key   string
	Until time.Time
}

// Verdict says whether an event fires a trigger.
type Verdict struct {
	Fires bool
	Event string // the code of what has to be reported: the filter failed; empty: nothing
	Why   string // in words, for the owner: it may tell of the payload
}

// Fires decides whether an event fires a trigger. A filter that fails does not let it, and is
// reported (decision R16).
func Fires(c *condition.Compiler, t aaif.Trigger, e Event) Verdict {
	if t.Type != e.Type {
		return Verdict{}
	}
	if named := t.Event != "" || t.Type == Named; named && (e.Type == Named || e.Type == Message) && t.Event != e.Name {
		return Verdict{}
	}
	if t.Filter.IsZero() {
		return Verdict{Fires: true}
	}
	filter, err := c.Compile(t.Filter.Value, "/agent/events/triggers/filter")
	if err != nil {
		return Verdict{Event: condition.EventError, Why: err.Error()}
	}
	d := filter.Decide(condition.Filter, e.Payload, condition.Policy{})
	v := Verdict{Fires: d.Satisfied, Event: d.Event()}
	if d.Err != nil {
		v.Why = d.Err.Error()
	}
	return v
}

// Describe names a trigger for people, in a line.
func Describe(t aaif.Trigger) string {
	switch {
	case t.Type == Schedule:
		return "schedule " + t.Schedule
	case t.Type == Webhook:
		return "webhook " + t.Webhook
	case t.Event != "":
		return t.Type + " " + t.Event
	}
	return t.Type
}

// Claim returns what identifies that an event fires a trigger of an agent.
func Claim(agent string, t aaif.Trigger, e Event) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "satchel trigger fires 1\x00%s\x00%s\x00%s", agent, Digest(t), e.Key))
	return hex.EncodeToString(sum[:])
}

// Due returns the event of a schedule that fires at a time. until is when it fires next.
func Due(schedule string, at, until time.Time) Event {
	payload := canon.Object(member("trigger", Schedule), member("schedule", schedule), member("scheduled_at", at.Format(time.RFC3339)))
	return Event{Type: Schedule, Payload: payload, Input: payload, Key: at.Format(time.RFC3339Nano), Until: until}
}
