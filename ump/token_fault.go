package ump

import (
	"errors"
	"fmt"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/satchel-memory/satchel/memory"
)

// Why a capability token is refused. ReadToken, Claims.Check and MintToken return
// them inside a [memory.Error]; ErrTokenRevoked is for whoever keeps the list.
var (
	// ErrTokenForm: it is not umpcap.<claims>.ed25519:<signature> in base64url.
	ErrTokenForm = errors.New("the token is broken; copy the whole of it, from umpcap. to its end, or ask the owner for another")
	// ErrTokenLong: it is longer than any token may be.
	ErrTokenLong = errors.New("the token is longer than 8 KiB; ask the owner for one that names less")
	// ErrTokenVersion: it is of an edition that is not known.
	ErrTokenVersion = errors.New("the token is of an edition that is not known here; ask the owner for one of ump-cap/0.1")
	// ErrTokenSignature: its issuer did not sign exactly this.
	ErrTokenSignature = errors.New("the signature of the token does not match its claims and issuer; ask the owner for another")
	// ErrTokenIssuer: the issuer is no did:key, or not who signs.
	ErrTokenIssuer = errors.New("the issuer of the token must be the owner, as a did:key of type Ed25519; ask the owner for another")
	// ErrTokenStranger: nothing is kept here of the issuer. It is an ErrTokenIssuer, too.
	ErrTokenStranger = fmt.Errorf("this server keeps nothing of the token's issuer: %w", ErrTokenIssuer)
	// ErrTokenVerb: the verbs are missing, or one is not known.
	ErrTokenVerb = errors.New("the token must name at least one of the verbs read, write, derive, export and no other; ask the owner for another")
	// ErrTokenScope: the scope is missing, unknown, empty in a part, or another's.
	ErrTokenScope = errors.New("the scope of the token must be an object of owner, project, agent and visibility, each as it applies to the issuer's memory; ask the owner for another")
	// ErrTokenRuntime: it is for a runtime, and says too little, too much or something
	// unknown of it.
	ErrTokenRuntime = errors.New("a token for an assistant must name it, with either a scope or categories, and no other limits; ask the owner for another")
	// ErrTokenTime: exp is missing, or a time is none.
	ErrTokenTime = errors.New("the token must say until when it is good, and when from if not at once, as RFC 3339 times; ask the owner for another")
	// ErrTokenExpired: its time is over.
	ErrTokenExpired = errors.New("the token has expired; ask the owner for a new one")
	// ErrTokenEarly: its time has not come.
	ErrTokenEarly = errors.New("the token is not good yet; wait, or set the clock")
	// ErrTokenAudience: it is for another server.
	ErrTokenAudience = errors.New("the token is for another server; ask the owner for one that is for this server")
	// ErrTokenID: it cannot be told from others, and so not be revoked.
	ErrTokenID = errors.New("the token needs an id (jti) of up to 128 printable characters; ask the owner for another")
	// ErrTokenRevoked: the owner has taken it back.
	ErrTokenRevoked = errors.New("the owner has revoked the token; ask for a new one")
)

// TokenError returns the refusal for one of the ErrToken sentinels.
func TokenError(cause error) error {
	return tokenFault{cause, ""}.refusal(memory.Unauthorized, "authenticate")
}

// tokenFault is what is wrong with a token, and with which claim.
type tokenFault struct {
	cause error
	path  string // into the claims
}

func (f tokenFault) refusal(kind memory.ErrorKind, op string) error {
	e := &memory.Error{Kind: kind, Op: op, Path: f.path, Rule: f.rule(), Message: f.cause.Error(), Err: f.cause}
	if f.cause == ErrTokenScope && f.path == "/sub" {
		e.Message = "a token whose sub is its issuer is the owner's own, for every verb and all memory; leave sub out, or the limits"
	}
	return e
}

// rule returns the requirement that a token with this fault breaks.
func (f tokenFault) rule() string {
	switch f.cause {
	case ErrTokenVerb:
		return "UMP-5.2-2"
	case ErrTokenSignature, ErrTokenIssuer, ErrTokenStranger:
		return "UMP-5.2-3"
	case ErrTokenAudience:
		return "UMP-5.2-7"
	case ErrTokenID, ErrTokenRevoked:
		return "UMP-5.2-8"
	case ErrTokenTime, ErrTokenExpired, ErrTokenEarly:
		return "UMP-5.2-9"
	}
	return "UMP-5.2-1"
}

// fault returns what claims may not say, whoever signs them.
func (c *Claims) fault() tokenFault {
	switch {
	case !knownTokenEdition(c.Version):
		return tokenFault{ErrTokenVersion, "/v"}
	case !utf8.ValidString(c.Audience):
		return tokenFault{ErrTokenForm, "/aud"}
	case !utf8.ValidString(c.Subject):
		return tokenFault{ErrTokenForm, "/sub"}
	case !ValidTokenID(c.ID):
		return tokenFault{ErrTokenID, "/jti"}
	case !spellable(c.Expires):
		return tokenFault{ErrTokenTime, "/exp"}
	case !c.NotBefore.IsZero() && (!spellable(c.NotBefore) || !c.NotBefore.Before(c.Expires)):
		return tokenFault{ErrTokenTime, "/nbf"}
	}
	if f := c.verbFault(); f.cause != nil {
		return f
	}
	if f := c.runtimeFault(); f.cause != nil {
		return f
	}
	return c.scopeFault()
}

func knownTokenEdition(v string) bool { return v == TokenEdition || v == laterTokenEdition }

func spellable(t time.Time) bool {
	_, ok := parseInstant(tokenInstant(t))
	return ok
}

// ValidTokenID reports whether a token may have this id (jti): printable ASCII
// without spaces, at most 128 bytes.
func ValidTokenID(id string) bool {
	for i := range len(id) {
		if id[i] <= ' ' || id[i] > '~' {
			return false
		}
	}
	return id != "" && len(id) <= maxTokenID
}

func (c *Claims) verbFault() tokenFault {
	if len(c.Verbs) == 0 {
		return tokenFault{ErrTokenVerb, "/verbs"}
	}
	for i, v := range c.Verbs {
		if !v.Valid() {
			return tokenFault{ErrTokenVerb, "/verbs/" + strconv.Itoa(i)}
		}
	}
	return tokenFault{}
}

func (c *Claims) scopeFault() tokenFault {
	s := c.Scope
	switch {
	case s.Owner != "" && s.Owner != c.Issuer:
		return tokenFault{ErrTokenScope, "/scope/owner"}
	case s.Visibility != "" && !s.Visibility.Valid():
		return tokenFault{ErrTokenScope, "/scope/visibility"}
	case !utf8.ValidString(s.Project):
		return tokenFault{ErrTokenScope, "/scope/project"}
	case !utf8.ValidString(s.Agent):
		return tokenFault{ErrTokenScope, "/scope/agent"}
	case s.User != "" || s.Session != "":
		return tokenFault{ErrTokenScope, "/scope"}
	case c.own() && !c.whole(): // was not meant as the owner's own
		return tokenFault{ErrTokenScope, "/sub"}
	}
	return tokenFault{}
}
