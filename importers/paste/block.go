package paste

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/text/markdown"
)

// blocks turns lines into entries. A complete entry goes to done.
type blocks struct {
	opt     codec.Options
	listed  bool   // the text has no dates: items of any list are entries
	fenced  bool   // there is a fence
	fence   string // the run that opened the present fence; empty: none
	open    bool   // a run of entries outside a fence is open
	current *entry
	done    []*entry
	found   []*codec.ParseError
	losses  codec.LossList

	section string
	headed  int // line of a heading with nothing under it yet; 0: none
	chatter int // first line of the present run of chatter; 0: none
	lines   int // number of lines in that run
	count   int // number of entries begun
	openers int // number of entries whose bracket begins a block by itself
	babble  int // number of lines of chatter in all
}

// line reads the next line (PASTE-4).
func (b *blocks) line(n int, line string) {
	run, bare := markdown.FenceRun(line)
	switch {
	case b.fence == "" && run != "":
		b.end()
		b.fence, b.fenced = run, true
	case b.fence != "" && bare && run[0] == b.fence[0] && len(run) >= len(b.fence):
		b.end()
		b.fence = ""
	case strings.TrimSpace(line) == "":
		b.blank()
	case b.goesOn(line):
		b.append(line)
	case b.begins(n, line):
	case b.heads(n, line):
	case b.current != nil && (b.fence != "" || indented(line)):
		b.append(line)
	default:
		b.chat(n)
	}
}

// end closes the present entry, run and section.
func (b *blocks) end() {
	b.flush()
	b.open = false
	b.unheaded()
	b.section = ""
}

func (b *blocks) blank() {
	if b.fence == "" {
		b.flush()
		b.open = false
	} else if b.current != nil {
		b.current.blanks++
	}
}

// goesOn reports whether a line in a fence continues an entry whatever it says: it is
// indented by two spaces or more, and the entry is not.
func (b *blocks) goesOn(line string) bool {
	return b.fence != "" && b.current != nil && b.current.indent == 0 && indent(line) >= len(deeper)
}

// begins starts an entry if the line is one.
func (b *blocks) begins(n int, line string) bool {
	within := b.fence != "" || b.open
	date, text, ok := bracketed(line)
	if ok && (within || opens(date)) {
		b.start(&entry{line: n, date: date, text: []byte(text), indent: indent(line)})
		return true
	}
	text, ok = bullet(line)
	if !ok && (b.listed || b.current != nil && b.current.date == "") {
		text, ok = b.item(line)
	}
	if ok && (within || b.listed) {
		b.start(&entry{line: n, text: []byte(text), indent: indent(line)})
		return true
	}
	return false
}

// item removes the marker of a list item that is numbered, or indented no further than the
// one before it.
func (b *blocks) item(line string) (string, bool) {
	if b.current == nil || indent(line) <= b.current.indent {
		line = strings.TrimLeft(line, " ")
	}
	if text, ok := bullet(line); ok {
		return text, true
	}
	return numbered(line)
}

func (b *blocks) start(e *entry) {
	b.flush()
	b.quiet()
	e.section, b.headed = b.section, 0
	b.open = b.fence == ""
	b.count++
	if opens(e.date) {
		b.openers++
	}
	b.current = e
	b.dated(e)
	b.measure()
}

// dated reads the date of an entry (PASTE-3).
func (b *blocks) dated(e *entry) {
	if unknown(e.date) {
		return
	}
	when, ok := parseDate(e.date)
	if ok {
		e.when = when
		return
	}
	b.lose(e.line, lossDate)
	if b.opt.Strict {
		b.add(ruleDate, e.line, errors.New("not a date as YYYY-MM-DD or RFC 3339; write [unknown] if there is none"))
	}
}

// append continues the present entry.
func (b *blocks) append(line string) {
	e := b.current
	if len(e.text) > 0 {
		for range min(e.blanks, b.opt.Limits.Text) + 1 {
			e.text = append(e.text, '\n')
		}
	}
	if e.indent == 0 && b.fence != "" {
		line = strings.TrimPrefix(line, deeper)
	}
	e.text = append(e.text, strings.TrimRight(line, " \t\r")...)
	e.blanks = 0
	b.measure()
}

// measure checks the limit on a text (PASTE-5). It drops a too long text, so that an
// endless entry takes no memory.
func (b *blocks) measure() {
	e := b.current
	if len(e.text) > b.opt.Limits.Text || len(e.section) > b.opt.Limits.Name {
		e.text = nil
		if !e.long {
			b.add(ruleLimit, e.line, fmt.Errorf("a memory of more than %d bytes, or a heading of more than %d; split it, or raise the limit", b.opt.Limits.Text, b.opt.Limits.Name))
		}
		e.long = true
	}
}

// flush completes the present entry.
func (b *blocks) flush() {
	e := b.current
	b.current = nil
	switch {
	case e == nil || e.long:
	case len(bytes.TrimSpace(e.text)) == 0:
		b.lose(e.line, lossEmpty)
	default:
		b.done = append(b.done, e)
	}
}

// heads reads a heading: in a fence, or between runs.
func (b *blocks) heads(n int, line string) bool {
	words, ok := heading(line)
	if !ok && b.listed {
		words, ok = label(line)
		ok = ok && !introduces(line)
	}
	if !ok {
		return false
	}
	b.flush()
	b.open = false
	b.unheaded()
	b.section, b.headed = words, n
	return true
}

// unheaded turns a heading with nothing under it into chatter.
func (b *blocks) unheaded() {
	if b.headed > 0 {
		b.ignore(b.headed)
	}
	b.headed = 0
}

// chat reads a line of chatter.
func (b *blocks) chat(n int) {
	b.flush()
	b.open = false
	b.ignore(n)
}

func (b *blocks) ignore(n int) {
	if b.chatter == 0 {
		b.chatter = n
	}
	b.lines++
	b.babble++
}

// quiet ends a run of chatter, which is one loss: a text of chatter must not fill the
// memory with losses.
func (b *blocks) quiet() {
	if b.lines > 0 {
		b.lose(b.chatter, lossChatter+strconv.Itoa(b.lines))
	}
	b.chatter, b.lines = 0, 0
}

func (b *blocks) lose(line int, reason string) {
	b.losses.Add(codec.Loss{Pointer: fmt.Sprintf("line:%d", line), Reason: reason})
}

func (b *blocks) add(rule string, line int, err error) {
	b.found = append(b.found, violation(rule, line, err))
}

// indent counts the spaces at the beginning of a line.
func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

func indented(line string) bool { return line[0] == ' ' || line[0] == '\t' }
