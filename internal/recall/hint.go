package recall

import (
	"sync"

	"github.com/satchel-memory/satchel/memory"
)

// kindMark begins the term that every record of a kind has, so that a question for "rules"
// finds all of them. No word begins with it.
const kindMark = "#"

// kindTerm returns the term of a kind.
func kindTerm(k memory.Kind) string { return kindMark + cut(string(k), maxTerm-len(kindMark)) }

// kindsHinted returns the kinds of record that a question names.
func kindsHinted(tokens []token) []memory.Kind {
	var kinds []memory.Kind
	for i, t := range tokens {
		next := func(n int) string {
			if i+n < len(tokens) {
				return tokens[i+n].term
			}
			return ""
		}
		if isKindWord(t.term) {
			kinds = append(kinds, memory.Procedural)
		}
		switch t.term {
		case "how":
			if next(1) == "to" || (next(1) == "do" || next(1) == "should") && (next(2) == "i" || next(2) == "we") {
				kinds = append(kinds, memory.Procedural)
			}
		case "who":
			if next(1) == "am" && next(2) == "i" {
				kinds = append(kinds, memory.Identity)
			}
		case "my":
			if next(1) == "name" {
				kinds = append(kinds, memory.Identity)
			}
		case "about":
			if (next(1) == "me" || next(1) == "myself") && next(2) == "" {
				kinds = append(kinds, memory.Identity)
			}
		}
	}
	return kinds
}

// isKindWord reports whether a term names a kind of record.
func isKindWord(term string) bool {
	switch term {
	case "rule", "convent", "guidelin", "polici", "procedur", "instruct", "workflow":
		return true
	}
	return false
}

// isTime reports whether a token says when something was: a day, a month, a year, or how
// long ago.
func (t token) isTime() bool {
	if t.is(number) {
		return len(t.term) == 4 && (t.term[:2] == "19" || t.term[:2] == "20")
	}
	_, ok := timeWords()[t.word]
	return ok
}

var timeWords = sync.OnceValue(func() map[string]struct{} {
	return set(`
today tonight yesterday tomorrow ago last next this since recently lately
morning afternoon evening night day days week weeks weekend month months year years
monday tuesday wednesday thursday friday saturday sunday
january february march april may june july august september october november december
spring summer autumn fall winter
`)
})

// denies reports whether a token says that something is not so.
func (t token) denies() bool {
	_, ok := denials()[t.word]
	return ok && !t.is(beside)
}

var denials = sync.OnceValue(func() map[string]struct{} {
	return set(fold(`
not no never none nobody nothing nowhere neither nor without cannot unable lack lacks lacking lacked except excluding exclude excludes
isnt arent wasnt werent dont doesnt didnt hasnt havent hadnt cant couldnt shouldnt wont wouldnt mustnt neednt
nicht kein keine keinen keiner niemals nie ohne pas jamais sans aucun aucune nunca sin ninguna ningún mai senza nessuno não sem nenhum
niet geen zonder nooit inte aldrig ikke aldri ei ilman nem soha nélkül değil yok hiç nu fără nie nigdy bez není нет не без никогда
`))
})
