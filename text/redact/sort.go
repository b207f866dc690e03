package redact

import (
	"strings"

	"github.com/satchel-memory/satchel/text/pattern"
)

// The sorts of secrets, in the words in which people are told of them.
const (
	SortPrivateKey = "private keys"
	SortKey        = "keys and tokens"
	SortPassword   = "passwords"
)

// tell hands a sort to whoever asks for it.
func (r Redactor) tell(sort string) {
	if r.Sort != nil {
		r.Sort(sort)
	}
}

// sorted tells the sorts of the secrets that were found in a text.
func (r Redactor) sorted(name, text string, found []span) {
	if r.Sort == nil || name != "secret" {
		return
	}
	for _, s := range found {
		r.Sort(sortOf(text[max(0, s.start-introduced):s.start], text[s.start:s.end]))
	}
}

// introduced is how many bytes before a secret may say what it is.
const introduced = 40

// password is the end of what stands before a password: its name, or the name of who
// has it in an address.
var password = pattern.New(`(?i)(?:passw(?:or[dt]|d)|passphrase|pwd|kennwort|secret|credentials?|://[^\s/:@]*:)[^A-Za-z0-9]*(?:(?:is|ist|lautet):?[^A-Za-z0-9]*)?$`)

// sortOf returns the sort of a secret that something stands before.
func sortOf(before, secret string) string {
	switch {
	case strings.HasPrefix(strings.ToUpper(secret), "-----BEGIN "):
		return SortPrivateKey
	case password.MatchString(before):
		return SortPassword
	}
	return SortKey
}
