package recall

import (
	"slices"
	"sync"

	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/text/size"
)

// kindMark begins the term that every record of a kind has, so that a question for "rules"
// finds all of them. No word begins with it.
const kindMark = "#"

// kindTerm returns the term of a kind.
func kindTerm(k memory.Kind) string { return kindMark + size.Cut(string(k), maxTerm-len(kindMark)) }

// kindsHinted returns the kinds of record that a question names.
func kindsHinted(tokens []token) []memory.Kind {
	var kinds []memory.Kind
	tells := slices.ContainsFunc(tokens, func(t token) bool { return t.in(telling()) })
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
		if !tells && t.in(you()) {
			kinds = append(kinds, memory.Identity) // how the assistant is to behave
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

// in reports whether a word is in a set of words.
func (t token) in(words map[string]struct{}) bool {
	_, ok := words[t.word]
	return ok && !t.is(beside)
}

var (
	// you are words for the assistant.
	you = sync.OnceValue(func() map[string]struct{} {
		return set(fold(`you your yours yourself du dir dich dein deine deinen deiner tu toi ton ta tes vous votre vos tú usted você
jij jouw ты вы твой твои`))
	})
	// telling are words that ask the assistant for what it knows.
	telling = sync.OnceValue(func() map[string]struct{} {
		return set(fold(`know remember recall tell told remind summarise summarize summary everything anything noted stored saved got have find show list give
weißt weisst weiß kennst erinnerst hast sag sage erzähl erzähle nenn nenne zeig zeige gespeichert gemerkt alles
sais savez connais connaissez as avez rappelles rappelle souviens dis dites raconte montre sabes conoces tienes recuerdas dime cuéntame
sai conosci hai ricordi dimmi raccontami sabe lembra tem diga conta weet kent hebt herinner vertel знаешь помнишь расскажи скажи покажи`))
	})
)

// withoutFrame returns the tokens of a question with stop words in place of those that ask for
// whatever is known: "what do you know about the loft?" and "remind me of the loft" are about
// the loft.
func withoutFrame(tokens []token) []token {
	if len(tokens) == 0 || !tokens[0].in(telling()) && !slices.ContainsFunc(tokens, func(t token) bool { return t.in(you()) }) {
		return tokens
	}
	left := slices.Clone(tokens)
	for i, t := range left {
		if t.in(telling()) {
			left[i].flags |= stop
		}
	}
	if areStops(left) {
		return tokens
	}
	return left
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
func (t token) denies() bool { return t.in(denials()) }

var denials = sync.OnceValue(func() map[string]struct{} {
	return set(fold(`
not no never none nobody nothing nowhere neither nor without cannot unable lack lacks lacking lacked except excluding exclude excludes
isnt arent wasnt werent dont doesnt didnt hasnt havent hadnt cant couldnt shouldnt wont wouldnt mustnt neednt
nicht kein keine keinen keiner niemals nie ohne pas jamais sans aucun aucune nunca sin ninguna ningún mai senza nessuno não sem nenhum
niet geen zonder nooit inte aldrig ikke aldri ei ilman nem soha nélkül değil yok hiç nu fără nie nigdy bez není нет не без никогда
`))
})

// changes reports whether a token says that something is so from now on.
func (t token) changes() bool { return t.in(changing()) }

// isInstruction reports whether a text begins, behind the name of its speaker, with a word that
// tells an assistant what to do from now on.
func (s *stemmer) isInstruction(text string, tokens []token) bool {
	at := lastingAt(tokens)
	if at > 0 && s.heads != nil { // other readings of the speaker's words are left out
		at = lastingAt(s.unconfined().tokens(text))
	}
	return at >= 0
}

// lastingAt returns the place among the first tokens of a text of a word that tells an
// assistant what to do from now on; -1: there is none.
func lastingAt(text []token) int {
	const first = 4 // other readings included; a speaker has three words at most
	return slices.IndexFunc(text[:min(len(text), first)], func(t token) bool { return t.is(ends) && t.in(lasting()) })
}

// isPast reports whether a token of a question asks for what was so.
func (t token) isPast() bool { return t.in(past()) }

var (
	changing = sync.OnceValue(func() map[string]struct{} {
		return set(fold(`now nowadays anymore instead moved moves switched switching changed replaced replaces gone became renamed migrated longer
jetzt inzwischen mittlerweile statt stattdessen umgezogen gewechselt geändert maintenant désormais déménagé changé ahora mudó cambió
adesso ormai agora mudou nu теперь şimdi artık`))
	})
	lasting = sync.OnceValue(func() map[string]struct{} {
		return set(fold(`always never immer nie niemals toujours jamais siempre nunca sempre mai altijd nooit alltid aldrig aldri
zawsze nigdy vždy nikdy всегда никогда завжди ніколи daima asla aina koskaan mindig soha mereu niciodată πάντα ποτέ`))
	})
	past = sync.OnceValue(func() map[string]struct{} {
		return set(`was were did had before previously former formerly old first used been ever war waren hatte früher était avant antes era prima`)
	})
)

func asksWhich(t token) bool { return t.in(whichWords()) }

var (
	whichWords = sync.OnceValue(func() map[string]struct{} {
		return set(fold(`which what whose many welche welcher welches welchen welchem quel quelle quels quelles qué cuál cuáles quale quali qual quais welk
welke vilken vilket hvilken hvilket mikä minkä melyik hangi który która które jaki jaka jakie какой какая какое какие který která jaký`))
	})
	// howMany are words that ask for a number of what follows, and moreWhich words that ask which
	// it is. They are none of whichWords, since index entries keep what records ask.
	howMany = sync.OnceValue(func() map[string]struct{} {
		return set(fold(`much many wieviel viele combien cuánto cuánta cuántos cuántas quanto quanta quanti quante quantos quantas hoeveel mycket
många montako paljonko hány mennyi kaç ile kolik câți câte сколько скільки πόσα πόσο πόσες كم כמה कितने कितना कितनी`))
	})
	moreWhich = sync.OnceValue(func() map[string]struct{} {
		return set(fold(`vilka hvilke mitkä kumpi millainen milyen melyek hangisi каком какую який яка яке які které jaká jaké ποιος ποια ποιο ποιοι ποιες
أي أية איזה איזו אילו कौनसा कौनसी 어떤 어느 무슨`))
	})
)

// asksAmount reports whether a question asks for a number: of things, of money, of a
// telephone.
func asksAmount(tokens []token) bool {
	for i, t := range tokens {
		_, amount := amountWords()[t.word]
		if t.word == "how" && i+1 < len(tokens) {
			_, amount = measureWords()[tokens[i+1].word]
		}
		if amount {
			return true
		}
	}
	return false
}

var (
	measureWords = sync.OnceValue(func() map[string]struct{} {
		return set(`many much old long far tall big heavy high wide deep large fast often`)
	})
	amountWords = sync.OnceValue(func() map[string]struct{} {
		return set(fold(`cost costs price fee phone telephone timeout percentage rate dose pin port wieviel viele kostet kosten combien coûte cuánto
cuánta cuántos cuántas quanto quanta quanti quante quantos quantas сколько ile kaç hoeveel kolik mennyi hány montako paljonko`))
	})
)
