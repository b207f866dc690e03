package distill

import (
	"strings"

	"github.com/satchel-memory/satchel/aicf"
)

// Kind is the kind of a statement.
type Kind string

// The kinds.
const (
	Decision    Kind = "decision"
	Fact        Kind = "fact"
	Preference  Kind = "preference"
	Instruction Kind = "instruction"
	Open        Kind = "open"
)

// statement is a sentence worth keeping.
type statement struct {
	kind       Kind
	text       string
	rationale  string // of a decision; empty: not said
	confidence aicf.Word
	turns      []int // positions of the turns that say it; first the one it was taken from
	revokes    bool  // it takes back an earlier decision
	theirs     bool  // in the assistant's words, to which the user agrees
	model      bool  // a model proposed it
}

// classify returns the statement in a sentence of the user; false: nothing worth
// keeping. next is the sentence after it.
func classify(sentence, next string) (statement, bool) {
	for _, r := range languages() {
		if s, ok := r.classify(sentence, next); ok {
			return s, true
		}
	}
	return statement{}, false
}

func (r *rules) classify(sentence, next string) (statement, bool) {
	said := masked(sentence)
	if isQuestion(sentence) {
		return r.premise(sentence)
	}
	switch {
	case r.open.MatchString(said) && !r.noOpen.MatchString(said):
		return statement{kind: Open, text: sentence, confidence: aicf.High}, true
	case r.decides(said):
		return r.decided(sentence, next), true
	}
	return r.personal(sentence)
}

// decides reports whether a sentence makes a decision, and not only perhaps.
func (r *rules) decides(said string) bool {
	at := r.decision.FindStringIndex(said)
	return at != nil && !r.unsure.MatchString(said[:at[0]]) && !r.noDecision.MatchString(said) && r.definite(said[at[0]:at[1]], said[at[1]:])
}

// definite reports whether the sentence names the choice, and does not only refer to
// it: after the verb or, if the verb is last, before it.
func (r *rules) definite(verb, object string) bool {
	if words(object) == 0 {
		return words(verb) > 3
	}
	return !r.vague.MatchString(strings.TrimSpace(object))
}

// decided separates a decision from its reason.
func (r *rules) decided(sentence, next string) statement {
	s := statement{kind: Decision, text: sentence, confidence: aicf.High, revokes: r.instead.MatchString(sentence)}
	if parts := r.reason.FindStringSubmatch(sentence); parts != nil && r.decides(masked(parts[1])) && words(parts[2]) > 1 {
		s.text, s.rationale = parts[1], strings.TrimRight(parts[2], ".! ")
	} else if at := r.nextReason.FindString(next); at != "" {
		s.rationale = strings.TrimRight(next[len(at):], ".! ")
	}
	return s
}

// personal returns what a sentence says about the user, or a lasting demand.
func (r *rules) personal(sentence string) (statement, bool) {
	text := sentence[len(r.opening.FindString(sentence)):]
	if r.instruction.MatchString(masked(sentence)) {
		text = sentence // it begins with what else would be left out
	}
	said := masked(text)
	s := statement{text: text, confidence: aicf.High}
	switch {
	case words(said) < 3 || strings.Contains(said, "[SECRET-REDACTED]") || strings.HasSuffix(strings.TrimRight(said, ".! "), "-REDACTED]") && words(said) < 8:
		return s, false
	case r.instruction.MatchString(said) && !r.noRule.MatchString(said):
		s.kind = Instruction
	case r.noFact.MatchString(said):
		return s, false
	case r.preference.MatchString(said):
		s.kind = Preference
	case r.fact.MatchString(said):
		s.kind = Fact
	default:
		return s, false
	}
	return s, true
}

// premise returns the fact at the beginning of a question: "I'm allergic to nuts,
// what can I bake?"
func (r *rules) premise(question string) (statement, bool) {
	for at := 0; ; at++ {
		comma := strings.Index(question[at:], ", ")
		if comma < 0 {
			return statement{}, false
		}
		at += comma
		if asks.MatchString(question[at+2:]) {
			s, ok := r.personal(question[:at])
			return s, ok && s.kind != Instruction
		}
	}
}

// asks matches the beginning of a question.
var asks = all(`^(?:what|which|how|where|when|who|why|can|could|is|are|do|does|did|should|shall|would|will|any|was|wie|welche[rsnm]?|was|wo|wann|wer|warum|kann|können|ist|sind|soll|gibt)\b`)

// words counts the words with a letter or a digit.
func words(text string) int {
	n := 0
	for word := range strings.FieldsSeq(text) {
		if strings.ContainsFunc(word, wordRune) {
			n++
		}
	}
	return n
}
