package a2a

import (
	"errors"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/canon"
)

// State is the state of a task, spelled as in A2A 0.3.
type State string

// The states.
const (
	Submitted     State = "submitted"
	Working       State = "working"
	InputRequired State = "input-required"
	AuthRequired  State = "auth-required"
	Completed     State = "completed"
	Canceled      State = "canceled"
	Failed        State = "failed"
	Rejected      State = "rejected"
	unknownState  State = "unknown"
)

// Ended reports whether nothing changes any more.
func (s State) Ended() bool {
	return s == Completed || s == Canceled || s == Failed || s == Rejected
}

// Interrupted reports whether the task waits for somebody.
func (s State) Interrupted() bool { return s == InputRequired || s == AuthRequired }

// states lists every state.
func states() []State {
	return []State{Submitted, Working, InputRequired, AuthRequired, Completed, Canceled, Failed, Rejected}
}

const statePrefix = "TASK_STATE_"

// name spells the state.
func (s State) name(v Version) string {
	if v == V03 {
		return string(s)
	}
	return statePrefix + strings.ToUpper(strings.ReplaceAll(string(s), "-", "_"))
}

// readState reads a state; unknownState stands for those that are not known here.
func readState(v Version, name string) State {
	for _, s := range states() {
		if s.name(v) == name {
			return s
		}
	}
	return unknownState
}

// Status is how a task stands.
type Status struct {
	State State
	Say   string    // what the agent says about it; empty: nothing
	At    time.Time // zero: not said
}

// Artifact is what a task has made.
type Artifact struct {
	ID, Name string
	Parts    []Part
}

// Task is a piece of work of an agent.
type Task struct {
	ID, Context string
	Status      Status
	Artifacts   []Artifact
	History     []Message // oldest first
}

// Event is an answer to a message, or a part of a stream: a task, a message, or a change of
// the task of this ID and Context.
type Event struct {
	Task     *Task
	Message  *Message
	Status   *Status
	Artifact *Artifact
	Last     bool // of a stream of A2A 0.3

	ID, Context string
}

// ErrStopping is the error of waiting at a server that is about to stop.
var ErrStopping = errors.New("the server is about to stop")

// Document returns the task in JSON.
func (t Task) Document(v Version) canon.Value {
	doc := canon.Object(member("kind", kindOf(v, "task")), member("id", canon.String(t.ID)), member("contextId", canon.String(t.Context)), member("status", t.statusDocument(v, t.Status)))
	if len(t.Artifacts) > 0 {
		list := make([]canon.Value, len(t.Artifacts))
		for i, a := range t.Artifacts {
			list[i] = a.document(v)
		}
		doc = doc.With("artifacts", canon.Array(list...))
	}
	if len(t.History) > 0 {
		list := make([]canon.Value, len(t.History))
		for i, m := range t.History {
			list[i] = m.Document(v)
		}
		doc = doc.With("history", canon.Array(list...))
	}
	return doc
}

// statusDocument returns a status of the task in JSON. Its message has an id of the task's.
func (t Task) statusDocument(v Version, s Status) canon.Value {
	doc := canon.Object(member("state", canon.String(s.State.name(v))))
	if s.Say != "" {
		m := Message{ID: t.ID + "/" + string(s.State), Context: t.Context, Task: t.ID, FromAgent: true, Parts: []Part{{Text: s.Say}}}
		doc = doc.With("message", m.Document(v))
	}
	if !s.At.IsZero() {
		doc = doc.With("timestamp", canon.String(s.At.UTC().Format("2006-01-02T15:04:05.000Z")))
	}
	return doc
}

func (a Artifact) document(v Version) canon.Value {
	return canon.Object(member("artifactId", canon.String(a.ID)), member("name", optional(a.Name)), member("parts", partsDocument(v, a.Parts)))
}

// Document returns the event in JSON. In A2A 1.0 a member names what it is.
func (e Event) Document(v Version) canon.Value {
	name, doc := "", canon.Value{}
	of := Task{ID: e.ID, Context: e.Context}
	about := func(kind string, more ...canon.Member) canon.Value {
		return canon.Object(append([]canon.Member{member("kind", kindOf(v, kind)), member("taskId", canon.String(e.ID)), member("contextId", canon.String(e.Context))}, more...)...)
	}
	switch {
	case e.Task != nil:
		name, doc = "task", e.Task.Document(v)
	case e.Message != nil:
		name, doc = "message", e.Message.Document(v)
	case e.Artifact != nil:
		name, doc = "artifactUpdate", about("artifact-update", member("artifact", e.Artifact.document(v)), member("lastChunk", canon.Bool(true)))
	case e.Status != nil:
		name, doc = "statusUpdate", about("status-update", member("status", of.statusDocument(v, *e.Status)))
		if v == V03 {
			doc = doc.With("final", canon.Bool(e.Last))
		}
	}
	if v == V03 {
		return doc
	}
	return canon.Object(member(name, doc))
}

// ReadTask reads a task. Failures are [*Fault].
func ReadTask(v Version, doc canon.Value) (Task, error) {
	t := Task{ID: doc.Get("id").Text(), Context: doc.Get("contextId").Text()}
	if t.ID == "" || len(t.ID) > longestID || len(t.Context) > longestID {
		return t, bad("a task has no usable id")
	}
	var err error
	if t.Status, err = readStatus(v, doc.Get("status")); err != nil {
		return t, err
	}
	for _, item := range doc.Get("artifacts").Items() {
		a, err := readArtifact(v, item)
		if err != nil {
			return t, err
		}
		t.Artifacts = append(t.Artifacts, a)
	}
	for _, item := range doc.Get("history").Items() {
		m, err := ReadMessage(v, item)
		if err != nil {
			return t, bad("the history of a task is not readable")
		}
		t.History = append(t.History, m)
	}
	return t, nil
}

func readStatus(v Version, doc canon.Value) (Status, error) {
	s := Status{State: readState(v, doc.Get("state").Text())}
	if doc.Get("state").Type() != canon.TypeString {
		return s, bad("a status has no state")
	}
	var said []string
	for _, p := range doc.Get("message").Get("parts").Items() {
		if part, ok := readPart(v, p); ok && part.Text != "" {
			said = append(said, part.Text)
		}
	}
	s.Say = strings.Join(said, "\n")
	s.At, _ = time.Parse(time.RFC3339Nano, doc.Get("timestamp").Text()) // not said, or not readable: zero
	return s, nil
}

func readArtifact(v Version, doc canon.Value) (Artifact, error) {
	a := Artifact{ID: doc.Get("artifactId").Text(), Name: doc.Get("name").Text()}
	parts, err := readParts(v, doc.Get("parts"), "artifact.parts")
	if err != nil || a.ID == "" {
		return a, bad("an artifact is not readable")
	}
	a.Parts = parts
	return a, nil
}

// ReadEvent reads an event. Failures are [*Fault].
func ReadEvent(v Version, doc canon.Value) (e Event, err error) {
	name := doc.Get("kind").Text()
	if v == V1 {
		if members := doc.Members(); len(members) > 0 {
			name, doc = members[0].Name, members[0].Value
		}
	}
	e.ID, e.Context = doc.Get("taskId").Text(), doc.Get("contextId").Text()
	switch name {
	case "task":
		t, err := ReadTask(v, doc)
		e.Task, e.ID, e.Context = &t, t.ID, t.Context
		return e, err
	case "message":
		m, err := ReadMessage(v, doc)
		if err != nil {
			err = bad("a message is not readable")
		}
		e.Message = &m
		return e, err
	case "status-update", "statusUpdate":
		s, err := readStatus(v, doc.Get("status"))
		e.Status, e.Last = &s, doc.Get("final").True()
		return e, err
	case "artifact-update", "artifactUpdate":
		a, err := readArtifact(v, doc.Get("artifact"))
		e.Artifact = &a
		return e, err
	}
	return e, bad("an answer is neither a task nor a message nor a change of a task")
}
