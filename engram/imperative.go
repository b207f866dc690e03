package engram

import (
	"strings"

	"github.com/satchel-memory/satchel/text/pattern"
)

// describing is the beginning of a sentence about a person: the person, perhaps an adverb,
// and what the person is, has or does.
var describing = pattern.New(`(?i)^(?:` +
	`i(?:'m|'ve|'d)? ` +
	`|(?:he|she|they) ` +
	`|my \S.* (?:is|are|was|were) ` +
	`|(?:the )?user's \S.* (?:is|are|was|were) ` +
	`|(?:(?:the )?user|@person) ` +
	`(?:(?:really|strongly|always|never|usually|often|generally|also|only|just) )?` +
	`(?:\pL+s|has|is|was|can't|cannot|can|would|does not|doesn't|did not|didn't|will not|won't)\b` +
	`)`)

// unnamed is the beginning of a sentence that leaves the person out: a verb of liking, of
// habit or of being that is no command in this form.
var unnamed = pattern.New(`(?i)^(?:(?:really|strongly|always|never|usually|often|generally|also|only|just) )?` +
	`(?:(?:prefers|likes|dislikes|loves|hates|enjoys|wants|detests|avoids|favou?rs|lives|works|speaks|believes|feels|suffers) ` +
	`(?:\pL|\d)|(?:is|has) (?:an?|two|three|no|not|very|allergic|vegan|vegetarian|married|diabetic|born|fond|afraid|interested) \pL)`)

// passive is a sentence that says at its end who likes something.
var passive = pattern.New(`(?i)^\S.* (?:is|are|was|were) (?:\pL+ )?(?:(?:dis)?liked|loved|hated|preferred|enjoyed|detested|wanted|favou?red) by (?:(?:the )?user|me|him|her|them|@person)[.!]?$`)

// german is the beginning of such a sentence in German.
var german = pattern.New(`(?i)^(?:` +
	`(?:ich|er|sie|(?:der |die )?(?:be)?nutzer(?:in)?|(?:der |die )?anwender(?:in)?|@person) ` +
	`(?:mag|hasst|liebt|bevorzugt|ist|hat|war|will|möchte|wohnt|lebt|arbeitet|heißt|spricht|isst|trinkt|verabscheut|meidet|bin|habe|liebe|hasse|bevorzuge) ` +
	`|(?:mag|hasst|liebt|bevorzugt|verabscheut|meidet|wohnt in|lebt in|arbeitet (?:als|in|bei)|spricht) \pL` +
	`)`)

// binding are the words by which a sentence about a person is a rule nevertheless.
var binding = pattern.New(`(?i)\b(?:must|mustn't|shall|should|shouldn't|may not|has to|have to|need not|needs? to be|muss|müssen|soll|sollen|darf|dürfen|(?:ist|sind) (?:.* )?zu \pL+en)\b`)

// directive are the words by which a sentence that seems to leave out the person is a
// rule nevertheless.
var directive = pattern.New(`(?i)[:;] *(?:always|never|do not|don't|nie|niemals|immer)\b`)

var commanding = pattern.New(`(?i)^(?:always|never|do not|don't|under no circumstances) \S+ \S`)

// IsImperative reports whether a text tells somebody what to do always or never, in
// English. Such a text belongs to the constraints of edition 0.1.2, not to the beliefs.
func IsImperative(text string) bool { return commanding.MatchString(plainWords(text)) }

// plainWords returns a text in one line, with plain apostrophes.
func plainWords(text string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(text, "\u2019", "'")), " ")
}

// DescribesPerson reports whether a rule says what somebody is like, such as "User
// dislikes emoji", and not what assistants do or leave, such as "Never use emoji": section
// 3.7 of edition 0.1.2 wants the second. It judges English and German, and takes a text in
// another language for a rule. names are those of the person.
func DescribesPerson(rule string, names ...string) bool {
	rule = plainWords(rule)
	for _, name := range names {
		if name == "" {
			continue
		}
		if rest, ok := strings.CutPrefix(rule, name+" "); ok {
			rule = "@person " + rest
			break
		}
		if before, ok := strings.CutSuffix(strings.TrimRight(rule, ".!"), " by "+name); ok {
			rule = before + " by @person"
			break
		}
	}
	describes := describing.MatchString(rule) || passive.MatchString(rule) || german.MatchString(rule) || unnamed.MatchString(rule) && !directive.MatchString(rule)
	return describes && !binding.MatchString(rule)
}
