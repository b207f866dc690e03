package size

import "unicode/utf8"

// Cut returns the longest beginning of a text that has at most most bytes and no broken
// character.
func Cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}
