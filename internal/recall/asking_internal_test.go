package recall

import (
	"testing"
)

func TestAskingIn(t *testing.T) {
	for text, want := range map[string]answerKind{
		"":                               0,
		"Where we went was nice.":        0,
		"Nice. Where did you go? I see.": asksPlace,
		"Who went, and when?":            asksPerson | asksTime,
		"Which one, and how did you?":    asksThing | asksWay,
		"How long was it?":               asksWay | asksNumber,
		"Why? Did it rain?":              asksReason,
		"Did it rain?":                   asksWhether,
		"Wo wart ihr, und warum?":        asksPlace | asksReason,
		"Où es-tu ? Qui est là ?":        asksPlace | asksPerson,
		"¿Cuándo fue? ¿Dónde?":           asksTime | asksPlace,
		"Когда и где?":                   asksTime | asksPlace,
	} {
		if got := askingIn(new(stemmer).tokens(text)); got != want {
			t.Errorf("%q asks for %b, want %b", text, got, want)
		}
	}
}
