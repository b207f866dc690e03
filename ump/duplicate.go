package ump

import (
	"encoding/hex"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
)

// MergeText normalizes a text for the comparison of two memories: NFC, one space for
// every run of white space, none at the ends (decision UD-19).
func MergeText(s string) string { return strings.Join(strings.Fields(norm.NFC.String(s)), " ") }

// DuplicateKey returns a digest that is equal for two records that may be merged:
// equal owner, user, project, visibility and kind, equal structured in canonical
// form, equal MergeText. It is hexadecimal BLAKE3.
func DuplicateKey(r memory.Record) string {
	visibility := r.Scope.Visibility
	if visibility == "" {
		visibility = memory.Private
	}
	key := canon.Array(
		canon.String(string(r.Scope.Owner)), canon.String(r.Scope.User), canon.String(r.Scope.Project),
		canon.String(string(visibility)), canon.String(string(r.Kind)),
		structuredKey(r.Body.Structured), canon.String(MergeText(r.Body.Text)))
	sum := sum256(key.AppendCanonical(nil))
	return hex.EncodeToString(sum[:])
}

// DuplicateKeys returns the DuplicateKey of the record, and of the same record with
// each equivalent spelling of its text: the first letter in the other case, and with
// or without the final full stop (decision UD-19). Stores keep DuplicateKey alone, so
// that records of older stores are found as well.
func DuplicateKeys(r memory.Record) []string {
	keys := []string{DuplicateKey(r)}
	text := MergeText(r.Body.Text)
	for _, spelling := range spellings(text) {
		r.Body.Text = spelling
		keys = append(keys, DuplicateKey(r))
	}
	return keys
}

// spellings returns the other spellings of a text. Code has none: a letter or a full
// stop may change what it does.
func spellings(text string) []string {
	if strings.ContainsAny(text, "`{}[]=<>;$\\|") || strings.Contains(text, "()") {
		return nil
	}
	same := []string{text}
	if other := otherStop(text); other != "" {
		same = append(same, other)
	}
	for _, s := range slices.Clone(same) {
		if other := otherCase(s); other != "" {
			same = append(same, other)
		}
	}
	return same[1:]
}

// otherStop removes the final full stop of a sentence, or adds one. It returns "" for
// a text that ends with other punctuation.
func otherStop(text string) string {
	bare, stopped := strings.CutSuffix(text, ".")
	last, _ := utf8.DecodeLastRuneInString(bare)
	switch {
	case !unicode.IsLetter(last) && !unicode.IsDigit(last) && last != ')':
		return ""
	case stopped:
		return bare
	}
	return text + "."
}

// otherCase returns a text with its first letter in the other case. It returns ""
// unless the rest of the first word is lower case: "US" is not "us".
func otherCase(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	word, _, _ := strings.Cut(text[size:], " ")
	word = strings.TrimRight(word, ",.:'’")
	if word == "" && !strings.ContainsRune("aAiI", first) || strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsLower(r) && r != '\'' && r != '’' }) {
		return ""
	}
	switch {
	case unicode.IsUpper(first) && unicode.ToUpper(unicode.ToLower(first)) == first:
		return string(unicode.ToLower(first)) + text[size:]
	case unicode.IsLower(first) && unicode.ToLower(unicode.ToUpper(first)) == first:
		return string(unicode.ToUpper(first)) + text[size:]
	}
	return ""
}

// structuredKey returns the structured payload, or its bytes as a string if they are
// not JSON.
func structuredKey(raw []byte) canon.Value {
	if len(raw) == 0 {
		return canon.Null()
	}
	v, err := canon.Parse(raw, canon.Options{Bytes: int64(len(raw)), Depth: maxDepth, Inexact: true})
	if err != nil {
		return canon.String(string(raw))
	}
	return v
}
