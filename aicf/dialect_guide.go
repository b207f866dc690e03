package aicf

import "strings"

// guided reports whether a line, behind its number, is one that the guide to 2.x shows.
func guided(data string) bool {
	return strings.HasPrefix(data, "CONV|") || strings.HasPrefix(data, "DATA|")
}

// guideFile reads n|CONV|id|messages|tokens, and n|DATA|text for what was said.
func (r *reading) guideFile(f *File) []Entry {
	x := newForeign(r)
	var current *Conversation
	for _, l := range x.linesAsTheyAre(f) {
		_, width := leadingNumber([]byte(l.text))
		row := cells(l.text[width:])
		switch {
		case cell(row, 0) == "CONV":
			current = &Conversation{ID: cell(row, 1)}
			countInto(&current.Messages, &current.Extra, "messages", cell(row, 2))
			countInto(&current.Tokens, &current.Extra, "tokens", cell(row, 3))
			current.Extra = extra(current.Extra, xKey("more"), behind(row, 4))
			x.add(l.place, current)
		case cell(row, 0) == "DATA" && current != nil:
			x.turn(current, behind(row, 1))
		default:
			x.keep("", []line{{l.place, l.text[width:]}})
		}
	}
	return x.entries
}
