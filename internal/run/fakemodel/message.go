package fakemodel

import (
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/run/model"
)

// message is a message of any wire.
type message struct {
	role    string // system, user, assistant, tool
	text    string
	calls   []string // ids; names on wires without ids
	results []string // likewise
}

// question returns what a script sees of a conversation.
func question(name string, messages []message) model.Question {
	q := model.Question{Model: name}
	for _, m := range messages {
		if m.role == "assistant" {
			q.Turns++
		}
		if m.role != "system" {
			q.Last = m.text
		}
		q.Text += m.text + "\n"
		q.Results += len(m.results)
	}
	return q
}

// problem returns why a provider would refuse a conversation; "": it would not.
func problem(wire model.Wire, body canon.Value, messages []message) string {
	var open []string
	begun := false
	for _, m := range messages {
		for _, id := range m.results {
			at := slices.Index(open, id)
			if at < 0 {
				return "a result without its call: " + id
			}
			open = slices.Delete(open, at, at+1)
		}
		if len(open) > 0 && len(m.results) == 0 {
			return "a call without a result: " + strings.Join(open, ", ")
		}
		if (wire == model.Anthropic || wire == model.Gemini) && !begun && m.role != "system" && m.role != "user" {
			return "the user speaks first"
		}
		begun = begun || m.role != "system"
		open = append(open, m.calls...)
	}
	switch {
	case len(open) > 0:
		return "a call without a result: " + strings.Join(open, ", ")
	case !begun:
		return "there is no message"
	case wire == model.Anthropic && body.Get("max_tokens").Float() < 1:
		return "max_tokens: Field required"
	}
	return ""
}

// texts returns the texts of parts, on lines.
func texts(v canon.Value) string {
	if v.Type() != canon.TypeArray {
		return v.Text()
	}
	var all []string
	for _, part := range v.Items() {
		if part.Has("text") {
			all = append(all, part.Get("text").Text())
		}
	}
	return strings.Join(all, "\n")
}
