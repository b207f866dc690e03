package recall

import (
	"cmp"
	"math"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/text/size"
)

// reading is a candidate, read for a question.
type reading struct {
	Candidate
	seen       *memory.Record // the visible part of the record, which alone counts
	place      Doc            // in order of learning, among its neighbours
	holds      float64        // of the question, as long as the rarity of words is unknown
	kept       bool           // chosen in a search apart
	beside     bool           // next to a chosen record
	frequency  []float64      // of each of the question's terms
	places     []termPlace    // of the question's terms in the text, ascending
	found      bool           // at least one of them
	length     float64        // words
	meaningful float64        // words that are not stop words
	speakers   []string       // terms before the colon of "Anna: …"
	assistant  bool           // an assistant says it
	amount     bool           // it has a number that the question lacks
	denied     bool           // it says what is not so
	instructs  bool           // it tells an assistant what to do always, or never
	renewed    bool           // it says what has changed
	named      bool           // it has a name that the question lacks
	asks       bool           // ends in a question
	answered   bool           // and somebody's next record answers it
	asking     answerKind     // what its questions ask for
	alike      float64        // see asksAlike
	answers    float64        // how much of the question somebody asks just before it
	asked      float64        // how much of the question somebody asks just after it
	dated      bool           // tells when something was
	quotes     bool           // it has all the quoted phrases
	project    bool           // the question names its project
	near       float64        // how close its meaning is to the question's, 0 to 1
	judged     bool           // the check whether it may enter an answer is done
	unsound    bool           // it may not
	values     []float64      // what its words match, see matches; nil: not known yet
	own        []float64      // the same without what stands in sentences that ask
	lends      float64        // the part of what it matches that others may borrow: a long text has more by its length
	shaped     float64        // see shape; 0: not known yet
}

// read looks for a question's terms in the visible part of a candidate's record.
func (s *stemmer) read(c Candidate, seen *memory.Record, q question) *reading {
	t := s.recordText(*seen)
	r := &reading{Candidate: c, seen: seen, place: c.Doc, frequency: make([]float64, len(q.terms))}
	r.length, r.meaningful = float64(words(t.text)), float64(t.meaningful())
	r.note(s.factsOf(*seen, t.text), q)
	r.quotes = quotes(t.text, q.phrases)
	r.speakers = s.speakers(seen.Body.Text)
	for _, token := range t.text {
		if !t.counts(token) {
			continue
		}
		if m := token.marks(); m != 0 && !q.asks(token.term) {
			r.mark(m)
		}
		if i, ok := q.index[token.term]; ok {
			r.placed(termPlace{token.position, i, token.is(questioned), token.is(personal)})
		}
	}
	for token := range t.informative {
		r.count(q, token.term, 1)
	}
	r.count(q, kindTerm(seen.Kind), 1)
	if s.instants {
		for _, term := range instantsOf(t.text, *seen) {
			r.count(q, term, 1)
		}
	}
	if s.acronyms {
		for _, term := range acronyms(t.text) {
			r.count(q, term, 1)
		}
	}
	s.readProject(r, q)
	return r
}

// note notes facts of the text.
func (r *reading) note(f textFacts, q question) {
	r.asks, r.dated, r.assistant = f.is(asksSomething), f.is(saysWhen), f.is(isAssistants)
	r.instructs = f.is(instructs)
	r.asking = answerKind(f >> askingFrom)
	r.renewed = q.current && f.is(saysChanged)
	r.denied = q.denied && f.is(deniesSomething)
}

// mark notes what words of the text are that the question lacks.
func (r *reading) mark(m marks) {
	r.named = r.named || m&markName != 0
	r.amount = r.amount || m&markNumber != 0
}

// placed notes a word that the question's term at index i matches.
func (r *reading) placed(p termPlace) {
	if len(r.places) < maxPlaces {
		r.places = append(r.places, p)
	}
}

// readProject notes whether the question names the record's project.
func (s *stemmer) readProject(r *reading, q question) {
	if r.project = s.names(q, r.seen.Scope.Project); r.project && r.found {
		for _, t := range s.tokens(projectName(r.seen.Scope.Project)) {
			r.countOnce(q, t.term)
		}
	}
}

// maxPlaces is the most matches of a text that its passages are judged by.
const maxPlaces = 2048

// termPlace is a word of a text that one of the question's terms matches.
type termPlace struct {
	position int
	term     int
	asked    bool // in a sentence that asks
	personal bool // in a sentence that says I, we, or the like
}

// isAssistant reports whether a record is by an assistant: a label such as "assistant:"
// begins its text. Labels that a fact may have, such as "model:", count in an event only.
func isAssistant(rec memory.Record) bool {
	label, _, ok := strings.Cut(size.Cut(rec.Body.Text, 2*maxTerm), ":")
	if !ok {
		return false
	}
	switch strings.ToLower(strings.Trim(label, " *_#[]<>|\t\n")) {
	case "assistant", "ai", "chatgpt", "claude", "gemini", "copilot":
		return true
	case "agent", "bot", "model", "system", "tool":
		return happens(rec.Kind)
	}
	return false
}

// count counts n occurrences of a term, if the question has it.
func (r *reading) count(q question, term string, n uint8) {
	if i, ok := q.index[term]; ok {
		r.countAt(&q, i, n)
	}
}

// countAt counts n occurrences of the question's term at index i.
func (r *reading) countAt(q *question, i int, n uint8) {
	if r.frequency[i] == 0 {
		r.holds += q.counts(i)
	}
	r.frequency[i] = min(r.frequency[i]+float64(n), math.MaxUint8)
	r.found = true
}

// countOnce counts a term of the question that a record does not have otherwise. The record
// holds no more of the question by it: the index does not know of it.
func (r *reading) countOnce(q question, term string) {
	if q.asks(term) && r.frequency[q.index[term]] == 0 {
		r.frequency[q.index[term]] = 1
	}
}

// speakers returns the terms of the speaker's name at the beginning of a conversation's
// record: one to three words and a colon.
func (s *stemmer) speakers(text string) []string {
	name, _, ok := strings.Cut(size.Cut(text, 2*maxTerm), ": ")
	if !ok || strings.Count(name, " ") > 2 {
		return nil
	}
	var terms []string
	for _, t := range s.unconfined().tokens(name) { // by a stem, "Users: …" is said by a user
		terms = append(terms, t.term)
	}
	return terms
}

// projectName returns a project's own name, the last part of its canonical one.
func projectName(project string) string { return project[strings.LastIndexAny(project, `/\`)+1:] }

// names reports whether the question contains the words of the project's own name.
func (s *stemmer) names(q question, project string) bool {
	if project == "" {
		return false
	}
	tokens := s.tokens(projectName(project))
	for _, t := range tokens {
		if !q.asks(t.term) && !t.is(beside) {
			return false
		}
	}
	return len(tokens) > 0
}

// quotes reports whether text contains all phrases; there is at least one.
func quotes(text []token, phrases [][]string) bool {
	for _, phrase := range phrases {
		if !says(text, phrase) {
			return false
		}
	}
	return len(phrases) > 0
}

// says reports whether text contains phrase, word by word.
func says(text []token, phrase []string) bool {
	matched := 0
	for _, t := range text {
		switch {
		case t.is(beside):
		case t.term == phrase[matched]:
			if matched++; matched == len(phrase) {
				return true
			}
		case t.term == phrase[0]:
			matched = 1
		default:
			matched = 0
		}
	}
	return false
}

// sameMoment is the longest time between records of one conversation.
const sameMoment = time.Hour

// together reports whether two records belong to one conversation: they were said at nearly
// the same time, and state one session or have speakers. A lasting fact stands for itself.
func together(a, b *reading) bool {
	x, y := a.seen, b.seen
	if !happens(x.Kind) || !happens(y.Kind) || !sameScope(x.Scope, y.Scope) || learnt(x).Sub(learnt(y)).Abs() > sameMoment {
		return false
	}
	spoken := len(a.speakers) > 0 && len(b.speakers) > 0 && !x.Time.Observed.IsZero() && !y.Time.Observed.IsZero()
	return x.Scope.Session != "" || spoken
}

// sameScope reports whether two scopes are equal. A record without a visibility is private,
// which its index entry says.
func sameScope(a, b memory.Scope) bool {
	a.Visibility, b.Visibility = cmp.Or(a.Visibility, memory.Private), cmp.Or(b.Visibility, memory.Private)
	return a == b
}

func happens(k memory.Kind) bool { return k == memory.Episodic || k == memory.Working }

// learnt returns when a record was learnt: observed, else created.
func learnt(r *memory.Record) time.Time {
	if !r.Time.Observed.IsZero() {
		return r.Time.Observed
	}
	return r.Time.Created
}

// byPlace orders readings as they were learnt.
func byPlace(a, b *reading) int { return cmp.Compare(a.place, b.place) }
