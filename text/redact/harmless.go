package redact

import (
	"strings"

	"github.com/satchel-memory/satchel/text/pattern"
)

var (
	// aPath begins as a path does, in the home folder or in a folder of it.
	aPath = pattern.New(`^(?:~|\.{1,2})?[/\\]|^~$|^[A-Za-z]:[/\\]`)
	// aPlace is where a program has a value: a member of what programs call so.
	aPlace = pattern.New(`^(?:process\.env|import\.meta\.env|os\.environ|env|environ|ENV|config|cfg|conf|settings|secrets|vars?|vault|local|self|this|request|req|ctx|context|args|opts|options|params|props|data|app|steps|inputs|github)(?:(?:\??\.[A-Za-z_]\w*)+(?:\[\S*)?|\[\S*)$`)
	// aMember is a member of something in a program.
	aMember = pattern.New(`^[a-z]\w*(?:\.[A-Za-z_]\w*)+$`)
	// ofWords is a name of small words, and maybe a short number, as clusters and files
	// have them.
	ofWords = pattern.New(`^(?:[a-z]{1,15}|[a-z]\d{1,2}[a-z])(?:[\-_](?:[a-z]{1,15}|[a-z]\d{1,2}[a-z]|(?:ed|rsa|v)?\d{1,5}|[a-z]{2,10}\d{1,2}))+$`)
	// aSetting is a number that a word has.
	aSetting = pattern.New(`^[a-z][a-z_]{3,}=\d{1,9}[a-z]{0,3}$`)
	// aRule says how a password is kept, or how long it is.
	aRule = pattern.New(`(?i)^(?:(?:b|s|md5|sha512)?crypt|argon|pbkdf|sha|md|hmac|min|max|minimum|maximum|length)[\-_=]?\d{0,3}(?:id|[id])?$`)
	// aStroke is what is pressed on a keyboard, aNorm the number of a standard.
	aStroke = pattern.New(`(?i)^(?:ctrl|control|alt|shift|cmd|command|option|meta|win|super|fn)\+`)
	aNorm   = pattern.New(`^[A-Z]{2,5}-\d{1,5}$`)
	// aStandIn is to be replaced by a value.
	aStandIn = pattern.New(`(?i)^your[\-_ ](?:[a-z]+[\-_ ])*(?:key|token|secret|password|passwd|pwd|passphrase|credentials?)(?:[\-_ ]?here)?\d{0,2}$`)
)

// harmless reports whether the value is one of a kind that no secret is.
func (c claim) harmless() bool {
	password := c.password()
	switch {
	case aPath.MatchString(c.value):
		return c.key == "pwd" || !password && (strings.HasPrefix(c.key, "private") || c.value[0] == '~' || c.value[0] == '.')
	case aStandIn.MatchString(c.value), blanked(c.value), aPlace.MatchString(c.value), aSetting.MatchString(c.value):
		return true
	case password:
		return aRule.MatchString(c.value)
	}
	return ofWords.MatchString(c.value) || aStroke.MatchString(c.value) || aNorm.MatchString(c.value)
}

// blanked reports whether a text ends in the letters that people write in the place of a
// secret, as in ghp_xxxxxxxx.
func blanked(text string) bool {
	const least = 8
	rest := strings.TrimRight(text, "xX*.…•")
	return len(rest) == 0 || len(text)-len(rest) >= least
}

// isPassword tells the password of an address from a port, and from what stands in the
// place of one.
func isPassword(text string) bool {
	digits := strings.TrimLeft(text, "0123456789")
	switch {
	case digits == "":
		return len(text) > 3 // 22 and 443 are ports
	case len(text)-len(digits) > 1 && strings.ContainsAny(digits[:1], "?#"):
		return false
	case strings.ContainsAny(text[:1], "<{") || strings.HasPrefix(text, "${") || strings.HasPrefix(text, "$("):
		return false
	}
	return !isPlaceholder(text) && !aStandIn.MatchString(text)
}

// isPlaceholder reports whether a word stands in the place of a value, or says where the
// value is kept.
func isPlaceholder(word string) bool {
	switch strings.ToLower(word) {
	case "none", "null", "true", "false", "string", "required", "optional", "input", "empty", "unset", "undefined", "expired", "invalid", "missing", "changeme", "redacted",
		"password", "passwd", "passphrase", "pass", "secret", "token", "placeholder",
		"1password", "bitwarden", "keepass", "keepassxc", "lastpass", "dashlane", "keychain":
		return true
	}
	return false
}
