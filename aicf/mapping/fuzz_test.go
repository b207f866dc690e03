package mapping_test

import (
	"testing"
	"unicode/utf8"

	"github.com/satchel-memory/satchel/memory"
)

// FuzzRecords: what can be read comes back, as a file and as records.
func FuzzRecords(f *testing.F) {
	for _, text := range fixtures(f) {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		first, losses, err := tryRecords(text, mapOptions())
		if err != nil {
			if memory.KindOf(err) == memory.Internal {
				t.Fatalf("refused without a kind: %v", err)
			}
			return
		}
		if !utf8.ValidString(text) {
			t.Fatal("what is not UTF-8 is taken")
		}
		once, _ := fileOf(t, first...)
		second, _ := recordsIn(t, once)
		if len(losses) == 0 && once == text {
			return
		}
		if twice, _ := fileOf(t, second...); twice != once {
			t.Fatalf("a second round changed\n%q\ninto\n%q", once, twice)
		}
	})
}
