package aaif

import (
	"strconv"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/text/redact"
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
	s := &scan{secrets: redact.Secrets()}
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
	name   string // of the nearest member that is no keyword of a schema
	called string // the nearest member, or what stands beside it says that it is
	auth   bool   // it says how to authenticate
	sample bool   // it is a default or an example of a schema
	choice bool   // it is one of those that a schema lets through
	// requires: it names members that a schema requires beside others
	requires bool
	depth    int // in how many texts it stands that are JSON themselves
}

func (t trail) into(name string) trail {
	t.called = name
	switch name {
	case "default", "example", "examples", "const": // of what the member around it is named
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

// under returns the trail of a member of an object: what is called value is what a member
// beside it names, as in {"key": "API_TOKEN", "value": "…"}.
func (t trail) under(object canon.Value, name string) trail {
	t = t.into(name)
	if name == "value" {
		if called := object.Get("key").Text() + object.Get("name").Text(); called != "" {
			t.called, t.name = called, called
		}
	}
	return t
}

// walk reports the secrets in a value, and what they are: the first of every text.
func (s *scan) walk(v canon.Value, at []string, t trail, report func(at []string, text, what string)) {
	switch v.Type() {
	case canon.TypeString:
		if what := s.first(v.Text(), t); what != "" {
			report(at, v.Text(), what)
		}
	case canon.TypeNumber:
		if as := namedAs(t.name); (as == namedCredential || as == namedPassword) && s.claimed(v.Spelling()) && len(v.Spelling()) >= shortest {
			report(at, v.Spelling(), asCredential)
		}
	}
	for i, inner := range v.Items() {
		s.walk(inner, append(at, strconv.Itoa(i)), t, report)
	}
	for _, m := range v.Members() {
		inside := append(at, m.Name)
		if len(m.Name) >= shortest && len(spots(m.Name, s)) > 0 {
			report(inside, m.Name, "the name of a member holds a secret")
		}
		s.walk(m.Value, inside, t.under(v, m.Name), report)
	}
}

// first says what of a secret is in a text, also where that is JSON, and "" of none.
func (s *scan) first(text string, t trail) (what string) {
	if found := s.find(text, t); len(found) > 0 {
		return found[0].what
	}
	if inner, ok := inside(text, t); ok {
		t.depth++
		s.walk(inner, nil, t, func(_ []string, _, first string) {
			if what == "" {
				what = first
			}
		})
	}
	return what
}
