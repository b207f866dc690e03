package policy

import (
	"strings"

	"github.com/satchel-memory/satchel/text/pattern"
)

// injections are ways to talk to the model in what should be data. They are known phrases:
// a text without one of them is not thereby harmless.
var injections = []struct {
	what string
	form *pattern.Pattern // of a folded text with single blanks
}{
	{"asks to ignore instructions", pattern.New(`\b(?:ignore|disregard|forget|override|bypass|do not follow|don't follow)\b.{0,40}\b(?:previous|prior|above|earlier|preceding|all|any|your|the|these|system)\b.{0,30}\b(?:instructions?|prompts?|rules|directives?|constraints?|guidelines|guardrails|orders)\b`)},
	{"asks to ignore instructions", pattern.New(`\b(?:ignoriere?|vergiss|missachte)\b.{0,40}\b(?:anweisung|vorgabe|regel|instruktion)`)},
	{"gives the model another role", pattern.New(`\b(?:you are now|from now on,? you|act as (?:an?|the|if)|pretend (?:to be|you are)|your new (?:role|task|instructions?)|new instructions?:)`)},
	{"asks for the system prompt", pattern.New(`\b(?:reveal|print|show|repeat|output|send|leak)\b.{0,40}\b(?:system prompt|system message|initial instructions|hidden instructions|your instructions)\b`)},
	{"asks to keep something from people", pattern.New(`\b(?:do not|don't|never) (?:tell|inform|mention|alert|notify|ask)\b.{0,30}\b(?:the )?(?:user|human|operator|person|anyone|anybody)\b`)},
	{"asks for a call of a tool", pattern.New(`\b(?:call|invoke|use|run|execute)\b (?:the )?(?:tool|function|command)?\s?["'\x60]?[a-z0-9]+_[a-z0-9_]+`)},
	{"speaks as somebody else in the conversation", pattern.New(`(?:^|\n)\s*(?:system|assistant|developer)\s*(?:message|prompt)?\s*:`)},
}

// Suspicious describes what in a text speaks to the model instead of informing it
// (AAIF-12-7), in words and each kind once; nil: nothing that is known. It looks at what
// people do not see as well.
func Suspicious(text string) []string {
	var found []string
	add := func(yes bool, what string) {
		if yes && (len(found) == 0 || found[len(found)-1] != what) {
			found = append(found, what)
		}
	}
	plain := folded(text)
	lines := strings.Split(plain, "\n")
	for i := range lines {
		lines[i] = strings.Join(strings.Fields(lines[i]), " ")
	}
	narrow := strings.Join(lines, " ")
	byLine := strings.Join(lines, "\n")
	for _, one := range injections {
		add(one.form.MatchString(narrow) || one.form.MatchString(byLine), one.what)
	}
	add(marks.MatchString(plain), "imitates the marks of a conversation")
	add(hidesText(text), "holds text that nobody sees")
	return found
}

// hidesText reports whether a text has several tag characters or variation selectors in a
// row: letters for a model that no person sees.
func hidesText(text string) bool {
	const several = 4
	run := 0
	for _, r := range text {
		if r >= 0xe0000 && r <= 0xe01ef || r >= 0xfe00 && r <= 0xfe0f || r >= 0x200b && r <= 0x200f || r >= 0x2060 && r <= 0x2064 {
			if run++; run == several {
				return true
			}
			continue
		}
		run = 0
	}
	return false
}
