package letta

import (
	"fmt"
	"maps"
	"strconv"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/text/conversation"
)

// platform is the platform of the agents' messages.
var platform = conversation.Platform{Format: formatName, Name: "Letta", Provider: formatName}

// messageReader is the messages of an agent read so far.
type messageReader struct {
	conversation.Conversation
	inward bool // the agent's own text is not for the user: only sent texts are
	lost   map[string]int
	seen   map[string]bool
}

// said yields the records of an agent's conversation; false: the caller wants no more.
func (d *document) said(a agent, yield func(memory.Record, error) bool) bool {
	if a.messages.at.Len() == 0 {
		return true
	}
	name := a.called()
	if name == "" {
		name = nobody
	}
	t := &messageReader{inward: strings.HasPrefix(a.kind, "memgpt"), lost: map[string]int{}, seen: map[string]bool{}}
	t.ID, t.Title, t.Source = d.ref(name, "messages"), a.name, name
	more := d.Each(d.Items(a.messages.at, a.messages.pointer), func(c *codec.Checker) []memory.Record {
		before, lost := len(t.Turns), maps.Clone(t.lost)
		if t.message(c); c.Faulty() {
			t.Turns, t.lost = t.Turns[:before], lost
		}
		return nil
	}, yield)
	for _, what := range []string{lossTools, lossRoles, lossThoughts, lossEvents, lossParts} {
		if n := t.lost[what]; n > 0 {
			d.Lose(a.messages.pointer, fmt.Sprintf("%d %s", n, what))
		}
	}
	when := d.created
	if when.IsZero() {
		when = d.When()
	}
	return more && d.Hand(a.messages.pointer, platform.Records(t.Conversation, d.Options, when), yield)
}

// message reads a message (LETTA-3).
func (t *messageReader) message(c *codec.Checker) {
	if !c.IsObject(ruleAgent) {
		return
	}
	at := c.Instant(ruleDate, "created_at")
	turn := conversation.Turn{At: at, Model: c.Name(ruleAgent, "model"), Author: conversation.User}
	text := t.text(c)
	switch c.Name(ruleAgent, "role") {
	case "user":
		turn.Text = t.packed(text)
	case "assistant":
		turn.Author, turn.Text = conversation.Assistant, t.spoken(c, text)
	case "system": // instructions, which belong to the settings
		return
	case "summary": // of messages that the agent has no longer
		turn.Author, turn.Text = conversation.System, summary(text)
	case "tool", "function", "approval":
		t.lost[lossTools]++
		return
	default:
		t.lost[lossRoles]++
		return
	}
	if strings.TrimSpace(turn.Text) == "" {
		return
	}
	if turn.ID = strconv.FormatInt(at.UnixMicro(), 36); at.IsZero() || t.seen[turn.ID] { // ids are valid in this file only
		turn.ID = "message " + c.Pointer[strings.LastIndexByte(c.Pointer, '/')+1:]
	}
	t.seen[turn.ID] = true
	t.Turns = append(t.Turns, turn)
}

// text returns the text of a message: a string, or those parts of a list that are text.
func (t *messageReader) text(c *codec.Checker) string {
	content := c.Value.Get("content")
	if content.Type() != canon.TypeArray {
		return c.Prose(ruleAgent, "content")
	}
	var parts []string
	for _, p := range c.Objects(ruleAgent, "content") {
		switch kind := p.Name(ruleAgent, "type"); {
		case kind == "text" || kind == "":
			parts = append(parts, p.Prose(ruleAgent, "text"))
		case strings.Contains(kind, "reasoning"):
			t.lost[lossThoughts]++
		default:
			t.lost[lossParts]++
		}
	}
	return strings.Join(parts, "\n\n")
}

// packed returns the user's words. In older files other messages also have the user's role:
// {"type":"user_message","message":"…"} is a message, {"type":"heartbeat"} is not.
func (t *messageReader) packed(text string) string {
	v, err := canon.Parse([]byte(text), canon.Options{Bytes: int64(len(text)) + 1, Inexact: true})
	kind := v.Get("type")
	switch {
	case err != nil || kind.Type() != canon.TypeString:
		return text
	case kind.Text() == "user_message" && v.Get("message").Type() == canon.TypeString:
		return v.Get("message").Text()
	}
	t.lost[lossEvents]++
	return ""
}

// summary returns the words of a summary, which may be the message of an event.
func summary(text string) string {
	v, err := canon.Parse([]byte(text), canon.Options{Bytes: int64(len(text)) + 1, Inexact: true})
	if said := v.Get("message"); err == nil && said.Type() == canon.TypeString {
		return said.Text()
	}
	return text
}

// spoken returns the agent's words: the texts that it sent, or else its own text.
func (t *messageReader) spoken(c *codec.Checker, text string) string {
	var sent []string
	for _, call := range c.Objects(ruleAgent, "tool_calls") {
		f := call.Value.Get("function")
		arguments := f.Get("arguments").Text()
		v, err := canon.Parse([]byte(arguments), canon.Options{Bytes: int64(len(arguments)) + 1, Inexact: true})
		if message := v.Get("message"); f.Get("name").Text() == "send_message" && err == nil && message.Type() == canon.TypeString {
			sent = append(sent, message.Text())
		} else {
			t.lost[lossTools]++
		}
	}
	if len(sent) == 0 && !t.inward {
		return text
	}
	if strings.TrimSpace(text) != "" {
		t.lost[lossThoughts]++
	}
	return strings.Join(sent, "\n\n")
}
