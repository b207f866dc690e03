package engram

import "testing"

// A belief is called a rule only where its words are surely those of one: please, a command
// to an assistant, or a German infinitive behind always, never or please.
func TestIsImperative(t *testing.T) {
	for text, want := range map[string]bool{
		"Always answer in English": true, "Don't call me Sam": true,
		"Reply in bullet points": true, "Answer only in French.": true, "Respond with short sentences": true, "Be brief": true, "Call me Sam": true,
		"Use the metric system": true, "Use British spelling": true, "Avoid emoji": true, "Keep answers short": true, "Ask me before a purchase": true, "Make sure tests pass": true,
		"Please answer in German": true, "please, no emoji": true,
		"Immer auf Deutsch antworten": true, "Nie Emojis verwenden!": true, "Bitte kurz halten": true, "Bitte auf Deutsch": true, "Niemals duzen": true,

		"Prefers short answers": false, "User likes tea": false, "Answer times are slow": false, "Use of tabs is common here": false, "Reply rates fell": false, "Uses Vim": false,
		"Be\u0301la lives in Porto": false, "Beans are a favourite": false, "Call centres are loud": false, "Keeps bees": false, "Ask is a verb": false, "Avoids meat": false,
		"Immer im Garten": false, "Nie in Berlin gewesen": false, "Immer zu Hause geblieben": false, "Bitte um Ruhe": false, "Immer hungrig": false, "Make and model: Trek 520": false,
		"Pleased to help": false, "": false,
	} {
		if got := IsImperative(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// A rule that begins with any name and says what that person likes describes the person.
func TestDescribesSomebody(t *testing.T) {
	for rule, want := range map[string]bool{
		"Ann likes tea": true, "Ann really prefers tea.": true, "Béla hates phone calls": true, "Ann enjoys walks": true,
		"Count likes on posts": false, "No likes for posts": false, "Hide likes": false, "Show likes daily": false, "Ann must not be called": false,
		"Ann likes on posts": false, "Ann's mail stays private": false, "Call Ann first": false,
	} {
		if got := DescribesSomebody(rule); got != want {
			t.Errorf("%q: %v", rule, got)
		}
	}
}
