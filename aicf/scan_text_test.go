package aicf

import (
	"bytes"
	"testing"
)

// TestTextEnd puts every byte in every place of a block, behind plain text and behind
// what makes the arithmetic borrow.
func TestTextEnd(t *testing.T) {
	plain := []byte("the quick brown fox jumps over the lazy dog, and on it goes over more than two blocks.")
	for at := range plain {
		for b := range 256 {
			for _, follows := range []byte{'x', 0, 0x1f, 0x20, 0x7f, 0x80, 0xff} {
				data := append([]byte(nil), plain...)
				data[at] = byte(b)
				if at+1 < len(data) {
					data[at+1] = follows
				}
				if got, want := plainEnd(data), slowTextEnd(data); got != want {
					t.Fatalf("AICF-SAFE-2: byte %#x at %d before %#x: got %d, want %d", b, at, follows, got, want)
				}
				if got, want := controlIn(data), bytes.IndexFunc(data, isControl); got != want {
					t.Fatalf("AICF-SAFE-2: byte %#x at %d before %#x: control at %d, want %d", b, at, follows, got, want)
				}
			}
		}
	}
}

func plainEnd(data []byte) int {
	end, _ := textEnd(data, 0, len(data))
	return end
}

func slowTextEnd(data []byte) int {
	for i, b := range data {
		if b < 0x20 || b > 0x7f {
			return i
		}
	}
	return len(data)
}

func isControl(r rune) bool { return r < ' ' && r != '\t' }
