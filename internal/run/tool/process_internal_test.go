package tool

import (
	"bytes"
	"io"
	"testing"
)

// TestFed ends a program in between: the command has begun, and nothing more is written to it.
// What writes is not to be carried out on an input that looks empty.
func TestFed(t *testing.T) {
	for name, length := range map[string]int{"nothing": 0, "a short input": 10, "what fits": mostWaiting, "more": mostWaiting + 1, "much more": 100 << 10} {
		t.Run("AAIF-4.4-4 killed with "+name, func(t *testing.T) {
			input := bytes.Repeat([]byte("x"), length)
			stdin, rest, err := fed(input)
			if err != nil {
				t.Fatal(err)
			}
			defer closeAll(stdin)
			rest.close()
			if got, err := io.ReadAll(stdin); err != nil || len(got) != min(length, mostWaiting) {
				t.Errorf("the command reads %d bytes of %d, %v", len(got), length, err)
			}
		})
	}
	t.Run("AAIF-4.4-4 all of a long input", func(t *testing.T) {
		stdin, rest, err := fed(bytes.Repeat([]byte("x"), 100<<10))
		if err != nil {
			t.Fatal(err)
		}
		defer closeAll(stdin)
		go rest.write()
		if got, err := io.ReadAll(stdin); err != nil || len(got) != 100<<10 {
			t.Errorf("the command reads %d bytes, %v", len(got), err)
		}
	})
}
