package aicf

import (
	"bytes"
	"encoding/binary"
	"strconv"
)

// headSize is how much of a file's beginning its numbering is told from, at most.
const headSize = 64 << 10

// numberingOf tells the numbering of a file from its beginning: the first line
// that is not blank says whether there are numbers, and the first one that is no header
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

// leadingNumber returns the number with which a line begins and its width, the pipe
// included; width 0: there is none. A number that is not one (01, -1, NaN) is -1.
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

// notANumber knows what a writer of version 3.1.1 leaves that appends to a file without
// numbers.
func notANumber(line []byte) (n, width int) {
	if bytes.HasPrefix(line, []byte("NaN|")) {
		return -1, len("NaN|")
	}
	return 0, 0
}

// numberWidth returns how many bytes at the start of a line are its number.
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

// mayBegin reports whether a line that begins with the byte may have to be looked at for
// its number.
func (m Numbering) mayBegin(b byte) bool {
	return m == Numbered || b == 'N' || m == EntryNumbered && b <= '9'
}

// counter is the number that the next line should have. Up to seven digits it is spelled
// in a word, its pipe behind it, so that one comparison tells whether a line has it.
type counter struct {
	n          int
	text, mask uint64
	unit       uint64 // what adds one to the last digit
	tens       int    // how often that can be done
	width      int
}

// set makes n the number that comes next.
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

// uncounted is a counter that no line has the number of: no word masked with 0 is 1.
func uncounted() counter { return counter{text: 1} }

// begins reports whether a line begins with the number, as far as a word can tell.
func (c *counter) begins(line []byte) bool {
	return len(line) >= 8 && binary.LittleEndian.Uint64(line)&c.mask == c.text
}

// step counts on.
func (c *counter) step() {
	c.n++
	c.text += c.unit
	if c.tens--; c.tens < 0 {
		c.carry()
	}
}

// carry follows a step from a number that ends in 9.
func (c *counter) carry() {
	if c.n%100 == 0 || c.n == 10 {
		c.set(c.n)
		return
	}
	c.text += c.unit>>8 - 10*c.unit
	c.tens = 9
}
