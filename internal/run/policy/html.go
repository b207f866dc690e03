package policy

import (
	"mime"
	"path"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"github.com/satchel-memory/satchel/text/pattern"
)

// readable returns what a person would read of a document: of HTML its visible text, of
// anything else the text itself. media is the type that came with it, "" if none did.
func readable(body, media string) string {
	if isHTML(body, media) {
		return textOfHTML(body)
	}
	return body
}

// MediaOf returns the media type of a file that its name tells; "": its content decides.
func MediaOf(name string) string {
	if ext := strings.ToLower(path.Ext(name)); ext == ".html" || ext == ".htm" || ext == ".xhtml" {
		return "text/html"
	}
	return ""
}

func isHTML(body, media string) bool {
	if kind, _, err := mime.ParseMediaType(media); err == nil {
		return kind == "text/html" || kind == "application/xhtml+xml"
	}
	const head = 256
	begin := strings.ToLower(strings.TrimSpace(body[:min(len(body), head)]))
	return strings.HasPrefix(begin, "<!doctype html") || strings.HasPrefix(begin, "<html")
}

// textOfHTML returns the visible text of HTML, a line per block, without scripts, styles,
// comments, attributes and what is hidden by its own attributes (AAIF-12-8). A hidden
// element without an end hides the rest. Style sheets are not read, so that text that only
// they hide stays.
func textOfHTML(source string) string {
	w := pageWriter{}
	for z := html.NewTokenizer(strings.NewReader(source)); ; {
		switch z.Next() {
		case html.ErrorToken:
			return strings.TrimSpace(w.out.String())
		case html.TextToken:
			w.text(z.Token().Data)
		case html.StartTagToken:
			w.start(z.Token(), true)
		case html.SelfClosingTagToken:
			w.start(z.Token(), false)
		case html.EndTagToken:
			w.end(z.Token().Data)
		}
	}
}

// mostOpen is the most elements within each other. What is nested deeper is left out.
const mostOpen = 512

// pageWriter writes the visible text of HTML.
type pageWriter struct {
	out    strings.Builder
	open   []string // the open elements
	hidden int      // length of open from which everything is hidden; 0: nothing is
	line   bool     // a line end is due before the next text
	blank  bool     // a blank is due
	pre    int      // number of open elements that keep their blanks
}

var (
	unseen   = []string{"script", "style", "template", "noscript", "iframe", "object", "svg", "math", "canvas", "audio", "video", "textarea", "select", "datalist", "dialog", "noembed", "noframes", "title"}
	inline   = []string{"a", "abbr", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font", "i", "ins", "kbd", "label", "mark", "q", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr", "img"}
	empty    = []string{"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"}
	hiddenBy = pattern.New(`(?i)(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|opacity\s*:\s*0(?:\.0*)?\s*(?:;|!|$)|font-size\s*:\s*0(?:\.0*)?(?:px|em|rem|pt|%)?\s*(?:;|!|$)|content-visibility\s*:\s*hidden|(?:left|top|right|text-indent)\s*:\s*-\d{3,}|clip-path\s*:\s*inset\(\s*(?:50|100)%|color\s*:\s*transparent)`)
)

func (w *pageWriter) start(t html.Token, opens bool) {
	w.line = w.line || !slices.Contains(inline, t.Data)
	if slices.Contains(empty, t.Data) || !opens {
		return
	}
	w.open = append(w.open, t.Data)
	if w.hidden == 0 && (slices.Contains(unseen, t.Data) || isHidden(t.Attr) || len(w.open) > mostOpen) {
		w.hidden = len(w.open)
	}
	if t.Data == "pre" {
		w.pre++
	}
}

// isHidden reports whether its attributes hide an element.
func isHidden(attributes []html.Attribute) bool {
	for _, a := range attributes {
		switch a.Key {
		case "hidden":
			return true
		case "aria-hidden":
			if strings.EqualFold(strings.TrimSpace(a.Val), "true") {
				return true
			}
		case "style":
			if hiddenBy.MatchString(a.Val) {
				return true
			}
		}
	}
	return false
}

// end closes the innermost element of a name, and everything within it.
func (w *pageWriter) end(name string) {
	w.line = w.line || !slices.Contains(inline, name)
	for i := len(w.open) - 1; i >= 0 && len(w.open)-i <= mostOpen; i-- {
		if w.open[i] != name {
			continue
		}
		for _, closed := range w.open[i:] {
			if closed == "pre" {
				w.pre--
			}
		}
		w.open = w.open[:i]
		if w.hidden > len(w.open) {
			w.hidden = 0
		}
		return
	}
}

func (w *pageWriter) text(text string) {
	if w.hidden > 0 {
		return
	}
	if w.pre == 0 {
		words := strings.Fields(text)
		if len(words) == 0 {
			w.blank = w.blank || text != ""
			return
		}
		w.blank = w.blank || strings.ContainsRune(" \t\r\n\f", rune(text[0]))
		ends := strings.ContainsRune(" \t\r\n\f", rune(text[len(text)-1]))
		w.write(strings.Join(words, " "))
		w.blank = ends
		return
	}
	w.write(text)
}

func (w *pageWriter) write(text string) {
	switch {
	case w.out.Len() == 0:
	case w.line:
		w.out.WriteByte('\n')
	case w.blank:
		w.out.WriteByte(' ')
	}
	w.line, w.blank = false, false
	w.out.WriteString(text)
}
