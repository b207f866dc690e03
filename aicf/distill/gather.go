package distill

import (
	"slices"
	"strings"
	"unicode"

	"github.com/satchel-memory/satchel/aicf"
	"github.com/satchel-memory/satchel/text/conversation"
)

// gather collects the statements of a conversation, each once, in the order of their
// first appearance.
type gather struct {
	turns      []conversation.Turn
	found      []statement
	known      map[string]int // position of a statement by its words, and by its first words
	duplicates int
}

// statements returns the statements of the turns.
func statements(turns []conversation.Turn) *gather {
	g := &gather{turns: turns, known: map[string]int{}}
	before := -1 // the last turn of the assistant
	for i, t := range turns {
		switch t.Author {
		case conversation.User:
			g.user(i, before)
			before = -1
		case conversation.Assistant:
			g.assistant(i)
			before = i
		}
	}
	g.unanswered()
	return g
}

// user adds the user's statements, and those the user agrees to.
func (g *gather) user(i, before int) {
	said := sentences(g.turns[i].Text)
	for n, sentence := range said {
		next := ""
		if n+1 < len(said) {
			next = said[n+1]
		}
		if s, ok := classify(sentence, next); ok {
			g.add(s, i)
		} else if before >= 0 {
			if s, ok := chosen(sentence, g.turns[before].Text); ok && s.theirs {
				g.add(s, before, i)
			} else if ok {
				g.add(s, i, before)
			}
		}
	}
}

// assistant adds matters that the assistant marks as open.
func (g *gather) assistant(i int) {
	for _, sentence := range sentences(g.turns[i].Text) {
		lower := strings.ToLower(sentence)
		for _, mark := range []string{"todo:", "open question:", "offene frage:"} {
			if strings.HasPrefix(lower, mark) {
				g.add(statement{kind: Open, text: sentence, confidence: aicf.Medium}, i)
			}
		}
	}
}

// unanswered adds the question that ends the conversation.
func (g *gather) unanswered() {
	for i := len(g.turns) - 1; i >= 0; i-- {
		t := g.turns[i]
		if t.Author != conversation.User && t.Author != conversation.Assistant {
			continue
		}
		said := sentences(t.Text)
		if len(said) == 0 {
			return
		}
		last := said[len(said)-1]
		if isQuestion(last) && words(last) > 2 && (t.Author == conversation.User || !offers(last)) {
			g.add(statement{kind: Open, text: last, confidence: aicf.High}, i)
		}
		return
	}
}

func offers(question string) bool {
	for _, r := range languages() {
		if r.offer.MatchString(question) {
			return true
		}
	}
	return false
}

// add adds a statement. If it was made before, add notes the turns that repeat it.
func (g *gather) add(s statement, turns ...int) {
	words := keyOf(s)
	at, again := g.known[words]
	if !again {
		s.turns = turns
		g.know(words)
		g.found = append(g.found, s)
		return
	}
	g.duplicates++
	known := &g.found[at].turns
	for _, turn := range turns {
		if len(*known) < mostTurns && !slices.Contains(*known, turn) {
			*known = append(*known, turn)
		}
	}
}

// mostTurns is how many turns an entry names.
const mostTurns = 20

// leastWords is how many words of a key, its kind included, two statements must share
// at the beginning for the shorter one to be a repetition.
const leastWords = 4

// know registers the next statement by its words. A later statement with the same
// words, or with only its first words, repeats it.
func (g *gather) know(words string) {
	for n, i := 1, 0; i < len(words); i++ {
		if words[i] != ' ' {
			continue
		}
		if n >= leastWords {
			g.knowAs(words[:i])
		}
		n++
	}
	g.knowAs(words)
}

func (g *gather) knowAs(words string) {
	if _, ok := g.known[words]; !ok {
		g.known[words] = len(g.found)
	}
}

// keyOf returns the key by which statements are equal: the words, and whether it
// states a fact, a decision or an open end.
func keyOf(s statement) string {
	kind := s.kind
	if kind == Preference {
		kind = Fact
	}
	return string(kind) + " " + key(s.text)
}

// filler lists words that do not change the meaning.
var filler = map[string]bool{
	"really": true, "also": true, "actually": true, "just": true, "please": true, "again": true, "still": true, "now": true, "very": true,
	"that": true, "so": true, "and": true, "but": true, "ok": true, "okay": true, "yes": true, "then": true, "as": true, "said": true, "mentioned": true, "the": true, "a": true, "an": true,
	"bitte": true, "auch": true, "ja": true, "also,": true, "und": true, "noch": true, "wirklich": true, "dann": true, "nochmal": true,
}

// key returns the words of a text that carry its meaning, in order.
func key(text string) string {
	text = strings.NewReplacer("’", "'", "let's", "let us", "I'm", "I am", "i'm", "i am", "don't", "do not", "we're", "we are", "we'll", "we will", "it's", "it is").Replace(text)
	var kept []string
	for _, word := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !wordRune(r) && r != '\'' && r != '.' && r != '+' && r != '#' }) {
		if word = strings.Trim(word, ".'"); word != "" && !filler[word] {
			kept = append(kept, word)
		}
	}
	return strings.Join(kept, " ")
}

func wordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
