package gemini

import (
	"html"
	"strings"
)

// plain turns the HTML of an answer into text: paragraphs, lists, tables and code keep
// their lines; of a link its address is kept.
func plain(source string) string {
	p := plainer{}
	for source != "" {
		text, rest, tagged := strings.Cut(source, "<")
		p.text(text)
		if !tagged {
			break
		}
		if !opens(rest) {
			p.text("<")
			source = rest
			continue
		}
		if comment, ok := strings.CutPrefix(rest, "!--"); ok {
			_, source, _ = strings.Cut(comment, "-->")
			continue
		}
		tag, after, closed := strings.Cut(rest, ">")
		if !closed {
			p.text("<" + rest)
			break
		}
		p.tag(tag)
		source = after
	}
	return strings.TrimSpace(p.out.String())
}

// opens reports whether what follows a "<" is a tag or a comment.
func opens(rest string) bool {
	if rest == "" {
		return false
	}
	c := rest[0] | 0x20
	return c >= 'a' && c <= 'z' || rest[0] == '/' || rest[0] == '!'
}

// plainer writes text.
type plainer struct {
	out     strings.Builder
	lines   int    // line ends that are due before the next text
	blank   bool   // a blank is due before the next text
	skipped string // the element whose content is not shown; empty: none
	code    int    // depth of elements that keep their lines
	link    string // address of the link that one is in
	linked  int    // where its text begins
}

// text takes what stands between two tags.
func (p *plainer) text(raw string) {
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

// flush writes what is due.
func (p *plainer) flush() {
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
func (p *plainer) due(n int) { p.lines = max(p.lines, n) }

// tag takes a tag.
func (p *plainer) tag(tag string) {
	name, attributes, _ := strings.Cut(strings.TrimSpace(strings.TrimSuffix(tag, "/")), " ")
	name = strings.ToLower(name)
	if p.skipped != "" {
		if name == "/"+p.skipped {
			p.skipped = ""
		}
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
	case "tr", "/tr", "dt", "dd":
		p.due(1)
	case "/td", "/th":
		p.blank = true
	case "p", "/p", "div", "/div", "ul", "/ul", "ol", "/ol", "table", "/table", "blockquote", "/blockquote", "section", "/section",
		"h1", "/h1", "h2", "/h2", "h3", "/h3", "h4", "/h4", "h5", "/h5", "h6", "/h6", "hr", "dl", "/dl":
		p.block()
	case "pre":
		p.due(2)
		p.mark("```\n")
		p.code++
	case "/pre":
		if p.code > 0 {
			p.code--
			p.out.WriteString("\n```")
		}
		p.due(2)
	case "a":
		p.link, p.linked = attribute(attributes, "href"), p.out.Len()
	case "/a":
		p.address()
	case "img":
		p.text(attribute(attributes, "alt"))
	}
}

// block begins another block. In an item of a list, its first one begins beside the mark.
func (p *plainer) block() {
	if p.code == 0 && !strings.HasSuffix(p.out.String(), "- ") {
		p.due(2)
	}
}

// mark writes what a block begins with.
func (p *plainer) mark(text string) {
	p.flush()
	p.out.WriteString(text)
}

// address writes where a link leads, unless its text says so.
func (p *plainer) address() {
	if strings.HasPrefix(p.link, "http") && p.linked < p.out.Len() && !strings.Contains(p.out.String()[p.linked:], p.link) {
		p.out.WriteString(" (" + p.link + ")")
	}
	p.link = ""
}

// attribute returns the value of an attribute; empty: there is none.
func attribute(attributes, name string) string {
	_, rest, ok := strings.Cut(attributes, name+"=")
	if !ok || rest == "" {
		return ""
	}
	value, _, closed := strings.Cut(rest[1:], rest[:1])
	if quote := rest[0]; !closed || quote != '"' && quote != '\'' {
		return ""
	}
	return html.UnescapeString(value)
}
