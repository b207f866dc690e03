package claudecode

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/text/markdown"
)

// parser splits Markdown into bullets and paragraphs (CLAUDE-6). It knows the parts of
// Markdown that rules use: headings, lists, fences, comments, horizontal rules. Everything
// else is a paragraph.
type parser struct {
	path    string
	limits  codec.Limits
	imports bool // whether @path is an import here
	blocks  []block
	found   []*codec.ParseError

	heads     []head
	titles    int // first-level headings
	lead      string
	current   *block
	lines     []string // of the present block
	indent    int      // of the text of the present bullet
	gap       int      // blank lines since the last line of the present block
	fence     string   // the run that opened the present code block
	inComment bool

	comments, hollow, empty, foreign count // comments, headings with nothing under them, list items, lines between the marks
}

// count counts the losses of a kind in a file, and keeps the first line. One loss stands
// for many of a kind, since a file may consist of them.
type count struct{ n, line int }

func (c *count) add(line int) {
	if c.n++; c.n == 1 {
		c.line = line
	}
}

type head struct {
	level, line int
	text        string
	used        bool
}

// parse reads the lines of a file; first is the number of the first.
func (p *parser) parse(text string, first int) {
	n := first
	for line := range strings.Lines(text) {
		p.line(n, strings.TrimRight(line, "\n"))
		n++
	}
	p.flush()
	p.leave(1)
}

// losses returns the losses of the file.
func (p *parser) losses() []codec.Loss {
	var out []codec.Loss
	for _, lost := range []struct {
		count
		what string
	}{{p.comments, lossComments}, {p.hollow, lossHollow}, {p.empty, lossItems}, {p.foreign, lossWithin}} {
		if lost.n > 0 {
			out = append(out, codec.Loss{Pointer: pointer(p.path, lost.line), Reason: lost.what + strconv.Itoa(lost.n)})
		}
	}
	return out
}

// pointer names a line, with its file if the source has several.
func pointer(path string, line int) string {
	switch {
	case line == 0:
		return path
	case path == "":
		return fmt.Sprintf("line:%d", line)
	}
	return fmt.Sprintf("%s line:%d", path, line)
}

func (p *parser) line(n int, line string) {
	if p.fence != "" {
		p.code(line)
		return
	}
	if p.inComment || strings.HasPrefix(strings.TrimSpace(line), "<!--") {
		p.comment(n, line)
		return
	}
	trimmed := strings.TrimSpace(line)
	run, _ := markdown.FenceRun(line)
	level, words := markdown.Heading(line)
	marker, numbered := listMarker(line)
	switch {
	case trimmed == "":
		p.gap++
	case run != "":
		p.fence = run
		p.extend(n, line)
	case level > 0:
		p.head(n, level, words)
	case p.underlines(trimmed):
	case across(trimmed):
		p.flush()
		p.lead = ""
	case p.imports && importLine(trimmed) != "":
		p.flush()
		p.add(block{line: n, path: importLine(trimmed)})
	case marker > 0 && !(p.inBullet() && indentOf(line) >= 2):
		p.bullet(n, line, marker, numbered)
	case p.current != nil && (p.gap == 0 || p.inBullet() && indentOf(line) >= 2):
		p.continues(line)
	default:
		p.flush()
		p.lead = ""
		p.begin(n, "paragraph", line)
	}
}

// code reads a line of a code block.
func (p *parser) code(line string) {
	if run, bare := markdown.FenceRun(line); bare && run != "" && run[0] == p.fence[0] && len(run) >= len(p.fence) {
		p.fence = ""
	}
	p.continues(line)
}

// extend adds a code block to the text before it: a command to the words that say when to
// use it.
func (p *parser) extend(n int, line string) {
	if p.current == nil {
		p.begin(n, "paragraph", line)
		return
	}
	p.continues(line)
}

// comment reads a line of an HTML comment, which assistants ignore.
func (p *parser) comment(n int, line string) {
	for {
		if !p.inComment {
			rest, ok := strings.CutPrefix(strings.TrimSpace(line), "<!--")
			if !ok {
				break
			}
			p.inComment, line = true, rest
			p.comments.add(n)
		}
		_, rest, ok := strings.Cut(line, "-->")
		if !ok {
			return
		}
		p.inComment, line = false, rest
	}
	if strings.TrimSpace(line) != "" {
		p.line(n, line)
	}
}

func (p *parser) inBullet() bool {
	return p.current != nil && p.current.kind != "paragraph"
}

func (p *parser) begin(n int, kind, line string) {
	p.current = &block{line: n, kind: kind}
	p.lines = append(p.lines[:0], strings.TrimRight(line, " \t"))
	p.gap, p.indent = 0, 0
}

func (p *parser) continues(line string) {
	if p.gap > 0 {
		p.lines = append(p.lines, "")
	}
	p.gap = 0
	if p.fence == "" {
		line = strings.TrimRight(line, " \t")
	}
	p.lines = append(p.lines, line[min(indentOf(line), p.indent):])
}

// bullet begins a list item. A paragraph before it that ends in a colon introduces the
// list.
func (p *parser) bullet(n int, line string, marker int, numbered bool) {
	if lead := p.leadIn(); lead != "" {
		line := p.current.line
		p.lead, p.current = lead, nil
		p.follow(line, lead)
	} else if p.current != nil && p.current.kind == "paragraph" {
		p.flush()
		p.lead = ""
	}
	p.flush()
	kind := "bullet"
	if numbered {
		kind = "number"
	}
	p.begin(n, kind, line[marker:])
	p.indent = marker
}

func (p *parser) leadIn() string {
	if p.current == nil || p.current.kind != "paragraph" {
		return ""
	}
	if text := strings.Join(p.lines, "\n"); strings.HasSuffix(text, ":") && len(text) <= p.limits.Name {
		return text
	}
	return ""
}

// flush completes the present block.
func (p *parser) flush() {
	b := p.current
	p.current, p.gap = nil, 0
	if b == nil {
		return
	}
	b.text = strings.TrimSpace(strings.Join(p.lines, "\n"))
	if b.text == "" {
		p.empty.add(b.line)
		return
	}
	b.lead = p.lead
	p.add(*b)
	p.follow(b.line, b.text)
}

// follow adds the imports in a text.
func (p *parser) follow(line int, text string) {
	if !p.imports {
		return
	}
	for _, path := range importPaths(text) {
		p.add(block{line: line, path: path})
	}
}

func (p *parser) add(b block) {
	b.titled = len(p.heads) > 0 && p.heads[0].level == 1
	for i := range p.heads {
		b.heads = append(b.heads, p.heads[i].text)
		p.heads[i].used = true
	}
	if len(p.blocks) == p.limits.Items {
		p.refuse(b.line, fmt.Errorf("more than %d bullets and paragraphs; split the file, or raise the limit", p.limits.Items))
	}
	if len(p.blocks) <= p.limits.Items {
		p.blocks = append(p.blocks, b)
	}
}

// head reads a heading.
func (p *parser) head(n, level int, words string) {
	p.flush()
	p.lead = ""
	p.leave(level)
	if level == 1 {
		p.titles++
	}
	if len(words) > p.limits.Name {
		p.refuse(n, fmt.Errorf("a heading of more than %d bytes; shorten it", p.limits.Name))
		words = ""
	}
	if words != "" {
		p.heads = append(p.heads, head{level: level, line: n, text: words})
	}
}

// leave ends the sections at and below a level.
func (p *parser) leave(level int) {
	for len(p.heads) > 0 && p.heads[len(p.heads)-1].level >= level {
		last := p.heads[len(p.heads)-1]
		p.heads = p.heads[:len(p.heads)-1]
		if !last.used {
			p.hollow.add(last.line)
		}
	}
}

// underlines reads the line under a heading of the other spelling.
func (p *parser) underlines(line string) bool {
	if p.current == nil || p.current.kind != "paragraph" || p.gap > 0 || len(p.lines) != 1 {
		return false
	}
	level := strings.IndexByte(" =-", line[0])
	if level <= 0 || len(line) < 3 || strings.Trim(line, line[:1]) != "" {
		return false
	}
	words, n := strings.TrimSpace(p.lines[0]), p.current.line
	p.current = nil
	p.head(n, level, words)
	return true
}

func (p *parser) refuse(line int, err error) {
	p.found = append(p.found, violation(ruleLimit, p.path, line, err))
}
