package basicmemory

import (
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/text/markdown"
	"github.com/satchel-memory/satchel/text/pattern"
)

// observation is a line "- [category] content", whose content may end in a context.
type observation struct {
	category, content string
}

// relation is a line "- type [[target]] (context)".
type relation struct {
	kind, target, context string
}

var (
	observationLine = pattern.New(`^[ \t]*[-*+][ \t]+\[([^\[\]()\r\n]+)\][ \t]+(\S.*)$`)
	relationLine    = pattern.New(`^[ \t]*[-*+][ \t]+([^\[\]()\r\n]*?)[ \t]*\[\[([^\[\]\r\n]+)\]\](?:[ \t]+\(([^()\r\n]*)\))?$`)
	contextEnd      = pattern.New(`[ \t]\(([^()]+)\)$`)
)

// mostType bounds the type of a relation, in bytes; a longer text is prose with a link in
// it.
const mostType = 60

// anyRelation is the type of a relation whose line has none.
const anyRelation = "relates_to"

// parseObservation reads an observation. The check boxes of tasks are no categories.
func parseObservation(line string) (observation, bool) {
	m := observationLine.FindStringSubmatch(strings.TrimRight(line, " \t\r"))
	if m == nil || strings.TrimSpace(m[1]) == "" || strings.HasPrefix(m[2], "(") {
		return observation{}, false
	}
	category := strings.TrimSpace(m[1])
	if slices.Contains([]string{"x", "X", "-", "/", ">", "?", "!"}, category) {
		return observation{}, false
	}
	return observation{category, m[2]}, true
}

// line spells an observation as the program does.
func (o observation) line() string { return "- [" + o.category + "] " + o.content }

// context returns the text between brackets at the end.
func (o observation) context() string {
	if m := contextEnd.FindStringSubmatch(o.content); m != nil {
		return strings.TrimSpace(m[1])
	}
	return ""
}

// parseRelation reads a relation.
func parseRelation(line string) (relation, bool) {
	m := relationLine.FindStringSubmatch(strings.TrimRight(line, " \t\r"))
	if m == nil || len(m[1]) > mostType {
		return relation{}, false
	}
	target, _, _ := strings.Cut(m[2], "|")
	r := relation{kind: strings.TrimSpace(m[1]), target: strings.TrimSpace(target), context: strings.TrimSpace(m[3])}
	if r.kind == "" {
		r.kind = anyRelation
	}
	return r, r.target != ""
}

// line spells a relation as the program does.
func (r relation) line() string {
	if r.context == "" {
		return "- " + r.kind + " [[" + r.target + "]]"
	}
	return "- " + r.kind + " [[" + r.target + "]] (" + r.context + ")"
}

// sentence expresses a relation of a note in words.
func (r relation) sentence(title string) string {
	text := title + " " + r.kind + " " + r.target
	if r.context != "" {
		text += " (" + r.context + ")"
	}
	return text
}

// kindOf returns the kind of an observation by its category.
func kindOf(category string) memory.Kind {
	switch strings.ToLower(category) {
	case "identity":
		return memory.Identity
	case "event", "episode":
		return memory.Episodic
	case "working":
		return memory.Working
	case "procedure", "rule", "instruction", "technique", "method", "how-to", "howto", "workflow":
		return memory.Procedural
	}
	return memory.Semantic
}

// categoryOf is the category of a memory that has none.
func categoryOf(kind memory.Kind) string {
	switch kind {
	case memory.Identity:
		return "identity"
	case memory.Episodic:
		return "event"
	case memory.Working:
		return "working"
	case memory.Procedural:
		return "procedure"
	}
	return "fact"
}

// slug spells a title as the program spells it in permanent links.
func slug(title string) string {
	return strings.Trim(notInSlug.ReplaceAllString(strings.ToLower(markdown.FileName(title)), "-"), "-")
}

var notInSlug = pattern.New(`[^\pL\pN]+`)
