package lettafile

import (
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/exchange"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// answerTool is Letta's own tool by which agents answer: its calls are messages.
const answerTool = "send_message"

// WithRun returns the definition of an agent as [From] does, and the conversation of the
// agent as a checkpoint of a paused run, which is undefined if nobody said anything. Both
// have the same agent_id, which is made of the agent's names in the file. The checkpoint is
// of the time of its last message, or of at.
func WithRun(v canon.Value, o Options, at time.Time) (d aaif.Definition, state canon.Value, lost []codec.Loss, err error) {
	r, err := open(v, o)
	if err != nil {
		return aaif.Definition{}, canon.Value{}, nil, err
	}
	id := r.agent.Get("id").Peek()
	id = strings.TrimPrefix(id, "agent-")
	if !exchange.IsID(id) {
		id = exchange.IDOf(format, r.agent.Get("id").Peek(), r.agent.Get("name").Peek(), r.root.Get("created_at").Peek())
	}
	r.draft.Set(canon.String(id), "agent_id")
	c := conversation{tools: map[string]string{}, done: map[string]bool{}}
	for _, m := range r.agent.Get("messages").Items() {
		c.message(m)
	}
	if c.said {
		state = c.checkpoint(id, at)
	}
	r.all()
	d, lost, err = r.source.Finish(r.draft)
	return d, state, lost, err
}

// conversation is the messages of an agent on their way into a checkpoint.
type conversation struct {
	items []canon.Value
	calls []canon.Value
	tools map[string]string // tools by the ids of their calls
	done  map[string]bool   // ids of the calls that have a result
	last  time.Time         // of the last message that has a time
	said  bool              // by somebody else than the system
}

// message takes a message.
func (c *conversation) message(m exchange.Place) {
	role := m.Get("role")
	switch role.Peek() {
	case "system", "user":
		c.add(m, text(m.Get("content")))
	case "assistant":
		c.answer(m)
	case "tool":
		c.result(m)
	default:
		m.Lose("a message of no role that a checkpoint has")
		return
	}
	for _, name := range []string{"role", "type", "id", "created_at"} {
		m.Get(name).Skip()
	}
}

// answer takes a message of the agent: its text, and its calls as one item for each
// (decision R27). The text beside a call of [answerTool] is what the agent thought.
func (c *conversation) answer(m exchange.Place) {
	calls := m.Get("tool_calls").Items()
	answers := false
	for _, call := range calls {
		answers = answers || call.Get("function").Get("name").Peek() == answerTool
	}
	if content := m.Get("content"); answers {
		content.Lose("what the agent thought before it answered is no message")
	} else {
		c.add(m, text(content))
	}
	for _, call := range calls {
		c.call(m, call)
	}
}

// call takes a call of a tool.
func (c *conversation) call(m, call exchange.Place) {
	f, id := call.Get("function"), call.Get("id")
	name, arguments := f.Get("name").Peek(), f.Get("arguments").Peek()
	tree, err := aaif.FromJSON([]byte(arguments), aaif.ReadOptions{})
	switch {
	case name == "" || id.Peek() == "":
		return
	case err != nil || tree.Type() != canon.TypeObject:
		f.Get("arguments").Lose("no object of JSON, as the arguments of a call are")
		tree, arguments = canon.Object(), "{}"
	}
	call.Get("type").Skip()
	id.Skip()
	f.Get("name").Skip()
	f.Get("arguments").Skip()
	if c.tools[id.Peek()] = name; name == answerTool {
		c.add(m, tree.Get("message").Text())
		return
	}
	c.add(m, arguments, member("tool_call_id", id.Peek()), member("tool_name", name))
	c.calls = append(c.calls, canon.Object(member("id", id.Peek()), member("tool_name", name),
		canon.Member{Name: "arguments", Value: tree}, member("status", "in_flight"))) // it may have been called (decision R28)
}

// result takes what a tool returned.
func (c *conversation) result(m exchange.Place) {
	id := m.Get("tool_call_id")
	name := c.tools[id.Peek()]
	switch name {
	case "":
		m.Lose("the result of a call that is not there")
		return
	case answerTool:
		m.Lose("says that an answer was sent")
		return
	}
	id.Skip()
	m.Get("tool_returns").Skip() // the same again
	c.done[id.Peek()] = true
	c.put(m, "tool", text(m.Get("content")), member("tool_call_id", id.Peek()), member("tool_name", name))
}

// add adds a message that says something.
func (c *conversation) add(m exchange.Place, content string, more ...canon.Member) {
	if content != "" {
		c.put(m, m.Get("role").Peek(), content, more...)
	}
}

func (c *conversation) put(m exchange.Place, role, content string, more ...canon.Member) {
	item := canon.Object(append([]canon.Member{member("role", role), member("content", content)}, more...)...)
	if at, ok := instant(m.Get("created_at").Peek()); ok {
		item = item.With("timestamp", canon.String(at.Format(time.RFC3339Nano)))
		if at.After(c.last) {
			c.last = at
		}
	}
	c.items = append(c.items, item)
	c.said = c.said || role != "system"
}

// checkpoint returns the checkpoint of a conversation. Its ids are made of what it holds.
func (c *conversation) checkpoint(agent string, at time.Time) canon.Value {
	if !c.last.IsZero() {
		at = c.last
	}
	pending := slices.DeleteFunc(c.calls, func(call canon.Value) bool { return c.done[call.Get("id").Text()] })
	status := aaif.Paused
	if len(pending) > 0 {
		status = aaif.AwaitingToolResult
	}
	said := canon.Array(c.items...)
	state := canon.Object(
		member("sc_standard", aaif.StandardID),
		member("sc_version", "3.0.0"),
		member("state_id", exchange.IDOf(format, agent, string(said.AppendCanonical(nil)))),
		member("agent_id", agent),
		member("run_id", exchange.IDOf(format, agent, "run")),
		member("checkpoint_at", at.UTC().Format(time.RFC3339)),
		member("status", string(status)),
		canon.Member{Name: "conversation", Value: said})
	if len(pending) > 0 {
		state = state.With("pending_tool_calls", canon.Array(pending...))
	}
	return aaif.WithChecksum(state.With("provenance", canon.Object(member("source_platform", "letta"))))
}

func member(name, text string) canon.Member {
	return canon.Member{Name: name, Value: canon.String(text)}
}

// text takes the texts of a message: a string, or the texts of a list of parts.
func text(content exchange.Place) string {
	if content.Peek() != "" {
		return content.Text()
	}
	var all []string
	for _, part := range content.Items() {
		if part.Get("type").Peek() == "text" && part.Get("text").Peek() != "" {
			all = append(all, part.Get("text").Peek())
			part.Get("type").Skip()
			part.Get("text").Skip()
		}
	}
	return strings.Join(all, "\n")
}

// instant reads a time, which may lack an offset.
func instant(s string) (time.Time, bool) {
	for _, end := range []string{"", "Z"} {
		if at, ok := memory.ParseInstant(s + end); ok {
			return at.UTC(), true
		}
	}
	return time.Time{}, false
}
