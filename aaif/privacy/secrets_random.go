package privacy

import (
	"strings"

	"github.com/satchel-memory/satchel/text/pattern"
)

// Kinds of characters, which tell words apart.
const (
	isMark = iota
	isSmall
	isCapital
	isNumeral
)

func letterKind(c byte) int {
	switch {
	case isDigit(c):
		return isNumeral
	case 'a' <= c && c <= 'z':
		return isSmall
	case 'A' <= c && c <= 'Z':
		return isCapital
	}
	return isMark
}

// jumbled reports whether a part of a text, at least that long and between marks, mixes
// digits and letters as no name does: its runs of one kind are shorter than words.
// AzureKeyForEastUs2 consists of words, Kx82jfPq91LmZt0Qw7Rb does not.
func jumbled(text string, least int) bool {
	digits, words, size, last := 0, 0, 0, isMark
	for i := range len(text) + 1 {
		kind := isMark
		if i < len(text) {
			kind = letterKind(text[i])
		}
		if kind == isMark {
			if size >= least && size > digits && digits >= 3 && words*3 > size {
				return true
			}
			digits, words, size, last = 0, 0, 0, isMark
			continue
		}
		if kind != last && !(kind == isSmall && last == isCapital) {
			words++
		}
		if kind == isNumeral {
			digits++
		}
		size++
		last = kind
	}
	return false
}

// hexKey matches a key in hexadecimal digits.
var hexKey = pattern.New(`^(?:[0-9a-f]{32,}|[0-9A-F]{32,})$`)

// isMadeUp reports whether a word looks generated, and is no placeholder.
func isMadeUp(word string) bool {
	return len(word) >= shortest && !placeholder.MatchString(word) && (mixed(word) || jumbled(word, 16) || hexKey.MatchString(word) || isBothCases(word) && random(word, true))
}

// isBothCases reports whether a word has small and capital letters.
func isBothCases(word string) bool {
	return strings.ContainsFunc(word, isLower) && strings.ContainsFunc(word, isUpper)
}

// placeholder matches a text that stands for a value, such as {token} or $TOKEN.
var placeholder = pattern.New(`^(?:\{[\w .\-]+\}|\{\{[\w .\-]+\}\}|\$\{[^{}$]+\}|\$[A-Z_][A-Z0-9_]*|<[^<>]+>|%[A-Z_][A-Z0-9_]*%|\*+)$`)

// knownID matches ids and data of a known form: ids of payments and conversations, files
// in networks, addresses of blockchain accounts, and media in base64.
var knownID = pattern.New(`^(?:` +
	`(?:price|prod|cus|sub|si|pi|pm|ch|py|in|ii|evt|acct|txn|tr|po|re|il|seti|plink|promo|cs_test|cs_live|call|run|step|thread|asst|msg|resp|rs|fc|vs|batch|toolu|gen|req)_[A-Za-z0-9]{8,}|` +
	`(?:chatcmpl|cmpl|org|file|asst|gen)-[A-Za-z0-9]{8,}|` +
	`Qm[1-9A-HJ-NP-Za-km-z]{44}|baf[a-z2-7]{50,}|0x[0-9A-Fa-f]{40}|` +
	`(?:iVBORw0KGgo|R0lGOD|/9j/|UklGR|Qk[01]|JVBERi0|PHN2Zy|PD94bWwg|AAABAA|SUQz|T2dnUw|AGFzbQ|d09GM)[A-Za-z0-9+/]*={0,2}|` +
	`[a-z][a-z0-9]*(?:\.[a-z][a-z0-9_]*)+\.[A-Za-z_][A-Za-z0-9_]*)$`)

// isKnownID reports whether a text has the form of an id or of a name.
func isKnownID(text string) bool {
	return knownID.MatchString(text) && !strings.HasSuffix(text, ".") && !dottedKey(text)
}

// dottedKey reports whether the last part of a dotted name looks generated.
func dottedKey(text string) bool {
	i := strings.LastIndexByte(text, '.')
	return i >= 0 && jumbled(text[i+1:], 12)
}
