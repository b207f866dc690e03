package aaif

import (
	"slices"
	"strconv"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// mostKnown is the most members of an object that are named.
const mostKnown = 25

// unknownMember describes a member that the schema does not know. It suggests the
// intended name, or lists the known ones, and says where a member of this name belongs.
// already counts the suggestions for the document so far.
func (s *compiledSchema) unknownMember(at, where, name string, already int) string {
	const extensions = "extensions are members of the document that begin with x-"
	switch {
	case at == "" && name == contextMember:
		return "the document is JSON-LD: convert it first"
	case strings.HasPrefix(name, "x-"):
		return "unknown member; " + extensions + ", and stand at its root, not here"
	case already >= mostAsked:
		return "unknown member"
	}
	known := s.members(where)
	if asked := didYouMean(name, known, 0); asked != "" {
		return "unknown member" + asked
	}
	text := "unknown member; there are " + joinFirst(known)
	if homes := s.pathsOf(name); 0 < len(homes) && len(homes) < 3 {
		text += "; a member of this name is at " + strings.Join(homes, " and ")
	}
	return text + "; " + extensions
}

// object lists the members of an object.
func (s *compiledSchema) object(where string, already int) string {
	known := s.members(where)
	if len(known) == 0 || already >= mostAsked {
		return ""
	}
	schema, _ := s.source.At(where)
	required := texts(schema.Get("required"))
	optional := slices.DeleteFunc(known, func(name string) bool { return slices.Contains(required, name) })
	switch {
	case len(required) == 0:
		return " of " + joinFirst(optional)
	case len(optional) == 0:
		return " with " + joinFirst(required)
	}
	return " with " + joinFirst(required) + ", and if wanted " + joinFirst(optional)
}

// members returns the members that the schema has at a place.
func (s *compiledSchema) members(where string) []string {
	object, _ := s.source.At(where + "/properties")
	var known []string
	for _, m := range object.Members() {
		known = append(known, m.Name)
	}
	return known
}

// joinFirst joins the first of some names.
func joinFirst(names []string) string {
	text := strings.Join(names[:min(len(names), mostKnown)], ", ")
	if more := len(names) - mostKnown; more > 0 {
		text += " and " + strconv.Itoa(more) + " more"
	}
	return text
}

// pathsOf returns where documents have a member of a name, with * for items of lists.
func (s *compiledSchema) pathsOf(name string) []string {
	var found []string
	var visit func(schema canon.Value, at string)
	visit = func(schema canon.Value, at string) {
		if ref := schema.Get("$ref").Text(); strings.HasPrefix(ref, "#/") {
			schema, _ = s.source.At(ref[1:])
		}
		for _, m := range schema.Get("properties").Members() {
			if m.Name == name && len(found) < 3 {
				found = append(found, under(at, name))
			}
			visit(m.Value, under(at, m.Name))
		}
		if items := schema.Get("items"); items.Type() == canon.TypeObject {
			visit(items, at+"/*")
		}
	}
	visit(s.source, "")
	return found
}

// mostAsked is the most suggestions for one document.
const mostAsked = 100

// didYouMean suggests a known word for a misspelled one, as the end of a sentence. It
// returns "" if no word is close, or if the document got too many suggestions already.
func didYouMean(word string, known []string, already int) string {
	if already >= mostAsked {
		return ""
	}
	if m := codec.ClosestWord(word, known); m != "" {
		return "; did you mean " + Shown(m) + "?"
	}
	return ""
}
