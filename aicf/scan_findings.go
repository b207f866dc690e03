package aicf

import (
	"bytes"
	"fmt"
	"slices"
)

// Codes of the findings about syntax.
const (
	codeBOM         = "byte-order-mark"
	codeBlank       = "blank-line"
	codeControl     = "control"
	codeCRLF        = "crlf"
	codeEscape      = "escape"
	codeEscapeExtra = "escape-extra"
	codeFieldSize   = "field-size"
	codeFileSize    = "file-size"
	codeHeader      = "section-header"
	codeLineEnding  = "line-ending"
	codeLineNumber  = "line-number"
	codeLineSize    = "line-size"
	codeMore        = "more"
	codePreamble    = "preamble"
	codeRestart     = "line-restart"
	codeStray       = "stray-data"
	codeTruncated   = "truncated-tail"
	codeUnnumbered  = "unnumbered"
	codeUTF8        = "utf-8"
	codeVersion     = "version-place"
)

// findingList holds findings up to a limit, and counts the others.
type findingList struct {
	most     int
	findings []Finding
	more     int
}

func (l *findingList) add(f Finding) {
	if !l.full() {
		l.findings = append(l.findings, f)
	}
}

// full reports whether the list is full, and then counts the finding, so that the caller
// need not make it.
func (l *findingList) full() bool {
	if len(l.findings) < l.most {
		return false
	}
	l.more++
	return true
}

// inOrder returns the findings in the order of the lines, those about the whole file first,
// and the number of uncounted ones.
func (l *findingList) inOrder() []Finding {
	told := slices.Clone(l.findings)
	slices.SortStableFunc(told, func(a, b Finding) int { return a.Line - b.Line })
	if l.more > 0 {
		told = append(told, Finding{Code: codeMore, Rule: "AICF-VALS-5", Severity: Warning,
			Message: fmt.Sprintf("%d further findings, beyond the limit of %d", l.more, l.most)})
	}
	return told
}

// find reports a finding about a line of a section.
func (l *findingList) find(line int, section *title, severity Severity, code, rule, format string, args ...any) {
	if !l.full() {
		l.add(Finding{Line: line, Section: section.String(), Code: code, Rule: rule, Severity: severity, Message: fmt.Sprintf(format, args...)})
	}
}

// title is the name of a section in findings. It is made from the header on first use:
// headers may be long, and findings many.
type title struct {
	section Section
	text    string
	made    bool
}

func (t *title) String() string {
	if !t.made {
		t.text, t.made = label(t.section.header()), true
	}
	return t.text
}

// find reports a finding about a line; 0 is the whole file.
func (l *lexer) find(line int, severity Severity, code, rule, format string, args ...any) {
	section := &title{}
	if line > 0 && l.shape != noHead {
		section = &l.title
		section.section = l.section()
	}
	l.log.find(line, section, severity, code, rule, format, args...)
}

// section returns the current section as far as it was read.
func (l *lexer) section() Section {
	start := l.marks[len(l.marks)-1].at - l.base
	return Section{data: l.data[start:], numbering: l.numbering}
}

func (l *lexer) numberingFinding() {
	switch l.numbering {
	case NotNumbered:
		l.find(0, Warning, codeUnnumbered, "AICF-LINE-8", "the lines are unnumbered")
	case EntryNumbered:
		l.find(0, Warning, codeUnnumbered, "AICF-LINE-9", "only the first line of each entry is numbered")
	}
}

// headerFindings checks the header of the current section.
func (l *lexer) headerFindings(h head, data []byte, first bool) {
	version := string(h.name(data)) == "AICF_VERSION"
	switch {
	case h.shape == misnamed:
		l.find(l.line, Broken, codeHeader, "AICF-HDR-2", "invalid section header: expected @ and a name of capital letters, digits and underscores")
	case h.shape == trailedHead && version:
		l.find(l.line, Warning, codeHeader, "AICF-VER-1", "the version stands in the section header; expected a field version= below it")
	case h.shape == trailedHead:
		l.find(l.line, Broken, codeHeader, "AICF-VALS-2", "invalid section header: expected the end of the line or a colon behind the name")
	case h.end == len(data)-1:
		l.find(l.line, Warning, codeHeader, "AICF-HDR-3", "the colon of the section header has no identifier behind it")
	}
	if version {
		if !first && !l.versioned {
			l.find(l.line, Warning, codeVersion, "AICF-HDR-6", "expected @AICF_VERSION as the first section")
		}
		l.versioned = true
	}
}

// noHeader reports a line of data that looks like a header.
func (l *lexer) noHeader() {
	if len(l.marks) == 0 {
		l.begin(0, noHead)
	}
	l.find(l.line, Broken, codeHeader, "AICF-VALS-2", "invalid section header: expected @NAME or @NAME:identifier")
}

// size checks a line that is longer than a field should be.
func (l *lexer) size(line []byte, number int) {
	switch {
	case len(line) > l.limits.Line:
		l.err = TooLarge(l.line, "AICF-SIZE-2", "the line", int64(l.limits.Line))
		return
	case len(line) > longLine:
		l.find(l.line, Warning, codeLineSize, "AICF-SIZE-2", "a line of %d bytes; recommended are at most %d", len(line), longLine)
	}
	value := valueSize(line[number:])
	switch {
	case value > l.limits.Field:
		l.err = TooLarge(l.line, "AICF-SIZE-3", "the value", int64(l.limits.Field))
	case value > longField:
		l.find(l.line, Warning, codeFieldSize, "AICF-SIZE-3", "a value of %d bytes; recommended are at most %d", value, longField)
	}
}

// valueSize returns the length of the value in a line; of an entry, its longest.
func valueSize(data []byte) int {
	h := headOf(data)
	if h.shape != inlineHead {
		return len(data) - (bytes.IndexByte(data, '=') + 1)
	}
	longest := 0
	for part := range rawParts(string(data[h.end+1:])) {
		longest = max(longest, len(part))
	}
	return longest
}

// oddEnd finds the end of a line that is long or not plain text. The line is plain up to
// the given byte. It returns the end of the data and the start of the next line.
func (l *lexer) oddEnd(at, plain int) (end, next int) {
	end = len(l.data)
	if feed := bytes.IndexByte(l.data[plain:], '\n'); feed >= 0 {
		end = plain + feed
	} else {
		l.open = true
		l.find(l.line, Warning, codeTruncated, "AICF-LINE-11", "truncated tail: the last line has no line feed")
	}
	next = end + 1
	if end > at && l.data[end-1] == '\r' {
		end--
		if !l.open {
			l.endings.crlf(l.line)
		}
	}
	l.unread = l.unread || plain < end
	return end, next
}

// endings counts the lines that end in CR LF.
type endings struct {
	count int // such lines
	run   int // how many begin the file
	first int // the first one
}

func (e *endings) crlf(line int) {
	e.count++
	if e.run == line-1 {
		e.run = line
	}
	if e.first == 0 {
		e.first = line
	}
}

// mixed returns the first line whose end differs from those before it; 0: none.
func (e *endings) mixed(lines int) int {
	switch {
	case e.count == 0 || e.count == lines:
		return 0
	case e.run > 0:
		return e.run + 1
	}
	return e.first
}
