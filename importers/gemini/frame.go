package gemini

import (
	"strings"
	"unicode/utf8"
)

// frame is what a title has around the prompt.
type frame struct {
	before, after string
	quotes        bool // they are quotation marks, with what is outside of them
}

// verbs begin the titles of prompts in English.
var verbs = [...]string{"Prompted ", "Asked ", "Said ", "Answered "}

// frames learns from the titles of answered prompts what stands around every prompt in the
// language of the account: a word before it, or words around quotation marks.
type frames struct {
	english bool // a title has an English verb
	titles  int  // that have none
	counts  map[frame]int
}

// What has to be seen before a frame is believed: so many titles, of which so many of
// five have it.
const (
	fewTitles  = 5
	mostFrames = 1000
)

// learn takes the title of a prompt that was answered.
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

// prompt returns the prompt in a title; false: the title is of something else. Where
// nothing is known of the language, the whole title is taken for one that was answered.
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

// common reports whether so many titles are nearly all.
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

// closing returns the marks that close what a mark opens that quotes, in the languages that
// have such; empty: it is none.
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

// candidates returns the frames that a title may have.
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
