package engram

import "testing"

// TestDescribesPerson: a constraint tells assistants what to do (edition 0.1.2, section
// 3.7); one that says what somebody is like is a belief.
func TestDescribesPerson(t *testing.T) {
	for rule, want := range map[string]bool{
		"User dislikes emoji":                    true, // the text's own wrong example
		"The user really prefers short answers.": true,
		"the user doesn't like bullet points":    true,
		"User is allergic to nuts":               true,
		"User's favourite colour is blue":        true,
		"I hate emoji":                           true,
		"I'm a vegetarian":                       true,
		"I don\u2019t want phone calls":          true,
		"He works at night":                      true,
		"They prefer mail":                       true,
		"My mornings are for writing":            true,
		"Ada Byron dislikes emoji":               true,
		"Ada can't stand emoji":                  true,
		"Prefers short answers":                  true, // what is meant is the user
		"Dislikes emoji.":                        true,
		"She hates cheese":                       true,
		"Really loves long walks":                true,
		"Is allergic to nuts":                    true,
		"Has two children":                       true,
		"Lives in Porto":                         true,
		"Emoji are disliked by the user":         true,
		"Short answers are preferred by Ada.":    true,
		"Mag keine Emojis":                       true,
		"Nutzer mag kurze Antworten":             true,
		"Der Nutzer bevorzugt kurze Antworten":   true,
		"Die Nutzerin ist allergisch":            true,
		"Benutzer hasst Emojis":                  true,
		"Sie mag keinen Käse":                    true,
		"Ich mag keine Emojis":                   true,
		"Bevorzugt kurze Antworten":              true,
		"Ada mag keine Emojis":                   true,
		"Prefer short answers":                   false,
		"Needs approval before each purchase":    false,
		"Access to mail is denied":               false,
		"Answers are approved by the user":       false,
		"Is it late, be brief":                   false,
		"Likes on posts: never give any":         false,
		"Immer kurz antworten":                   false,
		"Der Nutzer ist immer zu siezen":         false,
		"Der Nutzer muss zustimmen":              false,
		"Nutzer nie duzen":                       false,
		"Nutzer darf nicht geduzt werden":        false,
		"Nie Emojis verwenden":                   false,
		"Bevorzuge kurze Antworten":              false,
		"Sie dürfen keine Mail senden":           false,
		"Never use emoji":                        false,
		"Always answer in English":               false,
		"Never speculate on my health.":          false,
		"Don't call the user by name":            false,
		"Use the metric system":                  false,
		"No emoji":                               false,
		"User emails must never be logged":       false,
		"The user must confirm each purchase":    false,
		"My address must not be stored":          false,
		"I must be asked before a purchase":      false,
		"If the user is asleep, do not ring":     false,
		"Users of the shop get no discount by assistants, so never promise one": false,
		"Address Ada by her first name":                                         false,
		"Adapt examples to Go":                                                  false,
		"Verwende niemals Emojis":                                               false,
		"In doubt ask":                                                          false,
		"":                                                                      false,
	} {
		if got := DescribesPerson(rule, "Ada Byron", "Ada", ""); got != want {
			t.Errorf("%q: %v", rule, got)
		}
	}
}
