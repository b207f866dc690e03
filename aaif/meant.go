package aaif

import "github.com/satchel-memory/satchel/codec"

// mostAsked is how many words are asked for in one document.
const mostAsked = 100

// didYouMean asks, at the end of a sentence, for the word of a list that one is a slip
// of, and is "" where there is none, or where so many things were wrong already that
// nobody would read it.
func didYouMean(word string, known []string, already int) string {
	if already >= mostAsked {
		return ""
	}
	if m := codec.Meant(word, known); m != "" {
		return "; did you mean " + Shown(m) + "?"
	}
	return ""
}
