package markdown

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/satchel-memory/satchel/canon"
)

// Tags returns the #tags in a text whose code is masked, each once, without the mark. A tag
// begins a word and is not only a number.
func Tags(masked string) []string {
	var out []string
	for at := 0; ; {
		next := strings.IndexByte(masked[at:], '#')
		if next < 0 {
			return out
		}
		at += next + 1
		tag := tagAt(masked[at:])
		before, _ := utf8.DecodeLastRuneInString(masked[:at-1])
		if at > 1 && !unicode.IsSpace(before) && before != '(' || !IsTag(tag) {
			continue
		}
		at += len(tag)
		if !slices.Contains(out, tag) {
			out = append(out, tag)
		}
	}
}

func tagAt(s string) string {
	end := strings.IndexFunc(s, func(c rune) bool { return !inTag(c) })
	if end < 0 {
		return s
	}
	return s[:end]
}

func inTag(c rune) bool {
	return c == '_' || c == '-' || c == '/' || unicode.IsLetter(c) || unicode.IsDigit(c) || unicode.Is(unicode.So, c) || unicode.IsMark(c)
}

// IsTag reports whether a word may be a tag, without the mark.
func IsTag(word string) bool {
	return word != "" && tagAt(word) == word && strings.ContainsFunc(word, func(c rune) bool { return !unicode.IsDigit(c) })
}

// List reads a property that is a list of words: a list, one word, or words with commas
// between them. Numbers keep their spelling.
func List(v canon.Value) []string {
	var out []string
	add := func(v canon.Value) {
		switch v.Type() {
		case canon.TypeString:
			for word := range strings.SplitSeq(v.Text(), ",") {
				out = append(out, strings.TrimSpace(word))
			}
		case canon.TypeNumber:
			out = append(out, v.Spelling())
		}
	}
	if v.Type() == canon.TypeArray {
		for _, item := range v.Items() {
			add(item)
		}
	} else {
		add(v)
	}
	return slices.DeleteFunc(out, func(word string) bool { return word == "" })
}

// Strings makes a list of texts.
func Strings(list []string) canon.Value {
	items := make([]canon.Value, len(list))
	for i, text := range list {
		items[i] = canon.String(text)
	}
	return canon.Array(items...)
}
