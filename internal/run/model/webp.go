package model

import (
	"encoding/binary"
	"image"
)

// webpSize returns the size of a picture in WebP (RFC 9649, sections 2.5 to 2.7), from the head of
// its first chunk; zero: it is none.
func webpSize(data []byte) (size image.Config) {
	const head = 30
	if len(data) < head || string(data[:4]) != "RIFF" || string(data[8:12]) != "WEBP" {
		return size
	}
	word := func(at int) int { return int(binary.LittleEndian.Uint32(data[at:])) }
	const side = 1<<14 - 1 // the bits of one
	switch string(data[12:16]) {
	case "VP8 ":
		if word(22)>>8 == 0x2a019d {
			size.Width, size.Height = word(26)&side, word(26)>>16&side
		}
	case "VP8L":
		if data[20] == 0x2f {
			size.Width, size.Height = word(21)&side+1, word(21)>>14&side+1
		}
	case "VP8X":
		size.Width, size.Height = word(24)&(1<<24-1)+1, word(26)>>8+1
	}
	return size
}
