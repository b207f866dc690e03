package paste

import (
	"strings"
	"time"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// sectionOf returns the section of a record: its old one if that still gives its kind, else
// the one of its kind. Sections without a name hold the other kinds.
func sectionOf(r memory.Record) string {
	residue, _ := codec.Residue(r, formatName)
	said := residue.Get("section").Text()
	for _, section := range []string{said, "", identity, instructions} {
		e := entry{section: section, text: []byte(r.Body.Text)}
		if words, ok := heading("## " + section); e.kind() == r.Kind && (section == "" || ok && words == section) && (section != "" || said == "") {
			return section
		}
	}
	return ""
}

// headingOf returns the line that begins a section.
func headingOf(section string) string {
	if section == "" {
		return ""
	}
	return "## " + section + "\n"
}

// entryOf writes a record as an entry. Its further lines are indented, so that none of them
// begins another entry.
func entryOf(r memory.Record) string {
	text := strings.ReplaceAll(strings.TrimSpace(r.Body.Text), "\r\n", "\n")
	var b strings.Builder
	b.WriteString("[" + dateOf(r) + "] - ")
	for i, line := range strings.Split(text, "\n") {
		if line = strings.TrimRight(line, " \t\r"); i > 0 && line != "" {
			b.WriteString(deeper)
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

// dateOf returns the date of an entry: the record's, or the text that stood in its place.
func dateOf(r memory.Record) string {
	residue, _ := codec.Residue(r, formatName)
	if said := residue.Get("date").Text(); said != "" {
		date, text, ok := bracketed("[" + said + "] - x")
		if _, isDate := parseDate(said); ok && date == said && text == "x" && !isDate {
			return said
		}
	}
	when := r.Time.Created.UTC()
	layout := time.RFC3339Nano
	if when.Equal(when.Truncate(24 * time.Hour)) {
		layout = time.DateOnly
	}
	date := when.Format(layout)
	if _, ok := parseDate(date); !ok {
		return noDate
	}
	return date
}

// longestFence returns the longest run of backticks that begins a line.
func longestFence(text string) int {
	longest := 0
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		longest = max(longest, len(line)-len(strings.TrimLeft(line, "`")))
	}
	return longest
}
