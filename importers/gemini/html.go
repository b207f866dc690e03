package gemini

import (
	"strings"

	"golang.org/x/net/html"
)

// plain turns the HTML of an answer into text. Paragraphs, lists, tables and code keep
// their lines, and links keep their addresses.
func plain(source string) string {
	p := textWriter{}
	for z := html.NewTokenizer(strings.NewReader(source)); ; {
		switch z.Next() {
		case html.ErrorToken:
			if raw := string(z.Raw()); strings.HasPrefix(raw, "<") { // a tag without an end is text
				p.text(raw)
			}
			return strings.TrimSpace(p.out.String())
		case html.TextToken:
			p.text(string(z.Raw()))
		case html.StartTagToken, html.SelfClosingTagToken:
			p.start(z)
		case html.EndTagToken:
			name, _ := z.TagName()
			p.end(string(name))
		}
	}
}

// textWriter writes the text of HTML.
type textWriter struct {
	out     strings.Builder
	lines   int    // line ends to write before the next text
	blank   bool   // a blank to write before the next text
	skipped string // the element whose content is not shown; empty: none
	code    int    // depth of elements that keep their lines
	link    string // address of the present link
	linked  int    // where the link's text begins
}

// text writes the text between two tags.
func (p *textWriter) text(raw string) {
	if p.skipped != "" || raw == "" {
		return
	}
	text := html.UnescapeString(raw)
	if p.code > 0 {
		p.flush()
		p.out.WriteString(text)
		return
	}
	words := strings.Fields(text)
	if len(words) == 0 {
		p.blank = true
		return
	}
	p.blank = p.blank || isSpace(text[0])
	p.flush()
	p.out.WriteString(strings.Join(words, " "))
	p.blank = isSpace(text[len(text)-1])
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// flush writes the line ends or the blank before the next text.
func (p *textWriter) flush() {
	switch {
	case p.out.Len() == 0:
	case p.lines > 0:
		p.out.WriteString(strings.Repeat("\n", p.lines))
	case p.blank:
		p.out.WriteByte(' ')
	}
	p.lines, p.blank = 0, false
}

// due asks for line ends before the next text.
func (p *textWriter) due(n int) { p.lines = max(p.lines, n) }

// start handles the beginning of an element.
func (p *textWriter) start(z *html.Tokenizer) {
	tag, more := z.TagName()
	name := string(tag)
	if name != "script" && name != "style" {
		z.NextIsNotRawText()
	}
	switch {
	case p.skipped != "":
		return
	case p.boundary(name):
		return
	}
	switch name {
	case "script", "style":
		p.skipped = name
	case "br":
		p.due(p.lines + 1)
	case "li":
		p.due(1)
		p.mark("- ")
	case "dt", "dd":
		p.due(1)
	case "hr":
		p.block()
	case "pre":
		p.due(2)
		p.mark("```\n")
		p.code++
	case "a":
		p.link, p.linked = attribute(z, more, "href"), p.out.Len()
	case "img":
		p.text(html.EscapeString(attribute(z, more, "alt")))
	}
}

// end handles the end of an element.
func (p *textWriter) end(name string) {
	if p.skipped != "" {
		if name == p.skipped {
			p.skipped = ""
		}
		return
	}
	if p.boundary(name) {
		return
	}
	switch name {
	case "td", "th":
		p.blank = true
	case "pre":
		if p.code > 0 {
			p.code--
			p.out.WriteString("\n```")
		}
		p.due(2)
	case "a":
		p.address()
	}
}

// boundary handles the elements that begin and end in the same way, and reports whether
// the name is one of theirs.
func (p *textWriter) boundary(name string) bool {
	switch name {
	case "tr":
		p.due(1)
	case "p", "div", "ul", "ol", "table", "blockquote", "section", "h1", "h2", "h3", "h4", "h5", "h6", "dl":
		p.block()
	default:
		return false
	}
	return true
}

// block begins a new block. The first block of a list item begins on the line of the mark.
func (p *textWriter) block() {
	if p.code == 0 && !strings.HasSuffix(p.out.String(), "- ") {
		p.due(2)
	}
}

// mark writes the beginning of a block.
func (p *textWriter) mark(text string) {
	p.flush()
	p.out.WriteString(text)
}

// address writes the address of a link, unless the link's text contains it.
func (p *textWriter) address() {
	if strings.HasPrefix(p.link, "http") && p.linked < p.out.Len() && !strings.Contains(p.out.String()[p.linked:], p.link) {
		p.out.WriteString(" (" + p.link + ")")
	}
	p.link = ""
}

// attribute returns the value of an attribute; more says that the tag has attributes.
// Empty: there is none.
func attribute(z *html.Tokenizer, more bool, name string) string {
	for more {
		var key, value []byte
		if key, value, more = z.TagAttr(); string(key) == name {
			return string(value)
		}
	}
	return ""
}
