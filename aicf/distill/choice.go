package distill

import (
	"strings"

	"github.com/satchel-memory/satchel/aicf"
	"github.com/satchel-memory/satchel/text/pattern"
)

// mostAgreeing is how many words at the beginning of a turn may only agree.
const mostAgreeing = 12

// chosen resolves a decision that refers to the assistant's turn before: to one of
// the options it listed, or to the one thing it proposed. answer is the user's
// sentence, before the assistant's turn.
func chosen(answer, before string) (statement, bool) {
	if isQuestion(answer) {
		return statement{}, false
	}
	for _, r := range languages() {
		said := masked(answer)
		if at := r.decision.FindStringIndex(said); at != nil && !r.unsure.MatchString(said[:at[0]]) {
			object := strings.TrimSpace(said[at[1]:])
			if option, ok := optionOf(object, before); ok {
				return statement{kind: Decision, text: strings.TrimRight(answer, ".! ") + ": " + option, confidence: aicf.High}, true
			}
			if r.vague.MatchString(object) {
				return r.proposed(before)
			}
		}
		if r.accept.MatchString(said) && words(said) <= mostAgreeing && !r.but.MatchString(said) {
			if s, ok := r.proposed(before); ok {
				return s, true
			}
		}
	}
	return statement{}, false
}

// proposed returns the single proposal in an assistant's turn.
func (r *rules) proposed(before string) (statement, bool) {
	var found []string
	for _, s := range sentences(before) {
		if said := masked(s); r.proposal.MatchString(said) && !r.offer.MatchString(said) {
			found = append(found, s)
		}
	}
	if len(found) != 1 || words(found[0]) < 4 {
		return statement{}, false
	}
	s := statement{kind: Decision, text: found[0], confidence: aicf.Medium, rationale: agreed, theirs: true}
	if parts := r.reason.FindStringSubmatch(found[0]); parts != nil && r.proposal.MatchString(parts[1]) && words(parts[2]) > 1 {
		s.text, s.rationale = parts[1], strings.TrimRight(parts[2], ".! ")
	}
	return s, true
}

// agreed is the reason of an accepted proposal without its own reason.
const agreed = "proposed by the assistant, accepted by the user"

var (
	pointer  = pattern.New(`(?i)^(?:the |option |approach |variant |variante |die |den |das |number |nummer |#)*(first|second|third|fourth|erste|zweite|dritte|vierte|1st|2nd|3rd|4th|[a-d]|\d)(?:n|r)?(?: (?:one|option|approach|variant|choice|variante))?[.!]*$`)
	optioned = pattern.New(`(?i)^\s*(?:[-*]\s+)?(?:\*\*)?(?:option |approach |variante? )?([a-d]|\d)[.):]\s*(?:\*\*)?\s*(\S.*)$`)
	inline   = pattern.New(`(?i)\b(?:option|approach|variante?) ([a-d]|\d)(?::|\)| is| ist) ([^.;\n]+)`)
)

// optionOf returns the option of a list that object names by its number, its letter
// or its position.
func optionOf(object, list string) (string, bool) {
	at := pointer.FindStringSubmatch(object)
	if at == nil {
		return "", false
	}
	want := numberOf(strings.ToLower(at[1]))
	found := options(optioned, list, want)
	if len(found) == 0 {
		found = options(inline, list, want)
	}
	if len(found) != 1 || len(found[0]) > longSentence { // with several lists the choice is unclear
		return "", false
	}
	return strings.TrimRight(split(strings.ReplaceAll(found[0], "**", ""))[0], ".! "), true
}

// options returns the numbered options that a pattern finds in a turn.
func options(p *pattern.Pattern, turn string, want int) []string {
	var found []string
	for line := range strings.SplitSeq(turn, "\n") {
		for _, option := range p.FindAllStringSubmatch(line, -1) {
			if numberOf(strings.ToLower(option[1])) == want {
				found = append(found, option[2])
			}
		}
	}
	return found
}

// numberOf returns the position that a word means; 0: none.
func numberOf(word string) int {
	for i, names := range []string{"1 a first 1st erste", "2 b second 2nd zweite", "3 c third 3rd dritte", "4 d fourth 4th vierte", "5", "6", "7", "8", "9"} {
		for name := range strings.FieldsSeq(names) {
			if name == word {
				return i + 1
			}
		}
	}
	return 0
}
