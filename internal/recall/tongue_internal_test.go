package recall

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// tongueColumns are the columns of tongues.txt: the languages of the Latin script by their
// numbers, then the others.
var tongueColumns = append([]string{"en", "de", "fr", "es", "it", "pt", "nl", "sv", "da", "fi", "hu", "tr", "ro", "pl", "cs", "vi"},
	"ru", "uk", "el", "ar", "he", "hi", "zh", "ja", "ko", "th")

// numberOf is the language of a column; Norwegian, behind Danish, shares its column.
func numberOf(column int) []int {
	const danish = 8
	switch {
	case column < danish:
		return []int{column}
	case column == danish:
		return []int{danish, danish + 1}
	case column < len(languages)-1:
		return []int{column + 1}
	}
	return []int{inEnglish}
}

// TestTongues: tongues.tsv holds the words of tongues.txt, in terms.
func TestTongues(t *testing.T) {
	text, err := os.ReadFile("tongues.txt")
	if err != nil {
		t.Fatal(err)
	}
	want, err := tonguesTable(string(text))
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("tongues.tsv", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		t.Skip("skipped: tongues.tsv is written anew; run the test again")
	}
	if tongues != want {
		t.Error("tongues.tsv is not what tongues.txt says: go test -run TestTongues -update")
	}
}

// tonguesTable returns the table of words and things of a text.
func tonguesTable(text string) (string, error) {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	columns := strings.Split(lines[0], "|")
	if !slices.Equal(columns, tongueColumns) {
		return "", fmt.Errorf("the columns are %q", columns)
	}
	uses := make([]map[string]int, len(columns)) // how often each part of a word stands in a column
	var cells [][][]string                       // of a thing, of a column, words
	for _, line := range lines[1:] {
		fields := strings.Split(line, "|")
		if len(fields) != len(columns) {
			return "", fmt.Errorf("%q has %d columns", fields[0], len(fields))
		}
		var thing [][]string
		for c, field := range fields {
			thing = append(thing, strings.Fields(field))
			for _, word := range thing[c] {
				if uses[c] == nil {
					uses[c] = make(map[string]int)
				}
				for _, part := range tongueParts(word) {
					uses[c][part]++
				}
			}
		}
		cells = append(cells, thing)
	}
	rows := make(map[string][]string)
	add := func(key, value string) {
		if !slices.Contains(rows[key], value) {
			rows[key] = append(rows[key], value)
		}
	}
	for i, thing := range cells {
		name := fmt.Sprintf("#%d", i)
		for c, words := range thing {
			for _, word := range words {
				part := rarestPart(word, uses[c])
				for _, language := range numberOf(c) {
					for _, term := range tongueTerms(part, language) {
						add(tongueKey(term, language), name)
						if c == inEnglish || isForeign(term) {
							add(name, term)
						}
					}
				}
			}
		}
	}
	var out strings.Builder
	for _, key := range slices.Sorted(maps.Keys(rows)) {
		fmt.Fprintf(&out, "%s\t%s\n", key, strings.Join(rows[key], " "))
	}
	return out.String(), nil
}

// tongueParts returns the parts of an entry: its words, or the pairs of characters of a word in
// a script without spaces.
func tongueParts(entry string) []string {
	entry = fold(entry)
	for _, r := range entry {
		if !isUnspaced(r) {
			return strings.FieldsFunc(entry, func(r rune) bool { return r == '_' || r == '-' || r == '\'' })
		}
	}
	var pairs []string
	for _, t := range new(stemmer).tokens(entry) {
		if !t.is(single) {
			pairs = append(pairs, t.term)
		}
	}
	return pairs
}

// rarestPart returns the part of an entry that stands for it: the one of fewest entries, and
// of these the longest.
func rarestPart(entry string, uses map[string]int) string {
	best := ""
	for _, part := range tongueParts(entry) {
		if best == "" || uses[part] < uses[best] || uses[part] == uses[best] && len(part) > len(best) {
			best = part
		}
	}
	return best
}

// tongueTerms returns the terms of a word in a language.
func tongueTerms(word string, language int) []string {
	w := new(stemmer).word(word, language)
	return append([]string{w.term}, slices.DeleteFunc(w.others, func(o string) bool { return strings.HasPrefix(o, reversedMark) })...)
}

// isForeign reports whether a term can stand for a word of another language than English: it
// is no English word, no stop word, and has some letters.
func isForeign(term string) bool {
	const shortest = 4
	if !isASCII(term) {
		return true
	}
	return len(term) >= shortest && languageWords()[term] == 0 && row(dictionary, term) == nil && row(families, term) == nil
}
