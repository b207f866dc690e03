package aaif

import (
	"time"

	"github.com/satchel-memory/satchel/canon"
)

// Call is a call of a tool as a model made it.
type Call struct {
	ID, Tool  string
	Arguments canon.Value // an object
	// Guessed: a foreign state says of the arguments nothing that can be read, and they
	// are empty.
	Guessed bool
}

// CallMessages returns a turn of the assistant as a state has it: what it said, if
// anything, and one message for each call, whose content is its arguments (decision R27,
// AAIF-8.1-12).
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

// Call returns the call that a message is, and whether it is one.
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

// ToolNature is what the operator knows of a tool. The zero ToolNature is that of a
// tool that nothing is known of.
type ToolNature struct {
	Bound      bool // the tool can be called here
	ReadOnly   bool // proven to change nothing; all else writes (decision R13)
	Idempotent bool // declared by the operator: calling twice is calling once
}

// Decision says what becomes of a pending call in a run that was restored.
type Decision string

// The three decisions.
const (
	IssueCall Decision = "issue"     // calls the tool
	GateCall  Decision = "gate"      // asks for an approval as for any write, then calls it
	TimedOut  Decision = "timed_out" // tells the model so, see [TimedOutMessage]
)

// Reissue decides on a pending call (decision R28, AAIF-8.1-16, AAIF-8.2-6). What may
// have been sent is sent again only if that does no harm. A call without a word about
// where it stands may have been sent.
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
