package aicf

import (
	"bytes"
	"strconv"
	"strings"
)

// sourceName is the section for lines of another dialect that no section of this format can
// hold.
const sourceName = "SOURCE"

// longName is the longest name that is repeated in derived lines. It keeps a small file
// from becoming a large one.
const longName = 128

// dialectReader makes entries from a file without sections. Its entries have a place but no
// lines of their own: [Layout] keeps the file.
type dialectReader struct {
	*parser
	entries []Entry
	turns   map[*Conversation]int
	spoke   map[speaker]bool
}

// speaker is a participant of a conversation.
type speaker struct {
	in   *Conversation
	role string
}

func newDialectReader(r *parser) *dialectReader {
	return &dialectReader{parser: r, turns: map[*Conversation]int{}, spoke: map[speaker]bool{}}
}

// add adds an entry made from a line.
func (x *dialectReader) add(place int, e Entry) {
	e.Place().Line = place
	x.entries = append(x.entries, e)
}

// linesAsTheyAre returns the lines of a file with their numbers. They are rows of cells,
// and an apparent line number may be a cell.
func (x *dialectReader) linesAsTheyAre(f *File) []line {
	var lines []line
	for raw := range bytes.Lines(f.data) {
		text := strings.TrimSuffix(strings.TrimSuffix(string(raw), "\n"), "\r")
		lines = append(lines, line{len(lines) + 1, x.clean(len(lines)+1, text)})
	}
	return lines
}

// clean removes and reports the characters that no line can have.
func (x *dialectReader) clean(place int, text string) string {
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

// keep keeps lines without another place, with the name of their section.
func (x *dialectReader) keep(name string, lines []line) {
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

// unknown makes an unknown section from fields.
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

// cells splits a row at its pipes. In the rows of 1.0 and 2.0 only the pipe has an escape;
// a backslash before another character is a backslash.
func cells(row string) []string {
	parts := splitRaw(row)
	for i, part := range parts {
		parts[i] = strings.ReplaceAll(part, `\|`, "|")
	}
	return parts
}

// coreCells splits a row of aicf-core, which also escapes line ends.
func coreCells(row string) []string { return SplitList(row) }

// cell returns a cell; a missing cell is empty.
func cell(row []string, at int) string {
	if at < len(row) {
		return strings.TrimSpace(row[at])
	}
	return ""
}

// behind returns what follows a number of cells, with its pipes.
func behind(row []string, at int) string {
	return strings.TrimSpace(strings.Join(row[min(at, len(row)):], "|"))
}

// extra adds an unknown member unless it is empty.
func extra(fields []Field, key, value string) []Field {
	if value == "" {
		return fields
	}
	return append(fields, Field{Key: key, Raw: Escape(value)})
}

// extensionKey makes a key that this format does not define from a name of another dialect
//
func extensionKey(name string) string {
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

// parseStampOrText reads a time, or a date as its first instant. It also returns the
// spelling of a date, which says less than a time. Other text has a spelling only.
func parseStampOrText(text string) (s Stamp, spelled string) {
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

// stampInto sets a member to a time, and keeps the spelling that the member cannot hold.
func stampInto(to *Stamp, fields *[]Field, name, text string) {
	s, spelled := parseStampOrText(text)
	if to.said() {
		s, spelled = *to, text
	}
	*to = s
	*fields = extra(*fields, extensionKey(name), spelled)
}

// turn adds a turn to a conversation: its time, speaker and text.
func (x *dialectReader) turn(c *Conversation, parts ...string) {
	x.turns[c]++
	raw := JoinList(parts)
	if len(parts) == 1 && parts[0] == "" {
		raw = ""
	}
	c.Extra = append(c.Extra, Field{Key: extensionKey("turn_" + strconv.Itoa(x.turns[c])), Raw: raw})
}

// addTurn adds a turn with a known time and speaker, and updates the conversation's.
func (x *dialectReader) addTurn(c *Conversation, at, role, text string, more ...string) {
	x.turn(c, append([]string{at, role, text}, more...)...)
	if s, _ := parseStampOrText(at); s.said() {
		if !c.TimestampStart.said() {
			c.TimestampStart = s
		}
		if !c.TimestampEnd.said() || c.TimestampEnd.Before(s.Time) {
			c.TimestampEnd = s
		}
		if c.TimestampEnd.Before(c.TimestampStart.Time) { // the file dates the conversation later than its turns
			c.TimestampEnd = Stamp{Time: c.TimestampStart.Time}
		}
	}
	x.addParticipant(c, role)
}

// addParticipant adds participants that the conversation does not have.
func (x *dialectReader) addParticipant(c *Conversation, names ...string) {
	for _, name := range names {
		if who := (speaker{c, name}); name != "" && !x.spoke[who] {
			x.spoke[who] = true
			c.Participants = append(c.Participants, name)
		}
	}
}

// countInto reads a number into a member, and keeps other text.
func countInto(to **int64, fields *[]Field, name, text string) {
	if n, ok := parseCount(text); ok && *to == nil {
		*to = &n
		return
	}
	*fields = extra(*fields, extensionKey(name), text)
}

// textInto sets an empty member to a text, and keeps any further text.
func textInto(to **string, fields *[]Field, name, text string) {
	if text != "" && *to == nil {
		*to = &text
		return
	}
	*fields = extra(*fields, extensionKey(name), text)
}
