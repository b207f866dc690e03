package ump

import (
	"crypto/ed25519"
	"encoding/base64"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// ReadToken reads a capability token and verifies that its issuer signed it, from the
// token alone (UMP-5.2-6). It does not check the time: see [Claims.Check]. It ignores
// unknown claims. It refuses unknown members of scope, because they would narrow the
// grant.
//
// Every error is of kind unauthorized and has one of the ErrToken sentinels.
func ReadToken(token string) (Claims, error) {
	c, fault := readToken(token)
	if fault.cause != nil {
		return Claims{}, fault.refusal(memory.Unauthorized, "authenticate")
	}
	return c, nil
}

func readToken(token string) (Claims, tokenFault) {
	if len(token) > maxToken {
		return Claims{}, tokenFault{ErrTokenLong, ""}
	}
	payload, signature, ok := cutToken(token)
	if !ok {
		return Claims{}, tokenFault{ErrTokenForm, ""}
	}
	v, ok := payloadOf(payload)
	if !ok {
		return Claims{}, tokenFault{ErrTokenForm, ""}
	}
	r := claimReader{claims: v}
	c := Claims{Version: r.text("v", ErrTokenVersion)}
	if r.fault.cause == nil && !knownTokenEdition(c.Version) {
		return Claims{}, tokenFault{ErrTokenVersion, "/v"}
	}
	c.Issuer = memory.DID(r.text("iss", ErrTokenIssuer))
	if r.fault.cause == nil {
		r.fault = verifyToken(c.Issuer, payload, signature)
	}
	if r.fault.cause != nil {
		return Claims{}, r.fault
	}
	r.read(&c) // after the signature is verified
	if r.fault.cause != nil {
		return Claims{}, r.fault
	}
	return c, c.fault()
}

// ParseClaims reads claims that [Claims.JSON] wrote. It does not know who signed them: it is
// for the issuer's own list. Its errors are those of [ReadToken].
func ParseClaims(text []byte) (Claims, error) {
	v, err := canon.Parse(text, canon.Options{Bytes: maxToken, Depth: 16, Inexact: true})
	if err != nil || v.Type() != canon.TypeObject {
		return Claims{}, tokenFault{ErrTokenForm, ""}.refusal(memory.Unauthorized, "authenticate")
	}
	r := claimReader{claims: v}
	c := Claims{Version: r.text("v", ErrTokenVersion), Issuer: memory.DID(r.text("iss", ErrTokenIssuer))}
	r.read(&c)
	if r.fault.cause == nil {
		r.fault = c.fault()
	}
	if r.fault.cause != nil {
		return Claims{}, r.fault.refusal(memory.Unauthorized, "authenticate")
	}
	return c, nil
}

// cutToken splits a token into its encoded payload and its signature.
func cutToken(token string) (payload string, signature []byte, ok bool) {
	rest, isToken := strings.CutPrefix(token, tokenPrefix)
	payload, digits, found := strings.Cut(rest, tokenSignature)
	if !isToken || !found || payload == "" {
		return "", nil, false
	}
	signature, ok = base64url(digits)
	return payload, signature, ok && len(signature) == ed25519.SignatureSize
}

// base64url decodes the only accepted spelling of some bytes. It refuses line breaks
// itself, because the decoder of the standard library skips them.
func base64url(s string) ([]byte, bool) {
	if strings.ContainsAny(s, "\r\n") {
		return nil, false
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(s)
	return b, err == nil
}

// payloadOf parses the claims. It accepts inexact numbers, because no known claim is
// a number.
func payloadOf(text string) (canon.Value, bool) {
	raw, ok := base64url(text)
	if !ok {
		return canon.Value{}, false
	}
	v, err := canon.Parse(raw, canon.Options{Bytes: maxToken, Depth: 16, Inexact: true})
	return v, err == nil && v.Type() == canon.TypeObject
}

// verifyToken checks that the issuer signed the payload as sent (UMP-5.2-3).
func verifyToken(issuer memory.DID, payload string, signature []byte) tokenFault {
	key, err := keys.Public(issuer)
	if err != nil || keys.DID(key) != issuer {
		return tokenFault{ErrTokenIssuer, "/iss"}
	}
	message := sum256([]byte(payload))
	if !ed25519.Verify(key, message[:], signature) {
		return tokenFault{ErrTokenSignature, ""}
	}
	return tokenFault{}
}

// claimReader reads claims and keeps the first fault.
type claimReader struct {
	claims canon.Value
	fault  tokenFault
}

func (r *claimReader) refuse(cause error, path string) {
	if r.fault.cause == nil {
		r.fault = tokenFault{cause, path}
	}
}

// text reads a required claim that must not be empty.
func (r *claimReader) text(name string, cause error) string {
	s := r.claims.Get(name).Text()
	if s == "" {
		r.refuse(cause, "/"+name)
	}
	return s
}

// optional reads an optional claim that must not be empty if it is present.
func (r *claimReader) optional(name string, cause error) string {
	if !r.claims.Has(name) {
		return ""
	}
	return r.text(name, cause)
}

func (r *claimReader) read(c *Claims) {
	c.Audience = r.optional("aud", ErrTokenForm)
	c.Subject = r.optional("sub", ErrTokenForm)
	c.ID = r.text("jti", ErrTokenID)
	c.Verbs = r.verbs()
	c.Scope, c.Projects, c.Runtime = r.scope()
	c.Expires = r.instant("exp")
	if r.claims.Has("nbf") {
		c.NotBefore = r.instant("nbf")
	}
}

// verbs reads the verbs. A value that is not a text becomes the empty verb, which is
// unknown.
func (r *claimReader) verbs() []memory.Verb {
	list := r.claims.Get("verbs")
	if list.Type() != canon.TypeArray {
		r.refuse(ErrTokenVerb, "/verbs")
	}
	verbs := make([]memory.Verb, list.Len())
	for i, item := range list.Items() {
		verbs[i] = memory.Verb(item.Text())
	}
	return verbs
}

func (r *claimReader) scope() (s memory.Scope, projects []string, runtime *memory.Runtime) {
	v := r.claims.Get("scope")
	if v.Type() != canon.TypeObject {
		r.refuse(ErrTokenScope, "/scope")
		return s, nil, nil
	}
	for _, m := range v.Members() {
		said := m.Value.Text()
		switch m.Name {
		case "owner":
			s.Owner = memory.DID(said)
		case "project":
			s.Project = said
		case projectsMember:
			said = "a list"
			if projects = r.projects(m.Value); projects == nil {
				said = ""
			}
		case "agent":
			s.Agent = said
		case "visibility":
			s.Visibility = memory.Visibility(said)
		case runtimeMember:
			said = "an object"
			if m.Value.Type() != canon.TypeObject {
				said = ""
			}
			runtime = r.runtime(m.Value)
		default:
			said = ""
		}
		if said == "" {
			r.refuse(ErrTokenScope, "/scope"+canon.Pointer(m.Name))
		}
	}
	return s, projects, runtime
}

// projects reads a list of projects that is not empty; nil: it is none.
func (r *claimReader) projects(list canon.Value) []string {
	if list.Type() != canon.TypeArray {
		return nil
	}
	var out []string
	for _, item := range list.Items() {
		if item.Type() != canon.TypeString {
			return nil
		}
		out = append(out, item.Text())
	}
	return out
}

func (r *claimReader) instant(name string) time.Time {
	t, ok := parseInstant(r.claims.Get(name).Text())
	if !ok {
		r.refuse(ErrTokenTime, "/"+name)
	}
	return t
}
