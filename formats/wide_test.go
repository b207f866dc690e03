package formats

import (
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/satchel-memory/satchel/codec"
)

// wide writes a text in UTF-16 without a mark, the high or the low byte of each unit first.
func wide(text string, high bool) string {
	var out []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		if high {
			out = append(out, byte(unit>>8), byte(unit))
		} else {
			out = append(out, byte(unit), byte(unit>>8))
		}
	}
	return string(out)
}

// A file in UTF-16 is called so without a mark at its beginning, too.
func TestWide(t *testing.T) {
	const hint = "it is in UTF-16; save it as UTF-8"
	for text, want := range map[string]bool{
		wide("[\n {\"uuid\": \"é\"}]", false): true,
		wide("[\n {\"uuid\": \"é\"}]", true):  true,
		wide("# Notizen: Ärger", false):       true,
		"\x00\x01\x00\x02":                    false,
		"a\x00\x00\x00b\x00\x00\x00":          false,
		"a\x00":                               false,
	} {
		_, err := Detect(codec.Source{Name: "x", File: strings.NewReader(text), Size: int64(len(text))})
		if err == nil || strings.Contains(err.Error(), hint) != want {
			t.Errorf("%q: %v, want the hint: %v", text, err, want)
		}
	}
}
