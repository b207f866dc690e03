package cli

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/satchel-memory/satchel/codec"
)

// TestScreen: what a stranger's document says does not steer the terminal, and its JSON
// stays what it is.
func TestScreen(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"plain", "Käse\t日本 😀\n", "Käse\t日本 😀\n"},
		{"an escape", "\x1b[2Jgone", `\u001b[2Jgone`},
		{"a control character of one byte in other sets", "a\u009b31mb", `a\u009b31mb`},
		{"no character", "a\x9b31m", "a\ufffd31m"},
		{"turned around", "x\u202etxt.\u2066\u061c", `x\u202etxt.\u2066\u061c`},
		{"lines of Windows", "a\r\nb\r\n", "a\r\nb\r\n"},
		{"written over", "delete\rkeep   \n", `delete\u000dkeep   ` + "\n"},
		{"other ends of lines", "a\u2028b\u2029c\u0085", `a\u2028b\u2029c\u0085`},
		{"characters that nobody sees", "a\u200bb\u00adc\ufeff\u2060", `a\u200bb\u00adc\ufeff\u2060`},
		{"tags", "a\U000e0041\U000e007f", `a\udb40\udc41\udb40\udc7f`},
		{"joiners between letters and in emoji", "می\u200cخواهم 👩\u200d🚀 ❤\ufe0f\u200d🔥", "می\u200cخواهم 👩\u200d🚀 ❤\ufe0f\u200d🔥"},
		{"joiners as a code", "a\u200c\u200d\u200dé\u200d\u200c", `a\u200c\u200d\u200d` + "é\u200d" + `\u200c`},
		{"bells and deletions", "\a\b\x7f\x00", `\u0007\u0008\u007f\u0000`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for size := 1; size <= len(tt.text); size++ { // in pieces of any size
				var out bytes.Buffer
				s := &screen{under: &out}
				for rest := []byte(tt.text); len(rest) > 0; rest = rest[min(size, len(rest)):] {
					piece := rest[:min(size, len(rest))]
					if n, err := s.Write(piece); n != len(piece) || err != nil {
						t.Fatalf("%d, %v", n, err)
					}
				}
				if out.String() != tt.want {
					t.Errorf("in pieces of %d: %q", size, out.String())
				}
			}
		})
	}
	t.Run("the same characters in messages", func(t *testing.T) {
		for r := rune(0); r <= unicode.MaxRune; r++ {
			one := "é" + string(r) + "é"
			if text := Clean(one); utf8.ValidRune(r) && (text == one) == (codec.IsInvisible(r) && !strings.ContainsRune("\n\t\u200c\u200d\ufe0e\ufe0f", r)) {
				t.Fatalf("%U: %s", r, text)
			}
		}
		if got := Clean("a\U000e0041\u200bb"); got != "a<U+E0041><U+200B>b" {
			t.Error(got)
		}
	})
	t.Run("JSON says the same", func(t *testing.T) {
		said := map[string]string{"name\u009b": "\u202e\u0085\u2028<b>"}
		text, err := json.Marshal(said)
		var out bytes.Buffer
		if _, err := (&screen{under: &out}).Write(text); err != nil {
			t.Fatal(err)
		}
		var back map[string]string
		if err != nil || json.Unmarshal(out.Bytes(), &back) != nil || back["name\u009b"] != said["name\u009b"] {
			t.Errorf("%q", out.Bytes())
		}
	})
}
