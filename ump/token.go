package ump

import (
	"encoding/base64"
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// The editions of capability tokens. [MintToken] writes the first.
const (
	TokenEdition      = "ump-cap/0.1"
	laterTokenEdition = "ump-cap/1.0"
)

const (
	tokenPrefix    = "umpcap."
	tokenSignature = "." + signaturePrefix
	// maxToken is the most bytes of a token, checked before decoding.
	maxToken = 8 << 10
	// maxProjects is how many projects a token may name, projectsMember the member of scope
	// that does.
	maxProjects    = 32
	projectsMember = "projects"
	// maxTokenID is the most bytes of jti, which appears in lists and logs.
	maxTokenID = 128
)

// Claims are the claims of a capability token (section 5.2, decision UD-25). The
// issuer allows the holder of the token the Verbs within Scope, from NotBefore until
// Expires.
type Claims struct {
	Version  string     // "ump-cap/0.1" or "ump-cap/1.0"
	Issuer   memory.DID // the owner of the memory, who signs
	Audience string     // the server that accepts the token; empty: any
	Subject  string     // the issuer, if the token is the owner's own; empty: any holder
	Verbs    []memory.Verb
	Scope    memory.Scope // Owner, Project, Agent, Visibility; empty: all of the issuer's
	// Projects, if there are any, are the only projects that the token is for; "" stands for
	// the records without a project. Then Scope names none. Decision UD-25 knows one project;
	// a server that knows no more refuses the token.
	Projects  []string
	NotBefore time.Time // zero: at once
	Expires   time.Time
	ID        string // for revocation
	// Runtime is set if the token is for one assistant and grants its starting context
	// alone (Engram 3.9). Then Scope may name the owner only.
	Runtime *memory.Runtime
}

// MintToken signs claims with the issuer's key. The same claims and key give the same
// token. An empty Version becomes [TokenEdition]; MintToken truncates times to
// milliseconds. It refuses invalid claims with kind invalid_record and the sentinel
// that [ReadToken] returns for them.
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
	message := sum256([]byte(payload))
	token := tokenPrefix + payload + tokenSignature + base64.RawURLEncoding.EncodeToString(key.Sign(message[:]))
	if len(token) > maxToken {
		return "", tokenFault{ErrTokenLong, ""}.refusal(memory.InvalidRecord, "mint")
	}
	return token, nil
}

// IsToken reports whether s looks like a capability token, valid or not.
func IsToken(s string) bool { return strings.HasPrefix(s, tokenPrefix) }

// JSON returns the claims in the canonical form of RFC 8785, as in a token.
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
	if len(c.Projects) > 0 {
		m = append(m, canon.Member{Name: projectsMember, Value: texts(c.Projects)})
	}
	m.text("agent", c.Scope.Agent)
	m.text("visibility", string(c.Scope.Visibility))
	if c.Runtime != nil {
		m = append(m, canon.Member{Name: runtimeMember, Value: runtimeScope(c.Runtime)})
	}
	return canon.Object(m...)
}

// tokenInstant spells a time in a token: whole seconds, with milliseconds if they are
// not zero.
func tokenInstant(t time.Time) string {
	t = t.UTC()
	if t.Nanosecond() == 0 {
		return t.Format("2006-01-02T15:04:05Z")
	}
	return t.Format("2006-01-02T15:04:05.000Z")
}

// Check returns an error unless the token is valid now at the server audience
// (UMP-5.2-9). A server without a name accepts only tokens without an audience. Clocks
// may differ by a minute. Check does not know revoked tokens: the owner's server does.
// A token for a runtime ends on time, because the context that it grants names its own
// end (ENGRAM-3.9-AUTH-4).
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

// Caller returns the caller that holds the token: the owner if the token is the
// owner's own, the owner's agent if it has no limits (decision UD-13), otherwise a
// peer with a grant.
func (c Claims) Caller() memory.Caller {
	caller := memory.Caller{Owner: c.Issuer, Session: "token:" + c.ID}
	switch {
	case c.isOwners():
		caller.Role = memory.Owner
	case c.isUnlimited():
		caller.Role = memory.Agent
	default:
		caller.Role = memory.Peer
		scope := c.Scope
		scope.Owner = ""
		caller.Grant = &memory.Grant{ID: c.ID, Verbs: slices.Clone(c.Verbs), Scope: scope, Projects: slices.Clone(c.Projects), Expires: c.Expires, Runtime: c.Runtime}
	}
	return caller
}

// isOwners reports whether the token is the owner's own.
func (c Claims) isOwners() bool { return c.Subject != "" && c.Subject == string(c.Issuer) }

// isUnlimited reports whether the token allows every verb on everything.
func (c Claims) isUnlimited() bool {
	scope := c.Scope
	scope.Owner = ""
	return scope == memory.Scope{} && len(c.Projects) == 0 && c.Runtime == nil && !slices.ContainsFunc(memory.Verbs(), func(v memory.Verb) bool { return !slices.Contains(c.Verbs, v) })
}
