package gemini

import (
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/text/conversation"
)

// turns returns the turns of an activity.
func (r *exportReader) turns(v canon.Value, lost map[string]int) (turns []conversation.Turn) {
	lost[attached] += v.Get("attachedFiles").Len()
	if v.Get("attachedFiles").Len() == 0 && v.Get("imageFile").Text() != "" {
		lost[attached]++
	}
	lost[lines] += v.Get("subtitles").Len()
	if v.Get("zone").Text() != "" {
		lost[unzoned]++
	}
	say := func(author conversation.Author, text string) {
		if strings.TrimSpace(text) != "" {
			turns = append(turns, conversation.Turn{Author: author, Text: text})
		}
	}
	for i, d := range items(v.Get("details")) {
		author, name := conversation.User, strings.ToLower(d.Get("name").Text())
		if name == "response" || name != "request" && i%2 == 1 {
			author = conversation.Assistant
		}
		switch value := d.Get("value"); {
		case value.Type() == canon.TypeString:
			say(author, value.Text())
		case value.Type() == canon.TypeUndefined && name != "":
			lost[lines]++
		default:
			lost[noText]++
		}
	}
	for _, u := range v.Get("userInteractions").Items() {
		one := u.Get("userInteraction")
		say(conversation.User, inside(one.Get("request"), lost))
		say(conversation.Assistant, inside(one.Get("response"), lost))
	}
	if slices.ContainsFunc(turns, func(t conversation.Turn) bool { return t.Author == conversation.Assistant }) {
		return turns
	}
	title := v.Get("title").Text()
	if len(turns) > 0 {
		// the details are the prompt
	} else if prompt, ok := r.frames.prompt(title, answered(v)); ok {
		say(conversation.User, prompt)
	} else if answered(v) {
		say(conversation.System, title)
	} else if strings.TrimSpace(title) != "" && r.frames.unknown() {
		lost[untitled]++
	}
	for _, answer := range items(v.Get("safeHtmlItem")) {
		if markup(answer).Type() != canon.TypeString {
			lost[noText]++
		}
		say(conversation.Assistant, plain(markup(answer).Text()))
	}
	return turns
}

// items returns the elements of a list, or the value that stands in its place.
func items(v canon.Value) []canon.Value {
	switch v.Type() {
	case canon.TypeArray:
		return v.Items()
	case canon.TypeUndefined, canon.TypeNull:
		return nil
	}
	return []canon.Value{v}
}

// markup returns the HTML of an answer, which may stand in its place.
func markup(answer canon.Value) canon.Value {
	if answer.Type() == canon.TypeObject {
		return answer.Get("html")
	}
	return answer
}

// answered reports whether an activity has an answer beside its title.
func answered(v canon.Value) bool {
	return slices.ContainsFunc(items(v.Get("safeHtmlItem")), func(answer canon.Value) bool { return strings.TrimSpace(markup(answer).Text()) != "" })
}

// inside returns the texts in a request or an answer, which is JSON in a string.
func inside(v canon.Value, lost map[string]int) string {
	text := v.Text()
	if strings.TrimSpace(text) == "" {
		return ""
	}
	tree, err := canon.Parse([]byte(text), canon.Options{Bytes: int64(len(text)) + 1, Inexact: true})
	if err != nil {
		return text
	}
	if tree.Type() == canon.TypeString {
		return tree.Text()
	}
	said := texts(tree, "", nil)
	if len(said) == 0 {
		lost[noText]++
	}
	return strings.Join(said, "\n")
}

// texts collects the strings in a tree that are members with a name, or elements of such a
// list.
func texts(v canon.Value, name string, said []string) []string {
	switch v.Type() {
	case canon.TypeString:
		switch name {
		case "", "text", "content", "value", "prompt", "request", "response", "parts":
			said = append(said, v.Text())
		}
	case canon.TypeArray:
		for _, item := range v.Items() {
			said = texts(item, name, said)
		}
	case canon.TypeObject:
		for _, m := range v.Members() {
			said = texts(m.Value, m.Name, said)
		}
	}
	return said
}
