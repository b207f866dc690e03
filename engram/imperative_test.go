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
