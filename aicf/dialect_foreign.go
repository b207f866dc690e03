package aicf

import (
	"bytes"
	"strconv"
	"strings"
)

// sourceName is the section that keeps lines of another dialect which say nothing that a
// section of this format could say.
const sourceName = "SOURCE"

// longName is how long a name may be that is repeated in what is made of other lines:
// otherwise a small file could become a large one.
const longName = 128

// foreign puts entries together from a file whose lines are not those of sections. Its
// entries have a place, and no lines of their own: [Layout] keeps the file.
type foreign struct {
	*reading
	entries []Entry
	turns   map[*Conversation]int
	spoke   map[speaker]bool
}

// speaker is who took part in a conversation.
type speaker struct {
	in   *Conversation
	role string
}

func newForeign(r *reading) *foreign {
	return &foreign{reading: r, turns: map[*Conversation]int{}, spoke: map[speaker]bool{}}
}

// add takes an entry that was made of what stands in a line.
func (x *foreign) add(place int, e Entry) {
	e.Place().Line = place
	x.entries = append(x.entries, e)
}

// linesAsTheyAre returns the lines of a file with their numbers. They are rows of cells, and
// what looks like a line number may be one of them.
func (x *foreign) linesAsTheyAre(f *File) []line {
	var lines []line
	for raw := range bytes.Lines(f.data) {
		text := strings.TrimSuffix(strings.TrimSuffix(string(raw), "\n"), "\r")
		lines = append(lines, line{len(lines) + 1, x.clean(len(lines)+1, text)})
	}
	return lines
}

// clean leaves out of a text what no line can have, and tells of it.
func (x *foreign) clean(place int, text string) string {
	if i := controlIn([]byte(text)); i >= 0 {
		x.find(place, Warning, codeControl, "AICF-SAFE-2", "control characters are left out")
		text = strings.Map(func(r rune) rune {
			if control(r) && r != '\n' && r != '\r' {
				return -1
			}
			return r
		}, text)
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

// keep takes lines over that have no other place, with the name of where they stood.
func (x *foreign) keep(name string, lines []line) {
	if len(name) > longName {
		name = ""
	}
	var fields []Field
	for _, l := range filledLines(lines) {
		fields = append(fields, Field{"line", Escape(l.text)})
	}
	if len(fields) > 0 {
		x.add(filledLines(lines)[0].place, unknown(sourceName, name, fields))
	}
}

// filledLines returns the lines that are not blank.
func filledLines(lines []line) []line {
	var filled []line
	for _, l := range lines {
		if strings.TrimSpace(l.text) != "" {
			filled = append(filled, l)
		}
	}
	return filled
}

// unknown makes a section that the format does not know, of fields.
func unknown(name, id string, fields []Field) *Unknown {
	lines := []string{"@" + name}
	if id != "" {
		lines[0] += ":" + Escape(id)
	}
	for _, f := range fields {
		lines = append(lines, f.Key+"="+f.Raw)
	}
	return &Unknown{Origin: Origin{Raw: strings.Join(lines, "\n")}, Name: name, ID: id}
}

// cells splits a row at its pipes. Only the pipe has an escape in the rows of 1.0 and 2.0:
// a backslash before anything else is one.
func cells(row string) []string {
	parts := splitRaw(row)
	for i, part := range parts {
		parts[i] = strings.ReplaceAll(part, `\|`, "|")
	}
	return parts
}

// coreCells splits a row of aicf-core, which also escapes line ends.
func coreCells(row string) []string { return SplitList(row) }

// cell returns a cell, and empty where the row is too short for it.
func cell(row []string, at int) string {
	if at < len(row) {
		return strings.TrimSpace(row[at])
	}
	return ""
}

// behind returns what follows a number of cells, pipes included.
func behind(row []string, at int) string {
	return strings.TrimSpace(strings.Join(row[min(at, len(row)):], "|"))
}

// extra is a member that the format does not know; none if it is empty.
func extra(fields []Field, key, value string) []Field {
	if value == "" {
		return fields
	}
	return append(fields, Field{Key: key, Raw: Escape(value)})
}

// xKey makes a key of a name in another dialect, so that it is none of this format.
func xKey(name string) string {
	if len(name) > longName {
		name = "long_name"
	}
	return "x_" + strings.Map(func(r rune) rune {
		if strings.ContainsRune("=|\\\r\n", r) || control(r) {
			return '_'
		}
		return r
	}, name)
}

// stampOr reads a time, or a date as its first instant; then it also returns how the
// date was spelled, since it says less. What is neither is only spelled.
func stampOr(text string) (s Stamp, spelled string) {
	if s, ok := parseStamp(text); ok {
		return s, ""
	}
	date := strings.ReplaceAll(text, "-", "")
	if s, ok := parseStamp(date + "T000000Z"); ok && len(date) == len("20060102") && digits(date) {
		return Stamp{Time: s.Time}, text
	}
	return Stamp{}, text
}

func digits(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }

// stampInto puts a time into a member, and keeps what of its spelling that does not say.
func stampInto(to *Stamp, fields *[]Field, name, text string) {
	s, spelled := stampOr(text)
	if to.said() {
		s, spelled = *to, text
	}
	*to = s
	*fields = extra(*fields, xKey(name), spelled)
}

// turn takes something over that was said in a conversation: when, by whom, what.
func (x *foreign) turn(c *Conversation, parts ...string) {
	x.turns[c]++
	raw := JoinList(parts)
	if len(parts) == 1 && parts[0] == "" {
		raw = ""
	}
	c.Extra = append(c.Extra, Field{Key: xKey("turn_" + strconv.Itoa(x.turns[c])), Raw: raw})
}

// spoken is a turn of which time and speaker are known: they are those of the conversation too.
func (x *foreign) spoken(c *Conversation, at, role, text string, more ...string) {
	x.turn(c, append([]string{at, role, text}, more...)...)
	if s, _ := stampOr(at); s.said() {
		if !c.TimestampStart.said() {
			c.TimestampStart = s
		}
		if !c.TimestampEnd.said() || c.TimestampEnd.Before(s.Time) {
			c.TimestampEnd = s
		}
	}
	x.present(c, role)
}

// present counts someone among those who took part, once.
func (x *foreign) present(c *Conversation, names ...string) {
	for _, name := range names {
		if who := (speaker{c, name}); name != "" && !x.spoke[who] {
			x.spoke[who] = true
			c.Participants = append(c.Participants, name)
		}
	}
}

// countInto reads a number of things into a member, and keeps what is none.
func countInto(to **int64, fields *[]Field, name, text string) {
	if n, ok := parseCount(text); ok && *to == nil {
		*to = &n
		return
	}
	*fields = extra(*fields, xKey(name), text)
}

// textInto puts a text into a member that is still empty, and keeps any other.
func textInto(to **string, fields *[]Field, name, text string) {
	if text != "" && *to == nil {
		*to = &text
		return
	}
	*fields = extra(*fields, xKey(name), text)
}
