package recall

import (
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
)

// apostrophe removes the apostrophes of a word: the possessive and the contracted verb go
// (Anna's, they're), others close up (O'Brien). A negation such as "don't" is a stop word.
func apostrophe(s string) (word string, negation bool) {
	i := strings.LastIndexByte(s, '\'')
	if i < 0 {
		return s, false
	}
	if vowel, _ := utf8.DecodeRuneInString(lowered(s[i+1:])); strings.ContainsRune("aeiouyh", vowel) && len(s)-i > 3 {
		switch strings.ToLower(s[:i]) { // French and Italian words that lose a vowel before another
		case "l", "d", "qu", "c", "j", "n", "m", "t", "s", "dell", "nell", "all", "dall", "sull", "quell", "un", "gl":
			return s[i+1:], false
		}
	}
	switch strings.ToLower(s[i+1:]) {
	case "s", "m", "re", "ve", "ll", "d":
		s = s[:i]
	case "t":
		negation = true
	}
	return strings.ReplaceAll(s, "'", ""), negation
}

// camel splits s where a new word begins in camelCase, HTTPServer or 5km. An ordinal loses
// its ending, an abbreviation its plural: 7th, URLs.
func camel(s string) []string {
	if n := len(s) - 2; n > 0 && isNumber(s[:n]) && strings.Contains("st nd rd th", strings.ToLower(s[n:])) {
		return []string{s[:n]}
	}
	if n := len(s) - 1; n > 1 && s[n] == 's' && strings.IndexFunc(s[:n], isLower) < 0 {
		if isUpper(rune(s[0])) {
			return []string{s[:n]}
		}
	}
	var parts []string
	start := 0
	var before rune
	for i, r := range s {
		if i > start && begins(before, r, s[i+utf8.RuneLen(r):]) {
			parts = append(parts, s[start:i])
			start = i
		}
		before = r
	}
	return append(parts, s[start:])
}

// begins reports whether r, between before and rest, begins a word within a word.
func begins(before, r rune, rest string) bool {
	next, _ := utf8.DecodeRuneInString(rest)
	switch {
	case isUpper(r):
		return isLower(before) || isUpper(before) && isLower(next)
	case isDigit(before):
		return !isDigit(r) && isWord(r)
	}
	return false
}

// isPlain reports whether s is a usual word: English letters, small but for the first.
func isPlain(s string) bool {
	for i := range len(s) {
		if !(s[i] >= 'a' && s[i] <= 'z' || i == 0 && s[i] >= 'A' && s[i] <= 'Z') {
			return false
		}
	}
	return true
}

// stemmer turns words into terms and remembers them; the zero stemmer is ready. It is for
// one goroutine, and remembers at most maxKnown words.
//
// A search would spend most of its time on stems of words that it does not look for. A stem
// keeps the first two letters of its word (of its base form, if that is irregular). With
// heads set, the stemmer therefore leaves words with another beginning as they are.
type stemmer struct {
	known map[wordIn]stemmed
	heads map[string]bool // nil: stem every word

	// What else the search looks for: long words spelled backwards, dates, and acronyms.
	reversed, instants, acronyms bool

	full *stemmer // stems every word; nil: not needed yet
}

// unconfined returns a stemmer that stems every word, as index entries need it.
func (s *stemmer) unconfined() *stemmer {
	if s.heads == nil {
		return s
	}
	if s.full == nil {
		s.full = new(stemmer)
	}
	return s.full
}

// wordIn is a word in a text of some language.
type wordIn struct {
	word     string
	language int
}

// lowered returns a word in lower case, without diacritics.
func lowered(word string) string { return unaccented(strings.ToLower(word)) }

// maxKnown bounds how many words a stemmer remembers.
const maxKnown = 1 << 15

// stemmed is the term and the flags of a word.
type stemmed struct {
	term, lower string
	others      []string // terms of other words that have this form
	flags       flags
}

// word returns the term and the flags of a word.
func (s *stemmer) word(word string, language int) stemmed {
	if w, ok := s.known[wordIn{word, language}]; ok {
		return w
	}
	word = strings.Clone(word) // otherwise it would keep the text it is from
	lower := lowered(word)
	w := stemmed{term: s.reduce(lower), lower: lower, flags: caseOf(word)}
	if bases := irregular()[lower]; len(bases) > 0 {
		w.term = s.reduce(bases[0])
		for _, b := range bases[1:] {
			w.others = append(w.others, s.reduce(b))
		}
	}
	if s.mayAsk(lower) && len(word) <= maxTerm { // stemmers take quadratic time
		for _, reading := range readings(strings.ToLower(word), language) {
			if reading != w.term {
				w.others = append(w.others, reading)
			}
		}
	}
	if s.heads == nil || s.reversed {
		if back := reversed(lower, language); back != "" {
			w.others = append(w.others, back)
		}
	}
	switch {
	case isNumber(word):
		w.flags |= number
	case isStop(lower), isStopIn(strings.ToLower(word), language):
		w.flags |= stop
	}
	if isSelf(strings.ToLower(word), language) {
		w.flags |= personal
	}
	if s.known == nil {
		s.known = make(map[wordIn]stemmed)
	}
	if len(s.known) == maxKnown {
		clear(s.known)
	}
	if len(word) <= maxTerm {
		s.known[wordIn{word, language}] = w
	}
	return w
}

// reduce returns the stem of a base form, if the search may look for it.
func (s *stemmer) reduce(base string) string {
	if s.mayAsk(base) {
		return stem(base)
	}
	return base
}

// mayAsk reports whether the search may look for a form of a word.
func (s *stemmer) mayAsk(lower string) bool {
	return s.heads == nil || s.heads[head(lower)] || !isASCII(lower)
}

// stem returns the common part of the forms of a lower-case word in its base form. Words
// that are not English letters are their own stem.
func stem(word string) string {
	if len(word) < 3 || len(word) > 32 || !isPlain(word) {
		return word
	}
	env := snowballstem.NewEnv(word)
	english.Stem(env)
	if s := env.Current(); len(s) > 1 {
		return s
	}
	return word
}

// head returns the letters that begin every regular form of a word.
func head(word string) string { return word[:min(2, len(word))] }

// lookFor confines s to the words that may be in a question.
func (s *stemmer) lookFor(q question) {
	s.known, s.heads = nil, make(map[string]bool)
	s.reversed, s.instants = q.looksFor(reversedMark), q.looksFor(instantMark)
	s.acronyms = q.looksFor(acronymMark) || q.looksFor(initialsMark)
	for _, t := range q.terms {
		s.heads[head(t.term)] = true
	}
	for _, phrase := range q.phrases {
		for _, term := range phrase {
			s.heads[head(term)] = true
		}
	}
}

// isStop reports whether a lower-case word has no meaning by itself.
func isStop(word string) bool {
	_, ok := stopWords()[word]
	return ok
}

var stopWords = sync.OnceValue(func() map[string]struct{} {
	return set(`
a an the this that these those such
i me my mine myself we us our ours ourselves you your yours yourself yourselves
he him his himself she her hers herself it its itself they them their theirs themselves
am is are was were be been being do does did doing done have has had having
can could shall should will would might must ought cannot
and or but nor if then else than because while although though so as until unless
of at by for with about against between into through during before after above below
to from up down in out on off over under again further once
what which who whom whose when where why how
here there all any both each few more most other some no not only own same too very
just also ever im ive id youre dont didnt doesnt isnt wasnt cant wont
`)
})

// isStopIn reports whether a lower-case word has no meaning by itself in a text of some
// language, English aside.
func isStopIn(word string, language int) bool {
	if isASCII(word) && language == inEnglish {
		return false
	}
	_, ok := scriptStops()[unaccented(word)]
	return ok || language != inEnglish && languageWords()[word]>>language&1 == 1
}

// set returns the words of text as the keys of a map.
func set(text string) map[string]struct{} {
	m := make(map[string]struct{})
	for _, w := range strings.Fields(text) {
		m[w] = struct{}{}
	}
	return m
}

// Words returns the words of a text that a search looks for, in lower case and each once.
// It leaves out stop words unless there is nothing else.
func Words(text string) (words []string) {
	for _, t := range informative(new(stemmer).tokens(text)) {
		if t.word != "" && !t.is(beside) && !slices.Contains(words, t.word) {
			words = append(words, t.word)
		}
	}
	return words
}
