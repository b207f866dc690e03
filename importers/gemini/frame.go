package gemini

import (
	"strings"
	"unicode/utf8"
)

// frame is the part of a title around the prompt.
type frame struct {
	before, after string
	quotes        bool // quotation marks, with the text outside them
}

// verbs begin the titles of prompts in English.
var verbs = [...]string{"Prompted ", "Asked ", "Said ", "Answered "}

// frames learns from the titles of answered prompts which words stand around every prompt
// in the language of the account: a word before it, or words around quotation marks.
type frames struct {
	english bool // a title has an English verb
	titles  int  // number of titles without one
	counts  map[frame]int
}

// The evidence for a frame: this many titles, of which this many in five have it.
const (
	fewTitles  = 5
	mostFrames = 1000
)

// learn adds the title of an answered prompt.
func (f *frames) learn(title string) {
	if _, ok := english(title); ok {
		f.english = true
		return
	}
	f.titles++
	if f.counts == nil {
		f.counts = map[frame]int{}
	}
	for _, one := range candidates(title) {
		if f.counts[one] > 0 || len(f.counts) < mostFrames {
			f.counts[one]++
		}
	}
}

// prompt returns the prompt in a title; false: the title is of something else. If the
// language is unknown, the whole title of an answered prompt is the prompt.
func (f *frames) prompt(title string, answered bool) (string, bool) {
	if prompt, ok := english(title); ok || f.english {
		return prompt, ok
	}
	quoted, found := false, false
	for one, n := range f.counts {
		quoted = quoted || one.quotes && f.common(n)
		found = found || f.common(n)
	}
	for _, one := range candidates(title) {
		if f.common(f.counts[one]) && one.quotes == quoted {
			return one.inside(title), true
		}
	}
	return title, answered && !found
}

// common reports whether n titles are nearly all.
func (f *frames) common(n int) bool { return f.titles >= fewTitles && n*5 >= f.titles*4 }

func english(title string) (string, bool) {
	for _, verb := range verbs {
		if prompt, ok := strings.CutPrefix(title, verb); ok {
			return prompt, true
		}
	}
	return "", false
}

func (o frame) inside(title string) string {
	return strings.TrimSuffix(strings.TrimPrefix(title, o.before), o.after)
}

// closing returns the marks that close a quotation opened by open, in all languages; empty:
// open is no such mark.
func closing(open rune) string {
	switch open {
	case '„':
		return "“”"
	case '“':
		return "”"
	case '«':
		return "»"
	case '»':
		return "«"
	case '「':
		return "」"
	case '"':
		return `"`
	}
	return ""
}

// candidates returns the possible frames of a title.
func candidates(title string) (found []frame) {
	for i, open := range title {
		closing := closing(open)
		if closing == "" {
			continue
		}
		end := strings.LastIndexAny(title, closing)
		if start := i + utf8.RuneLen(open); end >= start {
			found = append(found, frame{title[:start], title[end:], true})
		}
		break
	}
	if word, rest, ok := strings.Cut(title, " "); ok {
		word += " "
		if strings.HasPrefix(rest, ": ") {
			word += ": "
		}
		found = append(found, frame{before: word})
	}
	return found
}
