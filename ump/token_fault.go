package ump

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/satchel-memory/satchel/memory"
)

// The reasons for which a capability token is refused. ReadToken, Claims.Check and
// MintToken return them inside a [memory.Error]; the server that keeps the list of
// revoked tokens returns ErrTokenRevoked.
var (
	// ErrTokenForm: the token is not umpcap.<claims>.ed25519:<signature> in base64url.
	ErrTokenForm = errors.New("the token is broken; copy the whole of it, from umpcap. to its end, or ask the owner for another")
	// ErrTokenLong: the token is longer than 8 KiB.
	ErrTokenLong = errors.New("the token is longer than 8 KiB; ask the owner for one that names less")
	// ErrTokenVersion: the token's edition is not known.
	ErrTokenVersion = errors.New("the token is of an edition that is not known here; ask the owner for one of ump-cap/0.1")
	// ErrTokenSignature: the issuer did not sign exactly these claims.
	ErrTokenSignature = errors.New("the signature of the token does not match its claims and issuer; ask the owner for another")
	// ErrTokenIssuer: the issuer is not a did:key, or not the signer.
	ErrTokenIssuer = errors.New("the issuer of the token must be the owner, as a did:key of type Ed25519; ask the owner for another")
	// ErrTokenStranger: the server keeps no memory of the issuer. It is an
	// ErrTokenIssuer, too.
	ErrTokenStranger = fmt.Errorf("this server keeps nothing of the token's issuer: %w", ErrTokenIssuer)
	// ErrTokenVerb: the verbs are missing, or a verb is not known.
	ErrTokenVerb = errors.New("the token must name at least one of the verbs read, write, derive, export and no other; ask the owner for another")
	// ErrTokenScope: the scope is missing, unknown, empty in a part, or of another
	// owner.
	ErrTokenScope = errors.New("the scope of the token must be an object of owner, project, agent and visibility, each as it applies to the issuer's memory; ask the owner for another")
	// ErrTokenRuntime: the token is for a runtime, and lacks a member of it, or has one
	// that is unknown or not allowed.
	ErrTokenRuntime = errors.New("a token for an assistant must name it, with either a scope or categories, and no other limits; ask the owner for another")
	// ErrTokenTime: exp is missing, or a time is not valid.
	ErrTokenTime = errors.New("the token must say until when it is good, and when from if not at once, as RFC 3339 times; ask the owner for another")
	// ErrTokenExpired: the token has ended.
	ErrTokenExpired = errors.New("the token has expired; ask the owner for a new one")
	// ErrTokenEarly: the token is not valid yet.
	ErrTokenEarly = errors.New("the token is not good yet; wait, or set the clock")
	// ErrTokenAudience: the token is for another server.
	ErrTokenAudience = errors.New("the token is for another server; ask the owner for one that is for this server")
	// ErrTokenID: the token has no valid id, so that nobody could revoke it.
	ErrTokenID = errors.New("the token needs an id (jti) of up to 128 printable characters; ask the owner for another")
	// ErrTokenRevoked: the owner has revoked the token.
	ErrTokenRevoked = errors.New("the owner has revoked the token; ask for a new one")
)

// TokenError returns the [memory.Error] for one of the ErrToken sentinels.
func TokenError(cause error) error {
	return tokenFault{cause, ""}.refusal(memory.Unauthorized, "authenticate")
}

// tokenFault is a violation in a token and the claim that has it.
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

// rule returns the id of the requirement that the token breaks.
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

// fault returns the first violation in the claims, whoever signs them.
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
	case !isWritable(c.Expires):
		return tokenFault{ErrTokenTime, "/exp"}
	case !c.NotBefore.IsZero() && (!isWritable(c.NotBefore) || !c.NotBefore.Before(c.Expires)):
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

func isWritable(t time.Time) bool {
	_, ok := parseInstant(tokenInstant(t))
	return ok
}

// ValidTokenID reports whether id is a valid id of a token (jti): printable ASCII
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
	case !c.namesProjects():
		return tokenFault{ErrTokenScope, "/scope/projects"}
	case !utf8.ValidString(s.Agent):
		return tokenFault{ErrTokenScope, "/scope/agent"}
	case s.User != "" || s.Session != "":
		return tokenFault{ErrTokenScope, "/scope"}
	case c.isOwners() && !c.isUnlimited(): // the owner's own token has no limits
		return tokenFault{ErrTokenScope, "/sub"}
	}
	return tokenFault{}
}

// namesProjects reports whether the list of projects is one that a token may have: each
// once, not too many, and not beside the one project of the scope.
func (c *Claims) namesProjects() bool {
	for i, p := range c.Projects {
		if !utf8.ValidString(p) || slices.Contains(c.Projects[:i], p) {
			return false
		}
	}
	return len(c.Projects) == 0 || len(c.Projects) <= maxProjects && c.Scope.Project == ""
}
