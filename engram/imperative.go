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

// binding are the words by which a sentence about a person is a rule nevertheless.
var binding = pattern.New(`(?i)\b(?:must|mustn't|shall|should|shouldn't|may not|has to|have to|need not|needs? to be)\b`)

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
// 3.7 of edition 0.1.2 wants the second. It judges English, and takes a rule in another
// language for one. names are those of the person.
func DescribesPerson(rule string, names ...string) bool {
	rule = plainWords(rule)
	for _, name := range names {
		if rest, ok := strings.CutPrefix(rule, name+" "); ok && name != "" {
			rule = "@person " + rest
			break
		}
	}
	return describing.MatchString(rule) && !binding.MatchString(rule)
}
