package aicf

import (
	"bufio"
	"bytes"
	"cmp"
	"io"
	"strconv"
	"strings"
)

// lineWriter writes data as lines of a file in its layout. It writes a line end only with
// the next line, so that a file may stay open. The buffer keeps its first error.
type lineWriter struct {
	out    *bufio.Writer
	layout Layout
	odd    []OddLine // the remaining odd lines
	lines  int       // written lines
	number int64     // of the last numbered line
	ending string    // of the last line, not yet written
	buf    []byte
	err    error
}

func newLineWriter(out io.Writer, l Layout) *lineWriter {
	p := &lineWriter{out: bufio.NewWriterSize(out, 64<<10), layout: l}
	if l.BOM {
		_, _ = p.out.Write(byteOrderMark)
	}
	return p
}

// block writes several lines.
func (p *lineWriter) block(lines []string) {
	for _, data := range lines {
		p.line(data)
	}
}

// line writes one line with its number in this layout.
func (p *lineWriter) line(data string) {
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

// takes reports whether a reader would read the beginning of an unnumbered line as a
// number.
func (m Numbering) takes(data string) bool {
	return m != Numbered && data != "" && m.mayBegin(data[0]) && m.numberWidth([]byte(data)) > 0
}

// next returns the number of the next line with its pipe; empty: none.
func (p *lineWriter) next(entry bool) []byte {
	if p.layout.Numbering == NotNumbered || p.layout.Numbering == EntryNumbered && !entry {
		return p.buf[:0]
	}
	p.number++
	return append(strconv.AppendInt(p.buf[:0], p.number, 10), '|')
}

// follow continues from a number as spelled, or from the one before.
func (p *lineWriter) follow(number []byte, before int64) {
	p.number = before
	if n, width := leadingNumber(number); width > 0 && n >= 0 {
		p.number = int64(n)
	}
}

func (p *lineWriter) eol() string {
	if p.layout.CRLF {
		return "\r\n"
	}
	return "\n"
}

// end completes the file.
func (p *lineWriter) end() error {
	if !p.layout.OpenEnd || p.ending != p.eol() {
		_, _ = p.out.WriteString(p.ending)
	}
	return cmp.Or(p.err, p.out.Flush())
}

// File writes a file in this layout: its lines, numbered if the layout says so. odd are the
// lines that differ.
func (l Layout) File(lines []string, odd []OddLine) []byte {
	var out bytes.Buffer
	p := newLineWriter(&out, l)
	p.odd = odd
	p.block(lines)
	_ = p.end() // memory accepts everything
	return out.Bytes()
}
