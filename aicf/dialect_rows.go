package aicf

import "strings"

// rowColumns is how many cells a row of 1.0 has.
const rowColumns = 8

// isRow reports whether a line is a row of 1.0: number, date, kind of work, and five texts.
func isRow(text string) bool {
	row := splitRaw(text)
	return len(row) == rowColumns && digits(row[0]) && len(row[1]) == len("20060102") && digits(row[1]) && workKind(row[2]) != ""
}

// workKind returns the word for the code of a kind of work (AICF-COMPAT-9); empty: it is no
// code.
func workKind(code string) string {
	switch code {
	case "R":
		return "release"
	case "F":
		return "feature"
	case "X":
		return "fix"
	case "D":
		return "docs"
	case "W":
		return "work"
	case "M":
		return "refactor"
	case "T":
		return "test"
	}
	return ""
}

// outcome returns the word for the code of an outcome (AICF-COMPAT-9); empty: it is no
// code.
func outcome(code string) string {
	switch code {
	case "S":
		return "shipped"
	case "D":
		return "decided"
	case "R":
		return "resolved"
	case "P":
		return "in_progress"
	case "B":
		return "blocked"
	case "C":
		return "cancelled"
	}
	return ""
}

// rowFile reads a file of rows, and keeps the lines between them.
func (r *parser) rowFile(f *File) []Entry {
	x := newDialectReader(r)
	var others []line
	for _, l := range x.linesAsTheyAre(f) {
		if !isRow(l.text) {
			others = append(others, l)
			continue
		}
		x.keep("", others)
		others = nil
		x.workRow(l)
	}
	x.keep("", others)
	return x.entries
}

// workRow reads C#|YYYYMMDD|T|TOPIC|WHAT|WHY|O|FILES: a conversation, its result, and a
// decision if it is one.
func (x *dialectReader) workRow(l line) {
	row := cells(l.text)
	c := &Conversation{ID: "C" + row[0]}
	stampInto(&c.TimestampStart, &c.Extra, "date", row[1])
	c.TimestampEnd = c.TimestampStart
	textInto(&c.Topic, &c.Extra, "topic", cell(row, 3))
	c.Extra = addCode(c.Extra, "type", row[2], workKind)
	what, why := cell(row, 4), cell(row, 5)
	c.Extra = extra(c.Extra, "what", what)
	c.Extra = extra(c.Extra, "why", why)
	c.Extra = addCode(c.Extra, "outcome", cell(row, 6), outcome)
	c.Extra = addNames(c.Extra, "files", cell(row, 7))
	x.add(l.place, c)
	switch {
	case what == "":
	case outcome(cell(row, 6)) == "decided":
		x.add(l.place, &Decision{Text: what, Rationale: why})
	default:
		x.add(l.place, &Insight{Text: what, MemoryType: Episodic})
	}
}

// addCode adds the meaning of a code, and the code.
func addCode(fields []Field, key, code string, meaning func(string) string) []Field {
	if said := meaning(code); said != "" {
		return append(fields, Field{key, said}, Field{extensionKey(key), Escape(code)})
	}
	return extra(fields, key, code)
}

// addNames adds comma-separated names as a list.
func addNames(fields []Field, key, names string) []Field {
	if names == "" {
		return fields
	}
	return append(fields, Field{key, JoinList(strings.Split(names, ","))})
}
