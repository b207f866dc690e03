package aicf_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-memory/satchel/aicf"
)

func TestEscape(t *testing.T) {
	for _, c := range []struct{ name, text, raw string }{
		{"AICF-STR-1 a pipe", "a|b", `a\|b`},
		{"AICF-STR-2 a newline", "a\nb", `a\nb`},
		{"AICF-STR-3 a backslash", `C:\new`, `C:\\new`},
		{"AICF-STR-4 what looks like an escape", `\n\|\\|`, `\\n\\\|\\\\\|`},
		{"AICF-STR-10 a carriage return", "a\r\n", `a\r\n`},
		{"AICF-STR-6 nothing", "", ""},
		{"AICF-STR-8 signs that need none", "x=y=@STATE:\té", "x=y=@STATE:\té"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := aicf.Escape(c.text); got != c.raw {
				t.Errorf("escaped is %q, want %q", got, c.raw)
			}
			if got, _ := aicf.Unescape(c.raw); got != c.text {
				t.Errorf("back is %q, want %q", got, c.text)
			}
		})
	}
}

func TestUnescape(t *testing.T) {
	for _, c := range []struct {
		name, raw, text string
		problems        []aicf.Problem
	}{
		{"AICF-VALC-2 an unknown escape stays", `a\x`, `a\x`, []aicf.Problem{{At: 1, Code: "escape"}}},
		{"AICF-VALC-2 a lone backslash stays", `a\`, `a\`, []aicf.Problem{{At: 1, Code: "escape"}}},
		{"AICF-VALC-2 what follows an unknown escape is read", `\x\n`, "\\x\n", []aicf.Problem{{At: 0, Code: "escape"}}},
		{"AICF-STR-10 escapes of another writer", `see \@STATE:\r`, "see @STATE:\r", []aicf.Problem{{At: 4, Code: "escape-extra"}}},
		{"AICF-SAFE-2 control characters are left out", "a\x00b\x1f\tc", "ab\tc", []aicf.Problem{{At: 1, Code: "control"}}},
		{"AICF-VALC-1 bytes that are not UTF-8 stay", "a\xff\\n", "a\xff\n", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			text, problems := aicf.Unescape(c.raw)
			if text != c.text {
				t.Errorf("got %q, want %q", text, c.text)
			}
			if diff := cmp.Diff(c.problems, problems); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestLists(t *testing.T) {
	for _, c := range []struct {
		name, raw string
		items     []string
	}{
		{"AICF-STR-5 items are escaped, what separates them is not", `a\|b|c`, []string{"a|b", "c"}},
		{"AICF-STR-5 a backslash before a separator", `a\\|b`, []string{`a\`, "b"}},
		{"AICF-STR-5 empty items", "|a||", []string{"", "a", "", ""}},
		{"AICF-STR-5 one item", "a", []string{"a"}},
		{"AICF-STR-5 none", "", nil},
		{"AICF-STR-5 newlines", `a\nb|\r`, []string{"a\nb", "\r"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := aicf.SplitList(c.raw); !slices.Equal(got, c.items) {
				t.Errorf("got %q, want %q", got, c.items)
			}
			if got := aicf.JoinList(c.items); got != c.raw {
				t.Errorf("joined is %q, want %q", got, c.raw)
			}
		})
	}
}

// FuzzEscape: what is escaped fits in a line and between pipes, and comes back (AICF-STR-4).
func FuzzEscape(f *testing.F) {
	for _, seed := range []string{"", `\n`, `\|`, `\\\\|`, "a|b\nc", "\r\n", `\@STATE:`, "é\xff", `C:\new`} {
		f.Add(seed, seed)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		for _, text := range []string{a, b} {
			if _, problems := aicf.Unescape(text); len(problems) == 0 && strings.Contains(text, "\x00") {
				t.Errorf("nothing is told of the NUL in %q", text)
			}
		}
		a, b = printable(a), printable(b)
		raw := aicf.Escape(a)
		if back, problems := aicf.Unescape(raw); back != a || strings.ContainsAny(raw, "\n\r") || strings.Contains(a, "\r") == (len(problems) == 0) {
			t.Errorf("%q is escaped as %q, which is %q, %v", a, raw, back, problems)
		}
		if items := aicf.SplitList(aicf.JoinList([]string{a, b})); !slices.Equal(items, []string{a, b}) {
			t.Errorf("%q and %q come back as %q", a, b, items)
		}
	})
}

// printable leaves out control characters that no value may have.
func printable(s string) string {
	var b []byte
	for i := range len(s) {
		if c := s[i]; c >= ' ' || strings.ContainsRune("\t\n\r", rune(c)) {
			b = append(b, c)
		}
	}
	return string(b)
}
