// Package redact finds secrets and what identifies a person in texts, and puts tokens such
// as [SECRET-REDACTED] in their place. What they were, nothing says.
//
//	secret   keys and tokens by their shape, private keys                                  shapes.go, vendors.go,
//	         what is said to be a password, and what only looks so                         claim.go, spoken.go, harmless.go,
//	         also with characters in them that nobody sees                                 unseen.go
//	email    mail addresses                                                                find.go
//	ssn      social security numbers of the United States                                  find.go
//	phone    telephone numbers                                                             phone.go
//	card     numbers of payment cards, where they are asked for                            account.go
//	iban     numbers of bank accounts, where they are asked for                            account.go
//
// What only looks like one stays: times, ids, sums, versions, prices, paths, and words
// that stand in the place of a secret. Where nothing tells, it stays, too.
package redact

import (
	"regexp"
	"strings"
)

// Redactor replaces what identifies a person, and secrets, by tokens. The zero Redactor
// replaces all that it knows.
type Redactor struct {
	KeepEmails  bool // mail addresses stay
	KeepPhones  bool // telephone numbers stay
	KeepSSNs    bool // social security numbers of the United States stay
	KeepSecrets bool // keys, tokens, passwords and private keys stay
	Accounts    bool // numbers of payment cards and of bank accounts are replaced, too
	// Sort is told what sort of secret each is that is found, one of the constants of
	// that name; nil: nobody asks. Of a record, it may be told of the same one twice.
	Sort func(sort string)
	// Patterns are replaced besides, after what is built in.
	Patterns []Pattern
}

// Secrets returns a redactor of secrets alone.
func Secrets() Redactor { return Redactor{KeepEmails: true, KeepPhones: true, KeepSSNs: true} }

// Pattern is something of one's own to replace.
type Pattern struct {
	Name   string // of the token and the count, such as "employee"; empty: "custom"
	Regexp *regexp.Regexp
}

// Counts is how many of each type were replaced: "email", "phone", "ssn", "secret",
// "card", "iban", "field", and the names of patterns. What they were, nothing says.
type Counts map[string]int

// Total returns how many were replaced in all.
func (c Counts) Total() int {
	total := 0
	for _, n := range c {
		total += n
	}
	return total
}

// Add takes other counts in.
func (c Counts) Add(other Counts) {
	for name, n := range other {
		c[name] += n
	}
}

// kind is one type of what is replaced: what a text has that could be it, and where in
// the text it stands, in ascending order and not overlapping.
type kind struct {
	name string
	keep bool
	hint func(text string) bool
	find func(text string) []span
}

// span is a part of a text.
type span struct{ start, end int }

// kinds returns the built-in types in the order in which they are looked for: what has
// been replaced is not found again.
func (r Redactor) kinds() [6]kind {
	return [...]kind{
		{"secret", r.KeepSecrets, mayHide, findHidden},
		{"email", r.KeepEmails, func(text string) bool { return strings.Contains(text, "@") }, findEmails},
		{"card", !r.Accounts, hasDigits, findCards},
		{"iban", !r.Accounts, hasDigits, findIBANs},
		{"ssn", r.KeepSSNs, hasDigits, findSSNs},
		{"phone", r.KeepPhones, hasDigits, findPhones},
	}
}

// hasDigits reports whether there are as many digits as the shortest number needs.
func hasDigits(text string) bool {
	const least = 6
	n := 0
	for i := 0; i < len(text) && n < least; i++ {
		if digit(text[i]) {
			n++
		}
	}
	return n == least
}

func digit(c byte) bool { return '0' <= c && c <= '9' }

// Text replaces in a text, and returns how many of what. The counts are nil where
// nothing was replaced.
func (r Redactor) Text(text string) (string, Counts) {
	var counts Counts
	count := func(name string, n int) {
		if counts == nil {
			counts = Counts{}
		}
		counts[name] += n
	}
	for _, k := range r.kinds() {
		if k.keep || !k.hint(text) {
			continue
		}
		if found := k.find(text); len(found) > 0 {
			r.sorted(k.name, text, found)
			text = replaced(text, found, k.name)
			count(k.name, len(found))
		}
	}
	for _, p := range r.Patterns {
		if found := p.find(text); len(found) > 0 {
			text = replaced(text, found, p.name())
			count(p.name(), len(found))
		}
	}
	return text, counts
}

func (p Pattern) name() string {
	if p.Name == "" {
		return "custom"
	}
	return p.Name
}

func (p Pattern) find(text string) []span {
	var found []span
	for _, at := range p.Regexp.FindAllStringIndex(text, -1) {
		if at[1] > at[0] {
			found = append(found, span{at[0], at[1]})
		}
	}
	return found
}

// replaced puts a token in the place of every span.
func replaced(text string, found []span, name string) string {
	var b strings.Builder
	at := 0
	for _, s := range found {
		b.WriteString(text[at:s.start])
		b.WriteString(Token(name))
		at = s.end
	}
	b.WriteString(text[at:])
	return b.String()
}
