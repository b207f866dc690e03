package aaif

import (
	"slices"
	"strconv"
	"strings"

	"github.com/satchel-memory/satchel/canon"
)

// mostKnown is how many members of an object are named.
const mostKnown = 25

// unknownMember says of a member that no object of its kind has what may have been meant,
// or what there is instead, and where a member of this name belongs. Already is how much
// was said of the document before.
func (s *shape) unknownMember(at, where, name string, already int) string {
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
	text := "unknown member; there are " + firstOf(known)
	if homes := s.homes(name); 0 < len(homes) && len(homes) < 3 {
		text += "; a member of this name is at " + strings.Join(homes, " and ")
	}
	return text + "; " + extensions
}

// object says what members an object has.
func (s *shape) object(where string, already int) string {
	known := s.members(where)
	if len(known) == 0 || already >= mostAsked {
		return ""
	}
	schema, _ := s.source.At(where)
	required := texts(schema.Get("required"))
	optional := slices.DeleteFunc(known, func(name string) bool { return slices.Contains(required, name) })
	switch {
	case len(required) == 0:
		return " of " + firstOf(optional)
	case len(optional) == 0:
		return " with " + firstOf(required)
	}
	return " with " + firstOf(required) + ", and if wanted " + firstOf(optional)
}

// members returns the names of the members that an object has by the schema at a place.
func (s *shape) members(where string) []string {
	object, _ := s.source.At(where + "/properties")
	var known []string
	for _, m := range object.Members() {
		known = append(known, m.Name)
	}
	return known
}

// firstOf joins the first of some names.
func firstOf(names []string) string {
	text := strings.Join(names[:min(len(names), mostKnown)], ", ")
	if more := len(names) - mostKnown; more > 0 {
		text += " and " + strconv.Itoa(more) + " more"
	}
	return text
}

// homes returns where documents have a member of a name, items of lists as *.
func (s *shape) homes(name string) []string {
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
