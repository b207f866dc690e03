package stored

import (
	"slices"
	"strings"
)

// columns reads a list of columns: names, each followed by its type where that is
// not a number: W word, T text, B blob; a question mark: it may be NULL.
func columns(list string) []Column {
	var out []Column
	for field := range strings.FieldsSeq(list) {
		if strings.ToLower(field) == field && field != "?" {
			out = append(out, Column{Name: field})
			continue
		}
		c := &out[len(out)-1]
		kind, open := strings.CutSuffix(field, "?")
		c.Open = open
		switch kind {
		case "W":
			c.Type = Word
		case "T":
			c.Type = Text
		case "B":
			c.Type = Blob
		}
	}
	return slices.Clip(out)
}

// Named returns the table with a name, which must exist.
func Named(name string) Table {
	for _, t := range tables() {
		if t.Name == name {
			return t
		}
	}
	panic("stored: no table " + name) // impossible: names are constants of ours
}
