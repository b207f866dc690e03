package aicf

import (
	"encoding/binary"
	"math/bits"
)

const (
	eachSpace = 0x2020202020202020
	eachHigh  = 0x8080808080808080
	gather    = 0x0002040810204081 // multiplication by it moves the high bits of eight bytes to the highest byte
)

// shortLine is how far one pass looks for the end and the characters of a line. A separate
// search finds the end of longer lines faster.
const shortLine = 128

// textEnd returns the end of plain text: the first byte from at on that is a control
// character or not ASCII, or the end of the data. It reads many bytes at a time, and stops
// after so many.
func textEnd(data []byte, at, most int) (end int, found bool) {
	for stop := at + most; at+32 <= len(data); at += 32 {
		if at >= stop {
			return at, false
		}
		block := (*[32]byte)(data[at:])
		a := odd8(binary.LittleEndian.Uint64(block[0:8]))
		b := odd8(binary.LittleEndian.Uint64(block[8:16]))
		c := odd8(binary.LittleEndian.Uint64(block[16:24]))
		d := odd8(binary.LittleEndian.Uint64(block[24:32]))
		if (a|b|c|d)&eachHigh != 0 {
			// The branch would be unpredictable: arithmetic is faster.
			return at + bits.TrailingZeros64(gathered(a)|gathered(b)<<8|gathered(c)<<16|gathered(d)<<24), true
		}
	}
	for at < len(data) && data[at] >= ' ' && data[at] < 0x80 {
		at++
	}
	return at, true
}

// odd8 marks those of eight bytes that are not plain text by their high bits. A byte below
// a space borrows in the subtraction. That may mark later bytes wrongly but never earlier
// ones, so the first marked byte is odd.
func odd8(word uint64) uint64 { return word | (word - eachSpace) }

// gathered returns the high bits of eight bytes as one byte.
func gathered(word uint64) uint64 { return (word & eachHigh) * gather >> 56 }

// controlIn returns the offset of the first control character other than a tab; -1: none.
// Other bytes may be any.
func controlIn(text []byte) int {
	for at := 0; at < len(text); {
		if at+8 <= len(text) {
			if word := binary.LittleEndian.Uint64(text[at:]); (word-eachSpace)&^word&eachHigh == 0 {
				at += 8
				continue
			}
		}
		for end := min(at+8, len(text)); at < end; at++ {
			if text[at] < ' ' && text[at] != '\t' {
				return at
			}
		}
	}
	return -1
}
