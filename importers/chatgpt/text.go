package chatgpt

import (
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/text/pattern"
)

// text returns the text of a message.
func (t *tree) text(m canon.Value) string {
	content := m.Get("content")
	switch kind := content.Get("content_type").Text(); kind {
	case "code":
		return code(m, content)
	case "thoughts", "reasoning_recap":
		t.lost[thoughts]++
		return ""
	case "tether_quote", "sonic_webpage":
		return lines(content, "title", "url", "text")
	case "tether_browsing_display":
		return lines(content, "summary", "result")
	case "system_error":
		return lines(content, "name", "text")
	}
	var said []string
	for _, part := range content.Get("parts").Items() {
		text := part.Text()
		if part.Type() == canon.TypeObject {
			text = part.Get("text").Text()
		}
		if part.Type() != canon.TypeString && text == "" {
			t.lost[noText]++
			continue
		}
		said = append(said, text)
	}
	if len(said) == 0 && content.Has("text") {
		said = append(said, content.Get("text").Text())
	}
	return t.plain(strings.Join(said, "\n"))
}

// lines joins those of the named members that are not empty.
func lines(v canon.Value, names ...string) string {
	var said []string
	for _, name := range names {
		if text := v.Get(name).Text(); strings.TrimSpace(text) != "" {
			said = append(said, text)
		}
	}
	return strings.Join(said, "\n")
}

// code puts code in a fence. For a document made in the canvas it returns the document.
func code(m, content canon.Value) string {
	text := content.Get("text").Text()
	if strings.HasPrefix(m.Get("recipient").Text(), "canmore.") {
		doc, err := canon.Parse([]byte(text), canon.Options{Bytes: int64(len(text)) + 1, Inexact: true})
		if said := lines(doc, "name", "content"); err == nil && doc.Has("content") {
			return said
		}
	}
	language := content.Get("language").Text()
	if language == "unknown" {
		language = ""
	}
	return "```" + language + "\n" + text + "\n```"
}

// A marker has parts and stands between two characters of the private use area; older
// markers are in brackets.
var (
	marker  = pattern.New("\ue200([^\ue200\ue201\ue202]*)(?:\ue202([^\ue200\ue201]*))?\ue201")
	bracket = pattern.New("【[0-9]+(?::[0-9]+)?†[^】]*】")
)

// plain removes the markers of citations from a text and keeps the words that they show.
func (t *tree) plain(text string) string {
	if !strings.Contains(text, "\ue200") && !strings.Contains(text, "【") {
		return text
	}
	text = marker.ReplaceAllStringFunc(text, func(found string) string {
		parts := marker.FindStringSubmatch(found)
		if shown := markerWords(parts[1], parts[2]); shown != "" {
			return shown
		}
		t.lost[markers]++
		return ""
	})
	return bracket.ReplaceAllStringFunc(text, func(string) string {
		t.lost[markers]++
		return ""
	})
}

// markerWords returns the words that a marker of this kind shows; empty: none.
func markerWords(kind, rest string) string {
	switch kind {
	case "url":
		title, _, _ := strings.Cut(rest, "\ue202")
		return title
	case "entity":
		v, err := canon.Parse([]byte(rest), canon.Options{})
		if items := v.Items(); err == nil && len(items) > 1 {
			return items[1].Text()
		}
	}
	return ""
}
