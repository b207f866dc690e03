package ump

import (
	"encoding/base64"
	"slices"
	"strings"
	"time"

	"lukechampine.com/blake3"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// The editions of capability tokens. The first is written.
const (
	TokenEdition      = "ump-cap/0.1"
	laterTokenEdition = "ump-cap/1.0"
)

const (
	tokenPrefix    = "umpcap."
	tokenSignature = "." + signaturePrefix
	// maxToken bounds a token before anything of it is decoded.
	maxToken = 8 << 10
	// maxTokenID bounds jti, which stands in lists and logs.
	maxTokenID = 128
)

// Claims are what a capability token says (section 5.2, decision UD-25): its
// issuer lets whoever holds the token do Verbs within Scope from NotBefore until
// Expires.
type Claims struct {
	Version   string     // "ump-cap/0.1" or "ump-cap/1.0"
	Issuer    memory.DID // the owner whose memory it is about, who signs
	Audience  string     // the server it is for; empty: any
	Subject   string     // the issuer again where the owner carries it; empty: whoever holds it
	Verbs     []memory.Verb
	Scope     memory.Scope // Owner, Project, Agent, Visibility; empty: all of the issuer's
	NotBefore time.Time    // zero: at once
	Expires   time.Time
	ID        string // for revocation
	// Runtime is set where the token is for one assistant and opens nothing but the
	// context it starts from (Engram 3.9). Then Scope names nothing but the owner.
	Runtime *memory.Runtime
}

// MintToken signs claims with the issuer's key. The same claims and key give the
// same token. An empty Version becomes [TokenEdition]; times are written to the
// millisecond. Claims that no token may have are of kind invalid_record, with
// the sentinel [ReadToken] has for them.
func MintToken(c Claims, key keys.Private) (string, error) {
	if c.Version == "" {
		c.Version = TokenEdition
	}
	c.NotBefore, c.Expires = c.NotBefore.Truncate(time.Millisecond), c.Expires.Truncate(time.Millisecond)
	if f := c.fault(); f.cause != nil {
		return "", f.refusal(memory.InvalidRecord, "mint")
	}
	if key.IsZero() || key.DID() != c.Issuer {
		return "", tokenFault{ErrTokenIssuer, "/iss"}.refusal(memory.InvalidRecord, "mint")
	}
	payload := base64.RawURLEncoding.EncodeToString(c.JSON())
	message := blake3.Sum256([]byte(payload))
	token := tokenPrefix + payload + tokenSignature + base64.RawURLEncoding.EncodeToString(key.Sign(message[:]))
	if len(token) > maxToken {
		return "", tokenFault{ErrTokenLong, ""}.refusal(memory.InvalidRecord, "mint")
	}
	return token, nil
}

// IsToken reports whether s is meant as a capability token, whether or not it
// is a good one.
func IsToken(s string) bool { return strings.HasPrefix(s, tokenPrefix) }

// JSON returns the claims in the canonical form of RFC 8785, as they stand in a
// token.
func (c Claims) JSON() []byte {
	m := members{
		{Name: "v", Value: canon.String(c.Version)},
		{Name: "iss", Value: canon.String(string(c.Issuer))},
		{Name: "verbs", Value: texts(c.Verbs)},
		{Name: "scope", Value: c.scope()},
		{Name: "exp", Value: canon.String(tokenInstant(c.Expires))},
		{Name: "jti", Value: canon.String(c.ID)},
	}
	m.text("aud", c.Audience)
	m.text("sub", c.Subject)
	if !c.NotBefore.IsZero() {
		m.text("nbf", tokenInstant(c.NotBefore))
	}
	return canon.Object(m...).AppendCanonical(nil)
}

func (c Claims) scope() canon.Value {
	var m members
	m.text("owner", string(c.Scope.Owner))
	m.text("project", c.Scope.Project)
	m.text("agent", c.Scope.Agent)
	m.text("visibility", string(c.Scope.Visibility))
	if c.Runtime != nil {
		m = append(m, canon.Member{Name: runtimeMember, Value: runtimeScope(c.Runtime)})
	}
	return canon.Object(m...)
}

// tokenInstant is the spelling of times in tokens: whole seconds, and
// milliseconds where they say something.
func tokenInstant(t time.Time) string {
	t = t.UTC()
	if t.Nanosecond() == 0 {
		return t.Format("2006-01-02T15:04:05Z")
	}
	return t.Format("2006-01-02T15:04:05.000Z")
}

// Check reports whether the token may be used now at the server that audience
// names (UMP-5.2-9). A server without a name accepts no token that is for a
// certain one. Clocks may differ by a minute. Whether the token was revoked is
// for the owner's server to know. A token for a runtime ends on time, because what
// it opens says until when it is good (ENGRAM-3.9-AUTH-4).
func (c Claims) Check(now time.Time, audience string) error {
	late := memory.ClockSkew
	if c.Runtime != nil {
		late = 0
	}
	switch {
	case !c.NotBefore.IsZero() && now.Before(c.NotBefore.Add(-memory.ClockSkew)):
		return TokenError(ErrTokenEarly)
	case !now.Before(c.Expires.Add(late)):
		return TokenError(ErrTokenExpired)
	case c.Audience != "" && c.Audience != audience:
		return TokenError(ErrTokenAudience)
	}
	return nil
}

// Caller returns who holds the token: the owner where it says so, the owner's
// agent where nothing is withheld (decision UD-13), else a peer with a grant.
func (c Claims) Caller() memory.Caller {
	caller := memory.Caller{Owner: c.Issuer, Session: "token:" + c.ID}
	switch {
	case c.own():
		caller.Role = memory.Owner
	case c.whole():
		caller.Role = memory.Agent
	default:
		caller.Role = memory.Peer
		scope := c.Scope
		scope.Owner = ""
		caller.Grant = &memory.Grant{ID: c.ID, Verbs: slices.Clone(c.Verbs), Scope: scope, Expires: c.Expires, Runtime: c.Runtime}
	}
	return caller
}

// own reports whether the owner carries the token.
func (c Claims) own() bool { return c.Subject != "" && c.Subject == string(c.Issuer) }

// whole reports whether the token allows every verb on everything.
func (c Claims) whole() bool {
	scope := c.Scope
	scope.Owner = ""
	return scope == memory.Scope{} && c.Runtime == nil && !slices.ContainsFunc(memory.Verbs(), func(v memory.Verb) bool { return !slices.Contains(c.Verbs, v) })
}
