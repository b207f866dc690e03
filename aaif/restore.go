package aaif

import (
	"time"

	"github.com/satchel-memory/satchel/canon"
)

// Call is a tool call that a model made.
type Call struct {
	ID, Tool  string
	Arguments canon.Value // an object
	// Guessed says that the state holds no readable arguments. Arguments is then empty.
	Guessed bool
}

// CallMessages returns a turn of the assistant as messages of a state: its text, if any,
// and one message per call with the arguments as content (decision R27, AAIF-8.1-12).
func CallMessages(text string, calls []Call, at time.Time) []Message {
	const assistant = "assistant"
	var turn []Message
	if text != "" || len(calls) == 0 {
		turn = append(turn, Message{Role: assistant, Content: text, Timestamp: at})
	}
	for _, c := range calls {
		content := string(asObject(c.Arguments).AppendCanonical(nil))
		turn = append(turn, Message{Role: assistant, Content: content, CallID: c.ID, Tool: c.Tool, Timestamp: at})
	}
	return turn
}

// Call returns the call in a message, and whether there is one.
func (m Message) Call() (Call, bool) {
	if m.Role != "assistant" || m.CallID == "" || m.Tool == "" {
		return Call{}, false
	}
	c := Call{ID: m.CallID, Tool: m.Tool}
	v, err := FromJSON([]byte(m.Content), ReadOptions{})
	c.Guessed = err != nil || v.Type() != canon.TypeObject
	c.Arguments = v
	if c.Guessed {
		c.Arguments = canon.Object()
	}
	return c, true
}

// ToolNature is what the operator knows about a tool. The zero ToolNature knows nothing.
type ToolNature struct {
	Bound      bool // the platform can call the tool
	ReadOnly   bool // proven to change nothing; every other tool writes (decision R13)
	Idempotent bool // the operator says that calling twice has the effect of calling once
}

// Decision says what to do with a pending call of a restored run.
type Decision string

// The three decisions.
const (
	IssueCall Decision = "issue"     // call the tool
	GateCall  Decision = "gate"      // ask for approval as for any write, then call the tool
	TimedOut  Decision = "timed_out" // tell the model, see [TimedOutMessage]
)

// Reissue decides about a pending call (decision R28, AAIF-8.1-16, AAIF-8.2-6). A call
// that may have been sent is sent again only if that does no harm. A call without a
// status may have been sent.
func Reissue(call PendingCall, tool ToolNature) Decision {
	switch {
	case !tool.Bound || call.Status != CallPending && !tool.ReadOnly && !tool.Idempotent:
		return TimedOut
	case tool.ReadOnly:
		return IssueCall
	}
	return GateCall
}

// TimedOutMessage returns the result of a call that is not issued again.
func TimedOutMessage(call PendingCall, at time.Time) Message {
	return Message{Role: "tool", Content: `{"error":"timed_out"}`, CallID: call.ID, Tool: call.Tool, Timestamp: at}
}
