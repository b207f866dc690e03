package policy

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/text/pattern"
)

// terminalEscape matches the sequences that terminals obey: CSI, OSC and the like, and the
// two-character ones.
var terminalEscape = pattern.New(`(?s)(?:\x1b\[|\x{9b})[0-?]*[ -/]*[@-~]|(?:\x1b[\]P_^X]|[\x{90}\x{98}\x{9d}-\x{9f}]).{0,1000}?(?:\x07|\x1b\\|\x{9c})|\x1b[ -/]*[0-~]`)

// Cleaned returns a text without what a person does not see and a model does: control
// characters, terminal escapes, tags and other invisible characters, signs that turn the
// direction of a text. Line ends become "\n", tabs stay, and bytes that are not UTF-8
// become U+FFFD. A joiner between two letters of a script that needs it stays, and so does
// the sign that makes a symbol an emoji.
func Cleaned(text string) string {
	if isPlain(text) {
		return text
	}
	text = strings.ToValidUTF8(text, "\ufffd")
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u2028", "\n", "\u2029", "\n", "\u0085", "\n", "\v", "\n", "\f", "\n").Replace(text)
	text = terminalEscape.ReplaceAllString(text, "")
	var b strings.Builder
	before := rune(0)
	for at, r := range text {
		next, _ := utf8.DecodeRuneInString(text[at+utf8.RuneLen(r):])
		if r == '\n' || r == '\t' || !codec.IsInvisible(r) || joins(before, r, next) {
			b.WriteRune(r)
			before = r
		}
	}
	return b.String()
}

// isPlain reports whether a text has visible ASCII, blanks, tabs and line ends alone.
func isPlain(text string) bool {
	for i := range len(text) {
		if c := text[i]; (c < ' ' || c > '~') && c != '\n' && c != '\t' {
			return false
		}
	}
	return true
}

// joins reports whether an invisible character belongs between its neighbours: a joiner
// between letters or symbols beyond ASCII, or the sign for emoji behind a symbol. Two in a
// row never do, so that nothing can be written with them.
func joins(before, r, next rune) bool {
	const nonJoiner, joiner, emoji = '\u200c', '\u200d', '\ufe0f'
	switch r {
	case nonJoiner, joiner:
		return isJoinable(before) && isJoinable(next)
	case emoji:
		return unicode.IsSymbol(before) || before == '#' || before == '*' || '0' <= before && before <= '9'
	}
	return false
}

func isJoinable(r rune) bool {
	return r == '\ufe0f' || r >= 0x600 && (unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsSymbol(r))
}

// folded returns a text in which disguises are undone: cleaned, in lower case, and with
// ASCII for the wide and small forms of its signs. It is for searching.
func folded(text string) string {
	return strings.Map(func(r rune) rune { return unicode.ToLower(narrow(r)) }, Cleaned(text))
}

// narrow returns the ASCII character that a wide or small form stands for.
func narrow(r rune) rune {
	switch {
	case r < utf8.RuneSelf:
		return r
	case '\uff01' <= r && r <= '\uff5e':
		return r - '\uff01' + '!'
	case r == '\u3000':
		return ' '
	}
	if i := strings.IndexRune(smallForms, r); i >= 0 {
		return rune(plainForms[utf8.RuneCountInString(smallForms[:i])])
	}
	return r
}

// smallForms are small and similar forms of the ASCII characters in plainForms.
const (
	smallForms = "﹤﹥﹠﹨﹣﹦﹢﹡﹟﹪﹫﹐﹒﹔﹕﹖﹗﹙﹚﹛﹜‹›〈〉⟨⟩❮❯"
	plainForms = "<>&\\-=+*#%@,.;:?!(){}<><><><>"
)
