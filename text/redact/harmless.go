package redact

import (
	"strings"

	"github.com/satchel-memory/satchel/text/pattern"
)

var (
	// pathPattern matches the beginning of a path: in the home folder, a relative or an absolute
	// one.
	pathPattern = pattern.New(`^(?:~|\.{1,2})?[/\\]|^~$|^[A-Za-z]:[/\\]`)
	// placePattern matches a place where a program keeps a value, such as process.env.
	placePattern = pattern.New(`^(?:process\.env|import\.meta\.env|os\.environ|env|environ|ENV|config|cfg|conf|settings|secrets|vars?|vault|local|self|this|request|req|ctx|context|args|opts|options|params|props|data|app|steps|inputs|github)(?:(?:\??\.[A-Za-z_]\w*)+(?:\[\S*)?|\[\S*)$`)
	// memberPattern matches a member of an object in a program.
	memberPattern = pattern.New(`^[a-z]\w*(?:\.[A-Za-z_]\w*)+$`)
	// wordsPattern matches a name of short words, perhaps with a short number, as clusters and
	// files have.
	wordsPattern = pattern.New(`^(?:[a-z]{1,15}|[a-z]\d{1,2}[a-z])(?:[\-_](?:[a-z]{1,15}|[a-z]\d{1,2}[a-z]|(?:ed|rsa|v)?\d{1,5}|[a-z]{2,10}\d{1,2}))+$`)
	// settingPattern matches a word with a number.
	settingPattern = pattern.New(`^[a-z][a-z_]{3,}=\d{1,9}[a-z]{0,3}$`)
	// rulePattern matches a rule for passwords: how they are stored, or how long they are.
	rulePattern = pattern.New(`(?i)^(?:(?:b|s|md5|sha512)?crypt|argon|pbkdf|sha|md|hmac|min|max|minimum|maximum|length)[\-_=]?\d{0,3}(?:id|[id])?$`)
	// keystrokePattern matches keys pressed on a keyboard, standardPattern the number of a standard.
	keystrokePattern = pattern.New(`(?i)^(?:ctrl|control|alt|shift|cmd|command|option|meta|win|super|fn)\+`)
	standardPattern  = pattern.New(`^[A-Z]{2,5}-\d{1,5}$`)
	// standInPattern matches a placeholder such as "your key".
	standInPattern = pattern.New(`(?i)^your[\-_ ](?:[a-z]+[\-_ ])*(?:key|token|secret|password|passwd|pwd|passphrase|credentials?)(?:[\-_ ]?here)?\d{0,2}$`)
)

// harmless reports whether the value is of a kind that no secret is.
func (c claim) harmless() bool {
	password := c.password()
	switch {
	case pathPattern.MatchString(c.value):
		return c.key == "pwd" || !password && (strings.HasPrefix(c.key, "private") || c.value[0] == '~' || c.value[0] == '.')
	case standInPattern.MatchString(c.value), blanked(c.value), placePattern.MatchString(c.value), settingPattern.MatchString(c.value):
		return true
	case password:
		return rulePattern.MatchString(c.value)
	}
	return wordsPattern.MatchString(c.value) || keystrokePattern.MatchString(c.value) || standardPattern.MatchString(c.value)
}

// blanked reports whether a text ends in letters that people write in place of a secret, as
// in ghp_xxxxxxxx.
func blanked(text string) bool {
	const least = 8
	rest := strings.TrimRight(text, "xX*.…•")
	return len(rest) == 0 || len(text)-len(rest) >= least
}

// isPassword distinguishes the password in an address from a port and from a placeholder.
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
	return !isPlaceholder(text) && !standInPattern.MatchString(text)
}

// isPlaceholder reports whether a word stands for a value, or says where the value is kept.
func isPlaceholder(word string) bool {
	switch strings.ToLower(word) {
	case "none", "null", "true", "false", "string", "required", "optional", "input", "empty", "unset", "undefined", "expired", "invalid", "missing", "changeme", "redacted",
		"password", "passwd", "passphrase", "pass", "secret", "token", "placeholder",
		"1password", "bitwarden", "keepass", "keepassxc", "lastpass", "dashlane", "keychain":
		return true
	}
	return false
}
