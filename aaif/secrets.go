package aaif

import (
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory/redact"
)

// SecretOptions steer [Secrets]. The zero value allows nothing.
type SecretOptions struct {
	// Allow says of a text at a pointer that it is no secret, though it looks like one;
	// nil: of none. See [AllowList].
	Allow func(pointer, text string) bool
}

// Secrets reports credentials that a document holds, none of which it may (AAIF-12-3,
// AAIF-12-4, decision R47): keys and tokens by their shape, private keys, users and
// credentials in addresses, and what is random where a credential would stand. Whatever
// the schema says, a document with one is refused.
func Secrets(d Document, opt SecretOptions) []*codec.ParseError {
	var found []*codec.ParseError
	s := scan{secrets: redact.Secrets()}
	s.walk(d.Value, nil, trail{}, func(at []string, text, what string) {
		pointer := canon.Pointer(at...)
		if len(found) < mostViolations && !exempt(pointer) && (opt.Allow == nil || !opt.Allow(pointer, text)) {
			found = append(found, fault(InlineSecret, rule(pointer), pointer, "%s; refer to it by env_var or vault_ref, and replace it, as it has been shown", what))
		}
	})
	return found
}

// rule returns the requirement that a secret at a pointer breaks.
func rule(pointer string) string {
	if strings.HasPrefix(pointer, "/agent/tools/") {
		return "12-4"
	}
	return "12-3"
}

// exempt are the places where a signature, a sum or a token of its own belongs.
func exempt(pointer string) bool {
	switch pointer {
	case "/provenance/signature", "/provenance/checksum", "/provenance/migration_token", "/attestation/signature":
		return true
	}
	return false
}

// trail is what the names of the members around a value say of it.
type trail struct {
	name   string // of the nearest member
	auth   bool   // it says how to authenticate
	sample bool   // it is a default or an example of a schema
}

func (t trail) into(name string) trail {
	switch name {
	case "default", "example", "examples": // of what the member around it is named
		t.sample = true
	case "auth":
		t.auth = true
		fallthrough
	default:
		t.name = name
	}
	return t
}

// scan looks for secrets.
type scan struct{ secrets redact.Redactor }

func (s scan) walk(v canon.Value, at []string, t trail, report func(at []string, text, what string)) {
	if v.Type() == canon.TypeString {
		if what := s.judge(v.Text(), t); what != "" {
			report(at, v.Text(), what)
		}
	}
	for i, inner := range v.Items() {
		s.walk(inner, append(at, strconv.Itoa(i)), t, report)
	}
	for _, m := range v.Members() {
		inside := append(at, m.Name)
		if len(m.Name) >= shortest && s.shaped(m.Name) {
			report(inside, m.Name, "the name of a member holds a secret")
		}
		s.walk(m.Value, inside, t.into(m.Name), report)
	}
}

var (
	// credentialQuery is a credential in the query of an address.
	credentialQuery = regexp.MustCompile(`(?i)[?&](?:key|api[_-]?key|access[_-]?token|token|auth|sig|signature|x-amz-signature|password|pwd|secret|client[_-]?secret)=([^&\s#{}$<>"']{6,})`)
	// userOnly is a token in the place of a user of an address.
	userOnly = regexp.MustCompile(`://[^\s/@:]{16,}@`)
	// basicAuth is a user and a password as HTTP sends them.
	basicAuth = regexp.MustCompile(`(?i)^basic\s+[A-Za-z0-9+/]{8,}=*$`)
	// credentialName is a member that holds a credential.
	credentialName = regexp.MustCompile(`(?i)^(?:x[_-])?(?:passw(?:or)?d|passphrase|pwd|secret|token|credentials?|(?:api|access|private|auth|secret)[_-]?key|(?:client|shared)[_-]?secret|(?:access|auth|api|refresh|bearer)[_-]?token|authorization)$`)
)

// shaped reports whether a text holds what has the shape of a secret.
func (s scan) shaped(text string) bool {
	_, n := s.secrets.Text(text)
	return n.Total() > 0
}

// shortest is how many bytes a text has in which there may be a secret; what is named as
// one may be shorter.
const shortest = 8

// judge says what of a secret a text is, and "" of none.
func (s scan) judge(text string, t trail) string {
	if len(text) < shortest {
		if credentialName.MatchString(t.name) && s.claimed(text) {
			return "is named as a credential"
		}
		return ""
	}
	if s.shaped(text) {
		return "holds what has the shape of a secret"
	}
	switch {
	case strings.Contains(text, "://") && credentialQuery.MatchString(text):
		return "holds an address with a credential in its query"
	case strings.Contains(text, "://") && userOnly.MatchString(text):
		return "holds an address with a credential in the place of a user"
	case basicAuth.MatchString(text):
		return "holds a user and a password"
	case credentialName.MatchString(t.name) && s.claimed(text):
		return "is named as a credential"
	case t.name == "env_var" && !envName.MatchString(text) && strings.ContainsAny(text, "0123456789") && len(text) >= 8:
		return "is not the name of a variable, and may be its content"
	case (t.auth || t.sample) && t.name != "path" && t.name != "env_var" && random(text, t.auth):
		return "is as random as a credential"
	}
	return ""
}

// claimed reports whether a text is one that something called a password would be.
func (s scan) claimed(text string) bool {
	if strings.ContainsAny(text, "\"\n") {
		return false
	}
	return !strings.Contains(text, " ") && s.shaped(`password: "`+text+`"`)
}

// token is the form of what a machine made up.
var token = regexp.MustCompile(`^[A-Za-z0-9+/_=.~-]{20,}$`)

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
