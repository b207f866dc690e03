package aicf

import (
	"bytes"
	"encoding/binary"
	"strconv"
)

// headSize is the most bytes that decide a file's numbering.
const headSize = 64 << 10

// numberingOf finds the numbering from the beginning of a file. The first line that
// is not blank shows whether there are numbers. The first that is not a header shows
// whether every line has one.
func numberingOf(head []byte) Numbering {
	head = head[:min(len(head), headSize)]
	first := true
	for len(head) > 0 {
		line, rest, _ := bytes.Cut(head, []byte("\n"))
		head = rest
		line = bytes.TrimSuffix(line, []byte("\r"))
		if len(line) == 0 {
			continue
		}
		_, width := leadingNumber(line)
		switch {
		case first && width == 0:
			return NotNumbered
		case width == 0 && line[0] != '@':
			return EntryNumbered
		case width > 0 && !bytes.HasPrefix(line[width:], []byte("@")):
			return Numbered
		}
		first = false
	}
	return Numbered
}

// leadingNumber returns the number at the start of a line and its width with the pipe;
// width 0: none. An invalid number (01, -1, NaN) is -1.
func leadingNumber(line []byte) (n, width int) {
	digits := line
	if len(line) > 0 && (line[0] == '-' || line[0] == '+') {
		digits = line[1:]
	}
	end := 0
	for end < len(digits) && '0' <= digits[end] && digits[end] <= '9' {
		end++
	}
	signed := len(line) - len(digits)
	if end == 0 || end == len(digits) || digits[end] != '|' {
		return notANumber(line)
	}
	n, err := strconv.Atoi(string(digits[:end]))
	if err != nil || signed > 0 || digits[0] == '0' {
		n = -1
	}
	return n, signed + end + 1
}

// notANumber is what version 3.1.1 writes when it appends to a file without numbers.
func notANumber(line []byte) (n, width int) {
	if bytes.HasPrefix(line, []byte("NaN|")) {
		return -1, len("NaN|")
	}
	return 0, 0
}

// numberWidth returns the width of the number at the start of a line.
func (m Numbering) numberWidth(line []byte) int {
	if len(line) == 0 || line[0] == '@' {
		return 0
	}
	n, width := leadingNumber(line)
	switch {
	case width == 0 || m == Numbered || n < 0 && line[0] == 'N':
		return width
	case m == EntryNumbered && (width == len(line) || line[width] == '@'):
		return width
	}
	return 0
}

// mayBegin reports whether a line that begins with the byte may begin with a number.
func (m Numbering) mayBegin(b byte) bool {
	return m == Numbered || b == 'N' || m == EntryNumbered && b <= '9'
}

// counter is the next line's number. Up to seven digits it is spelled in a word with its
// pipe, so that one comparison finds it in a line.
type counter struct {
	n          int
	text, mask uint64
	unit       uint64 // adds one to the last digit
	tens       int    // how often that is possible
	width      int
}

// set sets the next number.
func (c *counter) set(n int) {
	var spelled [24]byte
	width := len(append(strconv.AppendInt(spelled[:0], int64(n), 10), '|'))
	*c = uncounted()
	c.n, c.width = n, width
	if width <= 8 {
		c.mask = ^uint64(0) >> (64 - 8*width)
		c.text = binary.LittleEndian.Uint64(spelled[:8]) & c.mask
		c.unit = 1 << (8 * (width - 2))
		c.tens = 9 - n%10
	}
}

// uncounted is a counter that no line matches: no word masked with 0 is 1.
func uncounted() counter { return counter{text: 1} }

// begins reports whether a line begins with the number, as far as a word shows.
func (c *counter) begins(line []byte) bool {
	return len(line) >= 8 && binary.LittleEndian.Uint64(line)&c.mask == c.text
}

// step increments the number.
func (c *counter) step() {
	c.n++
	c.text += c.unit
	if c.tens--; c.tens < 0 {
		c.carry()
	}
}

// carry increments a number that ends in 9.
func (c *counter) carry() {
	if c.n%100 == 0 || c.n == 10 {
		c.set(c.n)
		return
	}
	c.text += c.unit>>8 - 10*c.unit
	c.tens = 9
}
