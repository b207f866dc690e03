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

// somebody is the beginning of a sentence about a person who is named: the name, and a verb
// of liking that is no noun there.
var somebody = pattern.New(`^\p{Lu}[\p{Ll}\pM]+ (?:(?:really|strongly|always|never|usually|often|also|only|just) )?(?:prefers|enjoys|detests|adores|(?:likes|loves|hates|dislikes) (\pL+))\b`)

// noName are words that begin a rule about likes, and those behind likes that are nouns.
var noName = pattern.New(`(?i)^(?:no|never|always|count|hide|show|give|get|ignore|avoid|use|only|all|most|any|many|some|skip|remove|add|report|collect|the|\S+ (?:likes|loves|hates|dislikes) (?:on|of|for|to|from|per|by|in|at|and|or|under|below|are|is))\b`)

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

// asking is a command to an assistant without such a word: please, or the bare form of a
// verb and what makes it one, since Answer and Use are nouns as well.
var asking = pattern.New(`(?i)^(?:please,? \S` +
	`|be \pL` +
	`|(?:avoid|translate|summari[sz]e) \pL` +
	`|(?:answer|reply|respond) (?:in|with|as|only|using|briefly|concisely|shortly)\b` +
	`|use (?:an?|the|my|only|no|metric|british|american|plain|simple|short|bullet)\b` +
	`|write (?:in|an?|the|my|only|short|plain|simple)\b` +
	`|keep (?:it|your|my|the|all|answers|replies|responses)\b` +
	`|explain (?:in|with|your|the|each|every)\b` +
	`|(?:call|address|give|ask|tell|show|remind|send) me\b` +
	`|make (?:sure|it|your)\b` +
	`)`)

// askingGerman is such a command in German: bitte, or an infinitive at the end.
var askingGerman = pattern.New(`(?i)^(?:bitte,? (?:[^u\s]|u[^m\s])` +
	`|(?:immer|stets|nie|niemals) (?:.* )?(?:antworten|schreiben|verwenden|benutzen|nutzen|sprechen|duzen|siezen|erklären|nachfragen|fragen|formulieren|vermeiden|nennen|zeigen|übersetzen|anreden|ansprechen|begründen)[.!]?$` +
	`)`)

// IsImperative reports whether a text surely tells somebody what to do, in English or
// German. Such a text belongs to the constraints of edition 0.1.2, not to the beliefs.
func IsImperative(text string) bool {
	text = plainWords(text)
	return commanding.MatchString(text) || asking.MatchString(text) || askingGerman.MatchString(text)
}

// plainWords returns a text in one line, with plain apostrophes.
func plainWords(text string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(text, "\u2019", "'")), " ")
}

// DescribesSomebody reports whether a rule seems to say what somebody likes who is named, such
// as "Ann likes tea". Unlike [DescribesPerson], it does not know whose name that is: no
// document is judged by it.
func DescribesSomebody(rule string) bool {
	rule = plainWords(rule)
	return somebody.MatchString(rule) && !noName.MatchString(rule) && !binding.MatchString(rule)
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
