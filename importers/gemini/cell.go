package gemini

import (
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/net/html"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/text/pattern"
)

// activity is the body of a cell.
type activity struct {
	title   string
	address string        // of the conversation; empty: not said
	files   []canon.Value // names of the files that were handed over
	time    string        // empty: unknown
	undated bool          // the line of its date cannot be read
	zone    string        // the time zone, if it is not known here
	answer  string        // HTML
}

// readActivity reads the body of a cell: lines of the title, the line of the date, the
// answer. Without a date, the answer begins with the first paragraph.
func readActivity(body string) activity {
	var a activity
	var lines []cellLine
	in := lineReader{z: html.NewTokenizer(strings.NewReader(body))}
	for more := true; more; {
		var next cellLine
		next, more = in.next()
		if isDate(next.text) {
			at, zone := pageTime(next.text)
			if at.IsZero() { // people can read it all the same
				lines, a.undated = append(lines, next), true
				break
			}
			a.zone, a.time = zone, at.Format(time.RFC3339)
			break
		}
		lines = append(lines, next)
	}
	a.answer = body[in.at:]
	a.take(lines)
	return a
}

// take makes the title of its lines, without those of attached files.
func (a *activity) take(lines []cellLine) {
	var said []string
	for _, line := range lines {
		switch {
		case session(line.address) != "":
			a.address = line.address
		case line.address != "" && !strings.Contains(line.address, ":"):
			if n := len(said); len(a.files) == 0 && n > 1 && attachedLine.MatchString(said[n-1]) {
				said = said[:n-1]
			}
			a.files = append(a.files, canon.String(line.linked))
		default:
			said = append(said, line.text)
		}
	}
	a.title = strings.TrimSpace(strings.Join(said, "\n"))
}

// attachedLine is the line above the names of attached files, in any language.
var attachedLine = pattern.New(`^.{0,30}\d+.{0,30}$`)

// cellLine is a line of a cell.
type cellLine struct {
	text    string
	address string // of its link; empty: none
	linked  string // the text of the link
}

// lineReader cuts HTML into lines. A line ends with br; the last ends before an element
// that is a block.
type lineReader struct {
	z  *html.Tokenizer
	at int // where what was not read begins
}

// next returns the next line; false: it is the last.
func (r *lineReader) next() (line cellLine, more bool) {
	var said, linked strings.Builder
	defer func() { line.text, line.linked = trimmed(said.String()), strings.TrimSpace(linked.String()) }()
	inLink := false
	for {
		kind := r.z.Next()
		size := len(r.z.Raw())
		switch kind {
		case html.ErrorToken:
			r.at += size
			return line, false
		case html.TextToken:
			text := html.UnescapeString(string(r.z.Raw()))
			said.WriteString(text)
			if inLink {
				linked.WriteString(text)
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			name, attributes := r.z.TagName()
			switch tag := string(name); {
			case tag == "br":
				r.at += size
				return line, true
			case tag == "a":
				line.address, inLink = attribute(r.z, attributes, "href"), true
			case isBlock(tag):
				return line, false
			}
		case html.EndTagToken:
			inLink = false
		}
		r.at += size
	}
}

// trimmed removes the blank space around the lines of a text: pages are indented.
func trimmed(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.Join(strings.Fields(lines[i]), " ")
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

func isBlock(tag string) bool {
	switch tag {
	case "p", "div", "ul", "ol", "table", "blockquote", "section", "h1", "h2", "h3", "h4", "h5", "h6", "dl", "pre", "hr":
		return true
	}
	return false
}

var (
	clock = pattern.New(`\b(\d{1,2})[:.](\d{2})[:.](\d{2})\b`)
	year  = pattern.New(`(?:^|\D)(\d{4})(?:\D|$)`)
)

// mostDate is the most characters of a line that is a date.
const mostDate = 60

// isDate reports whether a line is a date with a time, in any language.
func isDate(line string) bool {
	return utf8.RuneCountInString(line) <= mostDate && clock.MatchString(line) && year.MatchString(line)
}
