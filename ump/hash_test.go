package ump

import (
	"testing"

	"lukechampine.com/blake3"
)

// Every length hashes as the library says, with records of one chunk and of many.
func TestSum256(t *testing.T) {
	b := make([]byte, 18<<10)
	for i := range b {
		b[i] = byte(i * i >> 3)
	}
	for n := 0; n <= len(b); n += 1 + n/97 {
		if sum256(b[:n]) != blake3.Sum256(b[:n]) {
			t.Fatalf("%d bytes", n)
		}
	}
	for _, n := range []int{1024, 1025, 2048, 16 << 10, 16<<10 + 1} {
		if sum256(b[:n]) != blake3.Sum256(b[:n]) {
			t.Fatalf("%d bytes", n)
		}
	}
}
