package conversation

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// Pieces hold every word of the texts, in order, and none is much longer than the limit.
func TestPieces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.SampledFrom([]string{"well", "deep.", "naïve", "日本語", "cold.\n\n", "\n", strings.Repeat("x", 50), "  "})
		text := rapid.Map(rapid.SliceOfN(word, 1, 60), func(words []string) string { return "a" + strings.Join(words, " ") })
		var all []utterance
		var want []string
		for i, text := range rapid.SliceOfN(text, 1, 5).Draw(t, "texts") {
			all = append(all, utterance{"W: ", text, i})
			want = append(want, text)
		}
		var got strings.Builder
		last := 0
		for _, p := range pieces(all, 100) {
			if n := utf8.RuneCountInString(p.text.String()); n > 100+len("W: ") {
				t.Errorf("%d characters", n)
			}
			if len(p.turns) == 0 || p.turns[0] < last {
				t.Errorf("turns %v after %d", p.turns, last)
			}
			last = p.turns[len(p.turns)-1]
			got.WriteString(p.text.String())
		}
		plain := func(s string) string { return strings.Join(strings.Fields(strings.ReplaceAll(s, "W: ", "")), "") }
		if plain(got.String()) != plain(strings.Join(want, "")) {
			t.Errorf("%q became %q", want, got.String())
		}
	})
}

// A text is cut at the best place: after a paragraph, a line, a sentence or a word.
func TestCut(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want string
	}{
		"after a paragraph": {"One two.\nThree four.\n\nFive six seven.", "One two.\nThree four.\n\n"},
		"after a line":      {"One two.\nThree four.\nFive six seven.", "One two.\nThree four.\n"},
		"after a sentence":  {"One two. Three four. Five six seven.", "One two. Three four. "},
		"after a word":      {"One two, three four, five six seven", "One two, three four, five "},
		"anywhere":          {"日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語", "日本語日本語日本語日本語日本語日本語日本語日本語日本語"},
		"not after a scrap": {"One\n\ntwothreefourfivesixseveneightnine", "One\n\ntwothreefourfivesixsev"},
	} {
		if got := c.text[:cut(c.text, 27)]; got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
