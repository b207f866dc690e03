package privacy

import (
	"math"
	"net/url"
	"strings"

	"github.com/satchel-memory/satchel/text/pattern"
	"github.com/satchel-memory/satchel/text/redact"
)

// secretFinder finds the secrets that [Secrets] refuses and [Redact] removes.
type secretFinder struct {
	secrets redact.Redactor
	known   []spelling // spellings of secrets given by the caller, such as values of the environment
}

var (
	// credentialQuery matches a credential in the query of an address.
	credentialQuery = pattern.New(`(?i)[?&;#](?:(?:x[_-]|ocp-apim-)?(?:(?:api|access|subscription|private|function)[_-]?)?key|(?:access|auth|api|id|refresh|private|bearer|session|security)?[_-]?token|auth|authorization|bearer|jwt|sig|signature|hmac|` +
		`x-(?:amz|goog)-(?:signature|security-token|credential)|pass|passw(?:or)?d|passphrase|pwd|secret|client[_-]?secret|client[_-]?assertion|credentials?)=([^&\s#{}$<>"'\\]{6,})`)
	// userOnly matches a token in place of an address's user.
	userOnly = pattern.New(`://([^\s/@:]{16,})@`)
	// passwordPhrase matches the word behind "password".
	passwordPhrase = pattern.New("(?i)\\b(?:password|passphrase|passwort|kennwort)[ \t]+[\"'`]?([^\\s\"'`\\\\]{6,})")
	// credentialName matches the name of a member that holds a credential.
	credentialName = pattern.New(`(?i)^(?:x[_-])?(?:passw(?:or)?d|passphrase|pwd|secret|token|credentials?|(?:api|access|private|auth|secret)[_-]?key|(?:client|shared)[_-]?secret|(?:access|auth|api|refresh|bearer)[_-]?token|authorization)$`)
	// passwordName matches a member whose value is a credential, whatever it looks like.
	passwordName = pattern.New(`(?i)^(?:x[_-])?(?:passw|passphrase|pwd)`)
	// scheme matches the name of an authentication scheme, which is no credential.
	scheme = pattern.New(`(?i)^(?:bearer|basic|digest|oauth2?|api[_-]?key|mtls|hmac|jwt|none|access[_-]?token|id[_-]?token)$`)
)

// asCredential describes a value whose member is named as a credential.
const asCredential = "is named as a credential"

// shortest is the fewest bytes of a text that is searched for secrets. A value named as a
// credential may be shorter.
const shortest = 8

// find finds secrets in a text that stands in a certain member.
func (s *secretFinder) find(text string, t memberContext) []hit {
	if t.auth && t.name == "path" {
		return s.findInPath(text)
	}
	if found := searchAll(text, s); len(found) > 0 {
		return found
	}
	if what := s.wholeText(text, t); what != "" && !isToken(text) {
		return []hit{{0, len(text), "secret", what}}
	}
	return nil
}

// search finds secrets in a text, whatever member it stands in.
func (s *secretFinder) search(found []hit, text string) []hit {
	for _, k := range s.known {
		found = k.find(found, text)
	}
	found = s.findAcrossLines(found, text)
	if len(text) < shortest {
		return found
	}
	for _, p := range s.secrets.Find(text) {
		if !isPlaceholder(text, p) {
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
		for _, at := range passwordPhrase.FindAllStringSubmatchIndex(text, -1) {
			if word := strings.TrimRight(text[at[2]:at[3]], ".,;:!?)"); looksChosen(word) {
				found = append(found, hit{at[2], at[2] + len(word), "secret", "holds what is said to be a password"})
			}
		}
	}
	return s.findEncoded(s.findNamed(found, text), text)
}

// wholeText describes the secret that a whole text is because of its place, or returns
// "".
func (s *secretFinder) wholeText(text string, t memberContext) string {
	switch {
	case s.named(text, t):
		return asCredential
	case len(text) < shortest:
		return ""
	case hasPassword(text):
		return "is an address with a password"
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

// hasPassword reports whether a text is an address with a password, even with one such as "pass"
// that stands for another in prose: a program sends what is there (AAIF-4.4-19). What is filled in
// later, as in ${PASSWORD}, is none.
func hasPassword(text string) bool {
	if strings.IndexByte(text, '@') < 0 || !strings.Contains(text, "://") || strings.ContainsAny(text, "<{$ \t\n") {
		return false
	}
	at, err := url.Parse(text)
	if err != nil || at.User == nil {
		return false
	}
	password, _ := at.User.Password()
	return password != ""
}

// isCredential reports whether a member of this name holds a credential.
func isCredential(name string) bool {
	if len(name) < 3 {
		return false
	}
	switch strings.ToLower(name[len(name)-3:]) { // the ends of all such names
	case "ord", "swd", "pwd", "ase", "ret", "ken", "ial", "als", "key", "ion":
		return credentialName.MatchString(name)
	}
	return false
}

// passesAsPassword reports whether a text looks like a password if something is called
// that.
func (s *secretFinder) passesAsPassword(text string) bool {
	if strings.ContainsAny(text, "\"\n ") || scheme.MatchString(text) {
		return false
	}
	return len(s.secrets.Find(`password: "`+text+`"`)) > 0
}

// standardWord matches the name of a standard, such as SHA-256, that may stand behind
// "password" in a sentence.
var standardWord = pattern.New(`(?i)^(?:sha|md|aes|rsa|oauth|rfc|argon|pbkdf|bcrypt|scrypt|v|utf|base|iso|pkcs|windows|totp|fido)[\-_]?\d`)

// looksChosen tells a password from an ordinary word behind "password".
func looksChosen(word string) bool {
	letters := strings.ContainsFunc(word, func(r rune) bool { return isLower(r) || isUpper(r) })
	return len(word) >= 6 && letters && strings.ContainsAny(word, "0123456789") &&
		!strings.ContainsAny(word[:1], "$<{%[(*&") && !strings.ContainsAny(word, "()=") && !standardWord.MatchString(word)
}

// mixed reports whether a text mixes letters, digits and marks as no name does.
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

// turns counts the changes between digits and other characters.
func turns(text string) (n int) {
	for i := 1; i < len(text); i++ {
		if isDigit(text[i]) != isDigit(text[i-1]) {
			n++
		}
	}
	return n
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// token matches text that a machine may have generated.
var token = pattern.New(`^[A-Za-z0-9+/_=.~-]{20,}$`)

// random reports whether a text looks generated: long, without blanks, with letters of
// both cases and digits, in few parts, and hardly repeating. Hexadecimal digits alone
// count as a checksum unless hex is set, because a credential belongs there.
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
		least = 3.2 // the entropy that 32 hexadecimal digits reach
	}
	return entropy(text) >= least && strings.Count(text, "/") <= 2 && strings.Count(text, "-")+strings.Count(text, ".") <= 3
}

func isLower(r rune) bool { return 'a' <= r && r <= 'z' }
func isUpper(r rune) bool { return 'A' <= r && r <= 'Z' }

// entropy returns the bits of information per character.
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
