package aicf

import "bytes"

// mark is the beginning of a section.
type mark struct {
	at   int // offset of its first line
	line int // line in the file, from 1
}

// lexer finds lines and sections in data that it receives in order, whole lines at a time.
// It keeps offsets and no data.
type lexer struct {
	limits    Limits
	numbering Numbering
	data      []byte
	base      int // offset of data in the file, without the byte order mark
	marked    int // bytes of the byte order mark
	line      int // lines so far
	expected  counter
	shape     shape  // of the header of the current section
	title     title  // the section's name in findings
	entry     string // the beginning of another entry; empty: entries are not one line each
	marks     []mark
	sections  int  // sections so far
	part      int  // a section longer than this is split between its entries; 0: none is
	long      int  // lines longer than this are checked closely
	closed    bool // whether the section had its separator
	open      bool // whether the last line has no line feed
	unread    bool // some lines were not checked for characters
	bare      int  // the last line without its number
	stray     bool // whether stray data of this section was reported
	versioned bool // whether a version was declared
	endings   endings
	log       findingList
	err       error // whether a limit was exceeded
}

func newLexer(beginning []byte, o Options) *lexer {
	limits := o.Limits.withDefaults()
	l := &lexer{limits: limits, numbering: numberingOf(beginning), log: findingList{most: limits.Findings}}
	l.long = min(longField, limits.Field, limits.Line)
	l.expected = uncounted()
	if l.numbering == Numbered {
		l.expected.set(1)
	}
	l.numberingFinding()
	return l
}

// run reads data from an offset on. The data begins with the current section at the latest.
// The last line has a line feed unless the file ends with it.
func (l *lexer) run(data []byte, from int) {
	l.data = data
	for at := from; at < len(data) && l.err == nil; {
		body := at
		if l.expected.begins(data[at:]) {
			body += l.expected.width
			l.expected.step()
		} else if l.numbering.mayBegin(data[at]) {
			body += l.number(data[at:])
		}
		end, plain := textEnd(data, body, shortLine)
		next := end + 1
		l.line++
		switch {
		case plain && end < len(data) && data[end] == '\n':
		case plain && end+1 < len(data) && data[end] == '\r' && data[end+1] == '\n':
			l.endings.crlf(l.line)
			next++
		default:
			end, next = l.oddEnd(at, end)
		}
		if end-at > l.long {
			l.size(data[at:end], body-at)
		}
		switch {
		case body >= end:
			l.separator(body > at)
		case data[body] == '@':
			l.atSign(data[body:end], at)
		case l.closed || l.shape == noHead:
			l.strayData()
		}
		at = next
	}
}

// number reads the number of a line that is not plainly the next one, and returns its
// width.
func (l *lexer) number(from []byte) int {
	end := bytes.IndexByte(from, '\n')
	if end < 0 {
		end = len(from)
	}
	line := bytes.TrimSuffix(from[:end], []byte("\r"))
	width := l.numbering.numberWidth(line)
	l.oddNumber(line, width)
	return width
}

// oddNumber reports a number out of sequence, and counts on from it.
func (l *lexer) oddNumber(line []byte, width int) {
	n, _ := leadingNumber(line)
	switch {
	case width == 0:
		l.unnumbered(line)
		return
	case n < 0:
		l.find(l.line+1, Broken, codeLineNumber, "AICF-LINE-2", "the line number is not a decimal integer without sign and leading zeros")
		n = l.expected.n
	case l.numbering == Numbered && n != l.expected.n:
		l.outOfSequence(n)
	}
	if l.numbering == Numbered {
		l.expected.set(n + 1)
		l.bare = 0
	}
}

// unnumbered reports lines without a number, once for a run of them.
func (l *lexer) unnumbered(line []byte) {
	if l.numbering != Numbered || len(line) == 0 {
		return
	}
	if l.bare == 0 || l.bare != l.line {
		l.find(l.line+1, Warning, codeLineNumber, "AICF-VALS-1", "the line has no number; expected %d", l.expected.n)
	}
	l.bare = l.line + 1
}

func (l *lexer) outOfSequence(n int) {
	if n == 1 {
		l.find(l.line+1, Warning, codeRestart, "AICF-LINE-10", "line numbers start again at 1; expected %d", l.expected.n)
		return
	}
	l.find(l.line+1, Warning, codeLineNumber, "AICF-VALS-1", "line number %d; expected %d", n, l.expected.n)
}

// separator closes the section. It reports a separator without a number where other lines
// have one.
func (l *lexer) separator(numbered bool) {
	if !numbered && l.numbering == Numbered {
		l.find(l.line, Warning, codeBlank, "AICF-LINE-6", "a blank line without a number")
	}
	l.closed = true
}

// strayData reports data outside any section, and data after a separator.
func (l *lexer) strayData() {
	switch {
	case len(l.marks) == 0:
		l.find(l.line, Warning, codePreamble, "AICF-HDR-5", "data before the first section header")
		l.begin(0, noHead)
	case l.closed && !l.stray && l.shape != noHead:
		l.find(l.line, Warning, codeStray, "AICF-LINE-4", "data behind the separator that closes the section")
		l.stray = true
	}
}

// begin starts a section at an offset in the data.
func (l *lexer) begin(at int, s shape) {
	if l.sections++; l.sections > l.limits.Sections {
		l.err = TooLarge(l.line, "AICF-SIZE-4", "the number of sections", int64(l.limits.Sections))
		return
	}
	if len(l.marks) == 0 && (l.line > 1 || s == noHead) { // what precedes the first section
		l.marks = append(l.marks, mark{line: 1})
	}
	if s != noHead {
		l.marks = append(l.marks, mark{at: l.base + at, line: l.line})
	}
	l.shape, l.entry, l.closed, l.stray, l.title = s, "", false, false, title{}
}

// atSign reads a line that begins with an at sign: a header, an entry, or data.
func (l *lexer) atSign(data []byte, at int) {
	if l.goesOn(data, at) {
		return
	}
	h := headOf(data)
	if h.shape == noHead {
		l.noHeader()
		return
	}
	first := l.shape == noHead
	l.begin(at, h.shape)
	l.entry = entryStart(h.name(data))
	if h.shape != inlineHead {
		l.headerFindings(h, data, first)
	}
}

// goesOn reports whether a line is another entry of the current section.
func (l *lexer) goesOn(data []byte, at int) bool {
	return l.entry != "" && !l.closed && len(data) > len(l.entry) && string(data[:len(l.entry)]) == l.entry &&
		(l.part == 0 || l.base+at-l.marks[len(l.marks)-1].at < l.part)
}
