package recall

import "slices"

// Words returns the words of a text that a search looks for, as the text spells them in
// lower case and each once, without the stop words unless there is nothing else.
func Words(text string) (words []string) {
	for _, t := range informative(new(stemmer).tokens(text)) {
		if t.word != "" && !t.is(beside) && !slices.Contains(words, t.word) {
			words = append(words, t.word)
		}
	}
	return words
}
