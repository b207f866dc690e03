package privacy

import (
	"strconv"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/text/redact"
)

// SecretOptions steer [Secrets]. The zero value allows nothing.
type SecretOptions struct {
	// Allow reports whether the text at a pointer is no secret, although it looks like
	// one; nil: no text is allowed. See [AllowList].
	Allow func(pointer, text string) bool
}

// mostSecrets bounds how many credentials of a document are reported.
const mostSecrets = 1000

// Secrets reports the credentials in a document, which may hold none (AAIF-12-3,
// AAIF-12-4, decision R47): keys and tokens known by their shape, private keys, users and
// credentials in addresses, and random text where a credential would stand. A document
// with a credential is refused, whatever the schema says.
func Secrets(d aaif.Document, opt SecretOptions) []*codec.ParseError {
	var found []*codec.ParseError
	s := &secretFinder{secrets: redact.Secrets()}
	s.walk(d.Value, nil, memberContext{}, func(at []string, text, what string) {
		pointer := canon.Pointer(at...)
		if len(found) < mostSecrets && !isExempt(pointer) && (opt.Allow == nil || !opt.Allow(pointer, text)) {
			found = append(found, fault(aaif.InlineSecret, requirementOf(pointer), pointer, "%s; refer to it by env_var or vault_ref, and replace it, as it has been shown", what))
		}
	})
	return found
}

// requirementOf returns the requirement that a secret at a pointer breaks.
func requirementOf(pointer string) string {
	if strings.HasPrefix(pointer, "/agent/tools/") {
		return "12-4"
	}
	return "12-3"
}

// isExempt reports whether a signature, a checksum or a migration token belongs at a
// pointer.
func isExempt(pointer string) bool {
	switch pointer {
	case "/provenance/signature", "/provenance/checksum", "/provenance/migration_token", "/attestation/signature":
		return true
	}
	return false
}

// memberContext is what the names of the members around a value say about the value.
type memberContext struct {
	name   string // the nearest member, without the keywords of a schema
	label  string // the nearest member, or the label beside the value
	auth   bool   // inside auth, which says how to authenticate
	sample bool   // a default or an example in a schema
	choice bool   // one of the values that a schema allows
	// requires: the value names members that a schema requires beside others
	requires bool
	depth    int // the number of JSON texts around the value
}

func (t memberContext) enter(name string) memberContext {
	t.label = name
	switch name {
	case "default", "example", "examples", "const": // the member around it has the telling name
		t.sample = true
	case "enum":
		t.choice = true
	case "dependentRequired", "dependencies":
		t.requires = true
	case "auth":
		t.auth = true
		fallthrough
	default:
		t.name = name
	}
	return t
}

// under returns the context of a member of an object. In {"key": "API_TOKEN", "value":
// "…"}, the member beside "value" names it.
func (t memberContext) under(object canon.Value, name string) memberContext {
	t = t.enter(name)
	if name == "value" {
		if called := object.Get("key").Text() + object.Get("name").Text(); called != "" {
			t.label, t.name = called, called
		}
	}
	return t
}

// walk reports the secrets in a value with a description of each: the first of every
// text.
func (s *secretFinder) walk(v canon.Value, at []string, t memberContext, report func(at []string, text, what string)) {
	switch v.Type() {
	case canon.TypeString:
		if what := s.firstIn(v.Text(), t); what != "" {
			report(at, v.Text(), what)
		}
	case canon.TypeNumber:
		if as := meaningOf(t.name); (as == anyCredential || as == chosenPassword) && s.passesAsPassword(v.Spelling()) && len(v.Spelling()) >= shortest {
			report(at, v.Spelling(), asCredential)
		}
	}
	for i, inner := range v.Items() {
		s.walk(inner, append(at, strconv.Itoa(i)), t, report)
	}
	for _, m := range v.Members() {
		inside := append(at, m.Name)
		if len(m.Name) >= shortest && len(searchAll(m.Name, s)) > 0 {
			report(inside, m.Name, "the name of a member holds a secret")
		}
		s.walk(m.Value, inside, t.under(v, m.Name), report)
	}
}

// firstIn describes the first secret in a text, also inside JSON, or returns "".
func (s *secretFinder) firstIn(text string, t memberContext) (what string) {
	if found := s.find(text, t); len(found) > 0 {
		return found[0].what
	}
	if inner, ok := innerJSON(text, t); ok {
		t.depth++
		s.walk(inner, nil, t, func(_ []string, _, first string) {
			if what == "" {
				what = first
			}
		})
	}
	return what
}
