package aicf

import (
	"bufio"
	"cmp"
	"io"
	"strconv"
	"strings"
)

// page writes data as lines of a file in its layout. The line end is written when the
// next line comes, so that a file may stay open. The buffer keeps its first error.
type page struct {
	out    *bufio.Writer
	layout Layout
	odd    []OddLine // lines to come that look otherwise
	lines  int       // that were written
	number int64     // of the last line that has one
	ending string    // of the last line, not yet written
	buf    []byte
	err    error
}

func newPage(out io.Writer, l Layout) *page {
	p := &page{out: bufio.NewWriterSize(out, 64<<10), layout: l}
	if l.BOM {
		_, _ = p.out.Write(byteOrderMark)
	}
	return p
}

// block writes several lines.
func (p *page) block(lines []string) {
	for _, data := range lines {
		p.line(data)
	}
}

// line writes one line with the number that it has in this layout.
func (p *page) line(data string) {
	_, _ = p.out.WriteString(p.ending)
	p.lines++
	before := p.number
	p.buf, p.ending = p.next(strings.HasPrefix(data, "@")), p.eol()
	if len(p.odd) > 0 && p.odd[0].Line <= p.lines && p.lines < p.odd[0].next() {
		p.buf, p.ending = append(p.buf[:0], p.odd[0].Number...), p.odd[0].End
		p.follow(p.buf, before)
		if p.odd[0].next() == p.lines+1 {
			p.odd = p.odd[1:]
		}
	}
	if len(p.buf) == 0 && p.layout.Numbering.takes(data) {
		p.err = cmp.Or(p.err, refusal("line", strconv.Itoa(p.lines), "AICF-SAFE-4", "without a number before it, its beginning would be read as one"))
	}
	_, _ = p.out.Write(p.buf)
	_, _ = p.out.WriteString(data)
}

// takes reports whether a reader would take the beginning of a line without a number for
// one.
func (m Numbering) takes(data string) bool {
	return m != Numbered && data != "" && m.mayBegin(data[0]) && m.numberWidth([]byte(data)) > 0
}

// next returns the number of the next line, the pipe included; empty: it has none.
func (p *page) next(entry bool) []byte {
	if p.layout.Numbering == NotNumbered || p.layout.Numbering == EntryNumbered && !entry {
		return p.buf[:0]
	}
	p.number++
	return append(strconv.AppendInt(p.buf[:0], p.number, 10), '|')
}

// follow counts on from a number as it is spelled, or from the one before.
func (p *page) follow(number []byte, before int64) {
	p.number = before
	if n, width := leadingNumber(number); width > 0 && n >= 0 {
		p.number = int64(n)
	}
}

func (p *page) eol() string {
	if p.layout.CRLF {
		return "\r\n"
	}
	return "\n"
}

// end completes the file.
func (p *page) end() error {
	if !p.layout.OpenEnd || p.ending != p.eol() {
		_, _ = p.out.WriteString(p.ending)
	}
	return cmp.Or(p.err, p.out.Flush())
}
