package aaif

import (
	"math"
	"strings"

	"github.com/satchel-memory/satchel/text/pattern"
	"github.com/satchel-memory/satchel/text/redact"
)

// scan finds secrets: what [Secrets] refuses, and [Leave] takes out.
type scan struct {
	secrets redact.Redactor
	known   []spelling // of secrets that are known, such as those of the environment
}

var (
	// credentialQuery is a credential in the query of an address.
	credentialQuery = pattern.New(`(?i)[?&;#](?:(?:x[_-]|ocp-apim-)?(?:(?:api|access|subscription|private|function)[_-]?)?key|(?:access|auth|api|id|refresh|private|bearer|session|security)?[_-]?token|auth|authorization|bearer|jwt|sig|signature|hmac|` +
		`x-(?:amz|goog)-(?:signature|security-token|credential)|pass|passw(?:or)?d|passphrase|pwd|secret|client[_-]?secret|client[_-]?assertion|credentials?)=([^&\s#{}$<>"'\\]{6,})`)
	// userOnly is a token in the place of a user of an address.
	userOnly = pattern.New(`://([^\s/@:]{16,})@`)
	// passwordSaid is a word behind one that promises a password.
	passwordSaid = pattern.New("(?i)\\b(?:password|passphrase|passwort|kennwort)[ \t]+[\"'`]?([^\\s\"'`\\\\]{6,})")
	// credentialName is a member that holds a credential.
	credentialName = pattern.New(`(?i)^(?:x[_-])?(?:passw(?:or)?d|passphrase|pwd|secret|token|credentials?|(?:api|access|private|auth|secret)[_-]?key|(?:client|shared)[_-]?secret|(?:access|auth|api|refresh|bearer)[_-]?token|authorization)$`)
	// passwordName is one of those whose value is one whatever it looks like.
	passwordName = pattern.New(`(?i)^(?:x[_-])?(?:passw|passphrase|pwd)`)
	// scheme is how to authenticate, and no credential.
	scheme = pattern.New(`(?i)^(?:bearer|basic|digest|oauth2?|api[_-]?key|mtls|hmac|jwt|none|access[_-]?token|id[_-]?token)$`)
)

// asCredential says what is a secret for its name.
const asCredential = "is named as a credential"

// shortest is how many bytes a text has in which there may be a secret; what is named as
// one may be shorter.
const shortest = 8

// find finds secrets in a text that stands under the names of a trail.
func (s *scan) find(text string, t trail) []hit {
	if t.auth && t.name == "path" {
		return s.inPath(text)
	}
	if found := spots(text, s); len(found) > 0 {
		return found
	}
	if what := s.whole(text, t); what != "" && !isToken(text) {
		return []hit{{0, len(text), "secret", what}}
	}
	return nil
}

// look finds what is a secret wherever it stands.
func (s *scan) look(found []hit, text string) []hit {
	for _, k := range s.known {
		found = k.find(found, text)
	}
	found = s.acrossLines(found, text)
	if len(text) < shortest {
		return found
	}
	for _, p := range s.secrets.Find(text) {
		if !excused(text, p) {
			found = append(found, hit{p.Start, p.End, p.Name, "holds what has the shape of a secret"})
		}
	}
	if strings.IndexByte(text, '=') >= 0 && strings.Contains(text, "://") {
		for _, at := range credentialQuery.FindAllStringSubmatchIndex(text, -1) {
			found = append(found, hit{at[2], at[3], "secret", "holds an address with a credential in its query"})
		}
	}
	if strings.IndexByte(text, '@') >= 0 && strings.Contains(text, "://") {
		for _, at := range userOnly.FindAllStringSubmatchIndex(text, -1) {
			found = append(found, hit{at[2], at[3], "secret", "holds an address with a credential in the place of a user"})
		}
	}
	if strings.Contains(text, "ass") || strings.Contains(text, "ASS") || strings.Contains(text, "ennw") {
		for _, at := range passwordSaid.FindAllStringSubmatchIndex(text, -1) {
			if word := strings.TrimRight(text[at[2]:at[3]], ".,;:!?)"); looksChosen(word) {
				found = append(found, hit{at[2], at[2] + len(word), "secret", "holds what is said to be a password"})
			}
		}
	}
	return s.encoded(s.said(found, text), text)
}

// whole says what of a secret a whole text is for where it stands, and "" of none.
func (s *scan) whole(text string, t trail) string {
	switch {
	case s.named(text, t):
		return asCredential
	case len(text) < shortest:
		return ""
	case t.name == "env_var" && !isVariable(text):
		return "is not the name of a variable, and may be its content"
	case t.auth && t.name == "header" && isHeaderSecret(text):
		return "is a header with a credential, and not the name of one"
	case (t.auth || t.sample || t.choice && !strings.ContainsAny(text, "-._/")) && t.name != "env_var" && random(text, t.auth) && (t.auth || !isKnownID(text)):
		return "is as random as a credential"
	case t.auth && t.name == "key" && mixed(text):
		return "is not the name of an entry, and may be its content"
	}
	return ""
}

// isCredential reports whether a member of that name holds a credential.
func isCredential(name string) bool {
	if len(name) < 3 {
		return false
	}
	switch strings.ToLower(name[len(name)-3:]) { // what all of them end with
	case "ord", "swd", "pwd", "ase", "ret", "ken", "ial", "als", "key", "ion":
		return credentialName.MatchString(name)
	}
	return false
}

// claimed reports whether a text is one that something called a password would be.
func (s *scan) claimed(text string) bool {
	if strings.ContainsAny(text, "\"\n ") || scheme.MatchString(text) {
		return false
	}
	return len(s.secrets.Find(`password: "`+text+`"`)) > 0
}

// standardWord is a word with digits that may stand behind "password" in a sentence.
var standardWord = pattern.New(`(?i)^(?:sha|md|aes|rsa|oauth|rfc|argon|pbkdf|bcrypt|scrypt|v|utf|base|iso|pkcs|windows|totp|fido)[\-_]?\d`)

// looksChosen tells a password from another word that stands behind that one.
func looksChosen(word string) bool {
	letters := strings.ContainsFunc(word, func(r rune) bool { return isLower(r) || isUpper(r) })
	return len(word) >= 6 && letters && strings.ContainsAny(word, "0123456789") &&
		!strings.ContainsAny(word[:1], "$<{%[(*&") && !strings.ContainsAny(word, "()=") && !standardWord.MatchString(word)
}

// mixed reports whether a text is of letters, digits and marks as no name is.
func mixed(text string) bool {
	lower, upper, digits := strings.ContainsFunc(text, isLower), strings.ContainsFunc(text, isUpper), strings.ContainsAny(text, "0123456789")
	if strings.Contains(text, " ") || !digits || !lower && !upper {
		return false
	}
	if strings.ContainsAny(text, "!&$%^*?#@~+=") {
		return true
	}
	return lower && upper && turns(text) >= 4
}

// turns counts how often digits follow others in a text, or others digits.
func turns(text string) (n int) {
	for i := 1; i < len(text); i++ {
		if isDigit(text[i]) != isDigit(text[i-1]) {
			n++
		}
	}
	return n
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// token is the form of what a machine made up.
var token = pattern.New(`^[A-Za-z0-9+/_=.~-]{20,}$`)

// random reports whether a text looks made up by a machine: long, without blanks, of
// letters in both cases and digits, in few parts, and hardly repeating itself. Hexadecimal digits
// alone are a sum, unless a credential belongs there.
func random(text string, hex bool) bool {
	if !token.MatchString(text) {
		return false
	}
	lower, upper, digits := strings.ContainsFunc(text, isLower), strings.ContainsFunc(text, isUpper), strings.ContainsAny(text, "0123456789")
	if !digits || !lower && !upper || !hex && (!lower || !upper) {
		return false
	}
	least := 3.5
	if hex {
		least = 3.2 // of 32 digits
	}
	return entropy(text) >= least && strings.Count(text, "/") <= 2 && strings.Count(text, "-")+strings.Count(text, ".") <= 3
}

func isLower(r rune) bool { return 'a' <= r && r <= 'z' }
func isUpper(r rune) bool { return 'A' <= r && r <= 'Z' }

// entropy returns how many bits a letter of a text tells.
func entropy(text string) float64 {
	var counts [256]int
	for i := range len(text) {
		counts[text[i]]++
	}
	bits := 0.0
	for _, n := range counts {
		if n > 0 {
			p := float64(n) / float64(len(text))
			bits -= p * math.Log2(p)
		}
	}
	return bits
}
