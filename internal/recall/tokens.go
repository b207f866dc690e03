package recall

import "unicode/utf8"

// Tokens estimates how many tokens a language model makes of a text, a little
// high rather than low: one for every four bytes of Latin letters, digits and
// signs, one for every two other letters with an alphabet, and one for every
// character of three bytes or more, such as Chinese ones; and four for the line
// it stands on.
func Tokens(text string) int {
	quarters := 0
	for _, r := range text {
		switch n := utf8.RuneLen(r); {
		case n == 1:
			quarters++
		case n == 2:
			quarters += 2
		default:
			quarters += 4
		}
	}
	return (quarters+3)/4 + 4
}
