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
	zone    string        // the time zone, if it is not known here
	answer  string        // HTML
}

// readActivity reads the body of a cell: lines of the title, the line of the date, the
// answer. Without a date, the answer begins with the first paragraph.
func readActivity(body string) activity {
	var a activity
	var lines []cellLine
	rest, found := body, false
	for rest != "" && !found {
		var next cellLine
		var block bool
		next, rest, block = cutLine(rest)
		if found = isDate(next.text); found {
			at, zone := pageTime(next.text)
			a.zone = zone
			if !at.IsZero() {
				a.time = at.Format(time.RFC3339)
			}
			break
		}
		lines = append(lines, next)
		if block {
			break
		}
	}
	a.answer = rest
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

// cutLine cuts the first line off a piece of HTML. A line ends with br, or before an
// element that is a block.
func cutLine(source string) (line cellLine, rest string, block bool) {
	at, inLink := 0, false
	for z := html.NewTokenizer(strings.NewReader(source)); ; {
		kind := z.Next()
		size := len(z.Raw())
		switch kind {
		case html.ErrorToken:
			line.trim()
			return line, "", false
		case html.TextToken:
			text := html.UnescapeString(string(z.Raw()))
			line.text += text
			if inLink {
				line.linked += text
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := z.TagName()
			switch tag := string(name); {
			case tag == "br":
				line.trim()
				return line, source[at+size:], false
			case tag == "a":
				line.address, inLink = attribute(z, more, "href"), true
			case isBlock(tag):
				line.trim()
				return line, source[at:], true
			}
		case html.EndTagToken:
			inLink = false
		}
		at += size
	}
}

// trim removes the blank space around the lines of a text: pages are indented.
func (l *cellLine) trim() {
	lines := strings.Split(l.text, "\n")
	for i := range lines {
		lines[i] = strings.Join(strings.Fields(lines[i]), " ")
	}
	l.text, l.linked = strings.TrimSpace(strings.Join(lines, "\n")), strings.TrimSpace(l.linked)
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
