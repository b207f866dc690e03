package mapping

import (
	"crypto/sha256"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/aicf"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
)

// mostLines bounds, in bytes, the lines of one record, unless one line is longer.
const mostLines = 8 << 10

// preamble is the section in which a writer puts the lines before the first section.
const preamble = "PREAMBLE"

// linePieces returns the pieces of an entry that the format does not define: the entries of
// numbered fields, and otherwise its lines. False: the format defines it.
func linePieces(e aicf.Entry, name string) (entryPieces, bool) {
	raw := e.Place().Raw
	parts := aicf.Parts(e)
	if raw == "" || len(parts) == 0 && !undefined(e) {
		return entryPieces{}, false
	}
	section, _ := aicf.Heading(e)
	if section == preamble {
		section = "" // the lines had no header before the file was written anew
	}
	all := lineOwners{section: section, lines: strings.Split(raw, "\n")}
	all.at = dateIn(all.lines)
	all.owners = make([]int, len(all.lines))
	for i := range all.owners {
		all.owners[i] = nobody
	}
	for _, p := range parts {
		for _, i := range p.Lines {
			all.owners[i] = len(all.pieces)
		}
		all.pieces = append(all.pieces, piece{entry: p.Entry, lined: true, at: all.at})
	}
	if len(parts) == 0 || all.hasMore() {
		all.rest(name)
	} else if _, ok := e.(*aicf.Unknown); ok {
		all.pieces[0].name = name // none is left for the section itself
	}
	return all.done(), true
}

// undefined reports whether the format does not say what an entry means.
func undefined(e aicf.Entry) bool {
	switch e := e.(type) {
	case *aicf.Insight:
		return e.Text == ""
	case *aicf.Decision:
		return e.Text == ""
	case *aicf.Unknown:
		return e.Name != "SCHEMA" // the names of a table's columns
	case *aicf.Gap:
		return strings.TrimSpace(e.Raw) != ""
	}
	return false
}

// lineOwners shares the lines of an entry among its pieces.
type lineOwners struct {
	entryPieces
	section string
	lines   []string
	at      time.Time // dates the pieces
}

// hasMore reports whether lines without a piece say more than a time and counts.
func (all *lineOwners) hasMore() bool {
	for i, text := range all.lines {
		if all.owners[i] != nobody || strings.TrimSpace(text) == "" || i == 0 && !all.headSays() {
			continue
		}
		if key, _, _ := strings.Cut(text, "="); key != "timestamp" && !strings.HasPrefix(key, "total_") {
			return true
		}
	}
	return false
}

// rest makes pieces of the lines that have none.
func (all *lineOwners) rest(name string) {
	size := mostLines
	for i, text := range all.lines {
		if all.owners[i] != nobody || text == "@"+preamble && i == 0 {
			continue
		}
		if size += len(text) + 1; size > mostLines {
			size = len(text)
			all.pieces = append(all.pieces, piece{entry: &aicf.Unknown{Name: all.section}, lined: true, name: name, at: all.at})
		}
		all.owners[i] = len(all.pieces) - 1
	}
}

// done gives each piece its lines.
func (all *lineOwners) done() entryPieces {
	own := make([][]string, len(all.pieces))
	for i, owner := range all.owners {
		if owner >= 0 {
			own[owner] = append(own[owner], all.lines[i])
		}
	}
	for i := range all.pieces {
		all.pieces[i].raw = strings.Join(own[i], "\n")
	}
	return all.entryPieces
}

// tooLong reports whether the lines of a piece are too long for a record, which holds them
// twice.
func (in *recordBuilder) tooLong(p piece) bool {
	return p.lined && len(p.raw) > min(in.limits.Text, int(in.limits.Record/8))
}

// dateIn returns the time in a field timestamp; zero: there is none.
func dateIn(lines []string) time.Time {
	for _, text := range lines {
		if said, ok := strings.CutPrefix(text, "timestamp="); ok {
			at, err := time.Parse(time.RFC3339, said)
			if err == nil {
				return at.UTC()
			}
		}
	}
	return time.Time{}
}

// lineText returns the text of lines: the header's name and identifier, and the other lines
// without escapes. A header whose identifier is a word or a time says nothing alone.
func lineText(raw string) string {
	head, body := "", strings.Split(raw, "\n")
	if aicf.IsHeader(body[0]) {
		head = strings.TrimSpace(strings.Replace(body[0][1:], ":", " ", 1))
		body = body[1:]
	} else if text, ok := countedText(body); ok {
		return text
	}
	said := body[:0:0]
	for _, text := range body {
		if text = strings.TrimSpace(text); text != "" {
			plain, _ := aicf.Unescape(strings.TrimPrefix(text, "x_"))
			said = append(said, plain)
		}
	}
	switch {
	case len(said) == 0 && !manyWords(head):
		return ""
	case len(said) == 0:
		return head
	case head == "":
		return strings.Join(said, "\n")
	case len(said) == 1:
		return head + ": " + said[0]
	}
	return head + ":\n" + strings.Join(said, "\n")
}

// mostExtra bounds, in bytes, what a record says of the fields that the format does not
// define.
const mostExtra = 64 << 10

// extraText returns the fields that the format does not define, one in a line, without those
// that a migration or an export adds.
func extraText(fields []aicf.Field) string {
	var b strings.Builder
	for _, f := range fields {
		text, _ := aicf.Unescape(f.Raw)
		key, is := strings.CutPrefix(f.Key, "x_")
		switch {
		case is && (key == "assumed" || f.Key == exportMark) || strings.TrimSpace(text) == "":
			continue
		case is && strings.HasPrefix(key, "turn_"):
			text = strings.Join(aicf.SplitList(f.Raw), " | ")
		case key != "":
			text = key + "=" + text
		}
		if b.Len()+len(text) < mostExtra {
			b.WriteString("\n" + text)
		}
	}
	return b.String()
}

// orExtra returns a text, or without one what the fields say that the format does not define.
func orExtra(text string, fields []aicf.Field) string {
	if text != "" {
		return text
	}
	return strings.TrimSpace(extraText(fields))
}

// manyWords reports whether the identifier of a header has more than one word.
func manyWords(head string) bool {
	_, id, _ := strings.Cut(head, " ")
	words := strings.FieldsFunc(id, func(r rune) bool { return strings.ContainsRune(" _-", r) })
	letters := 0
	for _, w := range words {
		if strings.ContainsAny(strings.ToLower(w), "aeiou") {
			letters++
		}
	}
	return letters > 1
}

// linedPiece returns the piece whose lines a record has, unless the record was changed.
func linedPiece(r memory.Record, residue canon.Value, raw string) (piece, bool) {
	p := piece{lined: true, raw: raw, name: residue.Get(residueID).Text()}
	section := residue.Get(residueSection).Text()
	part, ok := aicf.ReadPart(section, raw)
	if p.entry = part; !ok {
		p.entry = &aicf.Unknown{Name: section}
	}
	return p, raw != "" && p.text() == r.Body.Text
}

// text returns the text of the record of a piece that consists of lines.
func (p piece) text() string {
	switch e := p.entry.(type) {
	case *aicf.Insight:
		return e.Text
	case *aicf.Decision:
		return decisionText(e)
	}
	return lineText(p.raw)
}

// digests identifies the pieces of a file that say what a record's piece says.
func (p piece) digests(r memory.Record) [][sha256.Size]byte {
	all := [][sha256.Size]byte{p.digest()}
	if p.lined {
		all = append(all, p.restated(r).digest())
	}
	return all
}

// restated returns a piece that says in an entry of the format what the piece says in lines.
func (p piece) restated(r memory.Record) piece {
	if !p.lined {
		return p
	}
	if d, ok := p.entry.(*aicf.Decision); ok && aicf.CheckEntry(d) == nil {
		return piece{entry: d}
	}
	return insightPiece(r, printable(r.Body.Text))
}
