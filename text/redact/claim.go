package redact

import (
	"strings"

	"github.com/satchel-memory/satchel/text/pattern"
)

// claim is a text that claims to be a secret.
type claim struct {
	key    string // in lower case
	sign   string // between key and value; empty: a word such as "is"
	value  string
	quoted bool
	last   bool // the claim ends the line
	part   bool // the key is the end of a word
}

// secret distinguishes a secret from a text about one, as in "token: the next word", and
// from a placeholder, as in password=$PASSWORD.
func (c claim) secret() bool {
	if strings.Contains(c.value, closing) { // judge only the text beside the tokens, and texts that pose as one
		bare, _ := Undisguised(c.value)
		c.value = strings.TrimSpace(tokens.ReplaceAllString(bare, ""))
	}
	mixed := strings.ContainsAny(c.value, "0123456789") || strings.Trim(c.value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZäöüÄÖÜß-_.") != ""
	password := c.password()
	switch {
	case c.harmless():
		return false
	case len(c.value) < 4 || strings.ContainsAny(c.value[:1], "$<{%*([&") || isPlaceholder(c.value):
		return false
	case !c.quoted && (strings.Contains(c.value, "(") || !password && strings.Contains(c.value, "[") || c.named()):
		return false
	case c.weak():
		return c.strange() && (c.sign != "next line" || c.last && !strings.HasSuffix(c.value, ":"))
	case strings.HasSuffix(c.sign, "="), c.quoted && password:
		return true
	case c.sign == "":
		return len(c.value) >= 6 && strings.ContainsAny(c.value, "0123456789") && (c.last || password)
	case password:
		return mixed || c.last
	}
	least := 8
	if strings.HasPrefix(c.key, "api") { // only secrets have this name
		least = 6
	}
	return mixed && len(c.value) >= least || len(c.value) >= 16
}

// namePattern is a name in a program whose last word says what it holds, such as request.api_key
// or PrivateKey. A password may look like such a name if that has no dot.
var namePattern = pattern.New(`(?i)^(?:[a-z_][a-z0-9_]*\.)*[a-z0-9_]*(?:key|token|secret|password|passwd|pwd|credentials?)\d{0,2}$`)

// named reports whether the value is the name of a secret.
func (c claim) named() bool {
	return namePattern.MatchString(c.value) && (!c.password() || strings.Contains(c.value, "."))
}

// password reports whether the text claims to be a password.
func (c claim) password() bool {
	for _, other := range []string{"private", "api", "access", "secret", "token", "credential", "encryption", "signing"} {
		if strings.HasPrefix(c.key, other) {
			return false
		}
	}
	return true
}

// weak reports whether the key or the sign often stands before other things than secrets.
func (c claim) weak() bool {
	switch c.sign {
	case "-", "->", "=>", "—", "–", "|", "next line":
		return true
	}
	return c.key == "pass" || c.key == "pw"
}

// strange reports whether the value is no word, number, path or reference.
func (c claim) strange() bool {
	short := c.key == "pass" || c.key == "pw"
	switch {
	case len(c.value) < 6, short && c.part, pathPattern.MatchString(c.value), strings.Contains(c.value, "://"), memberPattern.MatchString(c.value):
		return false
	case !strings.ContainsAny(c.value, "0123456789!@#$%^&*+?~"):
		return false
	}
	return c.password() && !short || strings.Trim(strings.ToLower(c.value), "0123456789-./:%_") != ""
}
