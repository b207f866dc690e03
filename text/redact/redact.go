// Package redact finds secrets and personal data in texts and replaces them by tokens such
// as [SECRET-REDACTED]. Nothing it returns contains what was replaced.
//
//	secret   keys and tokens by their shape, private keys                                  secret.go, shapes.go, vendors.go,
//	         texts called a password, and their look-alikes                                claim.go, spoken.go, harmless.go,
//	         also with invisible characters in them                                        invisible.go
//	email    mail addresses                                                                email.go
//	ssn      social security numbers of the United States                                  email.go
//	phone    telephone numbers                                                             phone.go
//	card     numbers of payment cards, on request                                          card_iban.go
//	iban     numbers of bank accounts, on request                                          card_iban.go
//
// Look-alikes stay: times, ids, sums, versions, prices, paths, and placeholders. A text
// that could be either stays, too.
package redact

import (
	"regexp"
	"strings"
)

// Redactor replaces personal data and secrets by tokens. The zero Redactor replaces
// everything but account numbers.
type Redactor struct {
	KeepEmails  bool // keep mail addresses
	KeepPhones  bool // keep telephone numbers
	KeepSSNs    bool // keep social security numbers of the United States
	KeepSecrets bool // keep keys, tokens, passwords and private keys
	Accounts    bool // replace numbers of payment cards and of bank accounts, too
	// Sort gets the sort of each secret found, one of the constants Sort…; nil: not needed.
	// In a record it may get the same secret twice.
	Sort func(sort string)
	// Patterns are replaced after the built-in types.
	Patterns []Pattern
}

// Secrets returns a redactor that replaces secrets alone.
func Secrets() Redactor { return Redactor{KeepEmails: true, KeepPhones: true, KeepSSNs: true} }

// Pattern is a caller's own type of data to replace.
type Pattern struct {
	Name   string // of the token and in [Counts], such as "employee"; empty: "custom"
	Regexp *regexp.Regexp
}

// Counts holds the number of replacements of each type: "email", "phone", "ssn", "secret",
// "card", "iban", "field", and the names of patterns. It says nothing about their content.
type Counts map[string]int

// Total returns the number of all replacements.
func (c Counts) Total() int {
	total := 0
	for _, n := range c {
		total += n
	}
	return total
}

// Add adds other counts.
func (c Counts) Add(other Counts) {
	for name, n := range other {
		c[name] += n
	}
}

// kind is one built-in type: a test whether a text may contain it, and a search for its
// places, in ascending order and without overlap.
type kind struct {
	name  string
	keeps func(*Redactor) bool // the redactor does not replace it
	hint  func(text string) bool
	find  func(text string) []span
}

// span is a part of a text.
type span struct{ start, end int }

// kinds are the built-in types in the order of the search. A later type does not match what
// an earlier one has replaced.
var kinds = [...]kind{
	{"secret", func(r *Redactor) bool { return r.KeepSecrets }, mayHide, findHidden},
	{"email", func(r *Redactor) bool { return r.KeepEmails }, func(text string) bool { return strings.Contains(text, "@") }, findEmails},
	{"card", func(r *Redactor) bool { return !r.Accounts }, hasDigits, findCards},
	{"iban", func(r *Redactor) bool { return !r.Accounts }, hasDigits, findIBANs},
	{"ssn", func(r *Redactor) bool { return r.KeepSSNs }, hasDigits, findSSNs},
	{"phone", func(r *Redactor) bool { return r.KeepPhones }, hasDigits, findPhones},
}

// mayFind reports whether the redactor replaces a type that a text may contain.
func (r *Redactor) mayFind(k kind, text string) bool { return !k.keeps(r) && k.hint(text) }

// hasDigits reports whether a text has as many digits as the shortest number needs.
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

// Text replaces in a text and returns the number of replacements of each type. The counts
// are nil if there are none.
func (r Redactor) Text(text string) (string, Counts) {
	var counts Counts
	count := func(name string, n int) {
		if counts == nil {
			counts = Counts{}
		}
		counts[name] += n
	}
	for _, k := range kinds {
		if !r.mayFind(k, text) {
			continue
		}
		if found := k.find(text); len(found) > 0 {
			r.sorted(k.name, text, found)
			text = replaceSpans(text, found, k.name)
			count(k.name, len(found))
		}
	}
	for _, p := range r.Patterns {
		if found := p.find(text); len(found) > 0 {
			text = replaceSpans(text, found, p.name())
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

// replaceSpans puts a token in the place of every span.
func replaceSpans(text string, found []span, name string) string {
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
