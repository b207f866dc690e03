package redact

import (
	"strings"

	"github.com/satchel-memory/satchel/text/pattern"
)

// The sorts of secrets, in the words that people see.
const (
	SortPrivateKey = "private keys"
	SortKey        = "keys and tokens"
	SortPassword   = "passwords"
)

// tell passes a sort to the caller's function, if there is one.
func (r Redactor) tell(sort string) {
	if r.Sort != nil {
		r.Sort(sort)
	}
}

// sorted reports the sorts of the secrets found in a text.
func (r Redactor) sorted(name, text string, found []span) {
	if r.Sort == nil || name != "secret" {
		return
	}
	for _, s := range found {
		r.Sort(sortOf(text[max(0, s.start-introduced):s.start], text[s.start:s.end]))
	}
}

// introduced bounds, in bytes, the text before a secret that may say what it is.
const introduced = 40

// password matches the end of the text before a password: its name, or the user's name in
// an address.
var password = pattern.New(`(?i)(?:passw(?:or[dt]|d)|passphrase|pwd|kennwort|secret|credentials?|://[^\s/:@]*:)[^A-Za-z0-9]*(?:(?:is|ist|lautet):?[^A-Za-z0-9]*)?$`)

// sortOf returns the sort of a secret, judged by the text before it.
func sortOf(before, secret string) string {
	switch {
	case strings.HasPrefix(strings.ToUpper(secret), "-----BEGIN "):
		return SortPrivateKey
	case password.MatchString(before):
		return SortPassword
	}
	return SortKey
}
