package aaif

import (
	"crypto/ed25519"
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/keys"
)

// TokenOptions say which migration tokens to accept. The zero TokenOptions accept none.
type TokenOptions struct {
	Now      time.Time
	Skew     time.Duration // tolerated difference of clocks; 0: 30 s
	Audience string        // the receiver; empty: every token is for somebody else
	// Keys returns the trusted keys of an issuer; nil: none. Issuer and kid come from the
	// token, before its signature is verified.
	Keys func(issuer, kid string) []ed25519.PublicKey
	// AllowUnbound accepts tokens that are bound to ids but to no digest. Whoever
	// intercepts such a token can send another state with it (decision R6).
	AllowUnbound bool
}

// VerifyToken verifies the form, the signature, the times and the audience of a migration
// token (AAIF-12-12, AAIF-12-13). [Token.Binds] checks the state; the caller keeps track
// of used tokens. The error never repeats the token's content. VerifyToken ignores keys
// that the token names or holds.
func VerifyToken(raw string, o TokenOptions) (Token, error) {
	invalid := func(text string) (Token, error) {
		return Token{}, fault(TokenInvalid, "12-12", tokenPlace, "%s", text)
	}
	header, claims, signature, ok := split(raw)
	if !ok {
		return invalid("not three parts of base64url, of which the first two are JSON objects without doubled members")
	}
	switch {
	case header.Get("alg").Text() != "EdDSA":
		return invalid("signed with another algorithm than EdDSA")
	case header.Get("typ").Text() != tokenType:
		return invalid("not of type " + tokenType)
	case header.Has("crit") || header.Has("b64"):
		return invalid("its header asks for an extension")
	}
	t, wrong := readClaims(claims)
	t.KeyID = header.Get("kid").Text()
	if wrong != "" {
		return invalid(wrong)
	}
	if !o.trusts(t, raw[:strings.LastIndexByte(raw, '.')], signature) {
		return Token{}, fault(TokenInvalid, "12-13", tokenPlace, "no key of its issuer made its signature")
	}
	return t, o.checkClaims(t)
}

// split separates the parts of a token.
func split(raw string) (header, claims canon.Value, signature []byte, ok bool) {
	if len(raw) > longestToken || strings.Count(raw, ".") != 2 {
		return header, claims, nil, false
	}
	parts := strings.Split(raw, ".")
	signature, ok = unsegment(parts[2])
	header, isHeader := object(parts[0])
	claims, isClaims := object(parts[1])
	return header, claims, signature, ok && isHeader && isClaims
}

func object(text string) (canon.Value, bool) {
	raw, ok := unsegment(text)
	if !ok {
		return canon.Value{}, false
	}
	v, err := canon.Parse(raw, canon.Options{Bytes: longestToken, Depth: 16, Inexact: true})
	return v, err == nil && v.Type() == canon.TypeObject
}

// readClaims reads the claims, and says what is wrong with them.
func readClaims(v canon.Value) (t Token, wrong string) {
	text := func(name string, must bool) string {
		s := v.Get(name)
		if s.Text() == "" && (must || s.Type() != canon.TypeUndefined && s.Type() != canon.TypeString) {
			wrong = name + " is missing, or no text"
		}
		return s.Text()
	}
	at := func(name string, must bool) time.Time {
		n := v.Get(name)
		if n.Type() == canon.TypeUndefined && !must {
			return time.Time{}
		}
		const farthest = 253402300800 // the year 10000
		if f := n.Float(); n.Type() != canon.TypeNumber || f < 0 || f >= farthest {
			wrong = name + " is missing, or no time in seconds"
		}
		return time.UnixMicro(int64(n.Float() * 1e6)).UTC()
	}
	t = Token{ID: text("jti", true), Issuer: text("iss", true), Audience: text("aud", true), StateID: text("sub", true), AgentID: text("agent_id", true),
		RunID: text("run_id", false), Principal: text("principal", false), Digest: text("aaif_digest", false),
		IssuedAt: at("iat", true), NotBefore: at("nbf", false), Expires: at("exp", true)}
	if v.Has("aaif_digest") && !checksumForm.MatchString(t.Digest) {
		wrong = "aaif_digest is not 64 hexadecimal digits in lower case"
	}
	return t, wrong
}

func (o TokenOptions) trusts(t Token, message string, signature []byte) bool {
	if o.Keys == nil || len(signature) != ed25519.SignatureSize {
		return false
	}
	return slices.ContainsFunc(o.Keys(t.Issuer, t.KeyID), func(key ed25519.PublicKey) bool {
		return len(key) == ed25519.PublicKeySize && !keys.IsWeak(key) && ed25519.Verify(key, []byte(message), signature)
	})
}

// checkClaims checks a token whose signature is valid.
func (o TokenOptions) checkClaims(t Token) error {
	skew := o.Skew
	if skew == 0 {
		skew = 30 * time.Second
	}
	late := o.Now.Add(skew)
	switch {
	case !t.Expires.After(t.IssuedAt) || t.Expires.Sub(t.IssuedAt) > TokenLifetime:
		return fault(TokenInvalid, "12-12", tokenPlace+"/exp", "good for more than %v, or for no time at all", TokenLifetime)
	case t.IssuedAt.After(late) || t.NotBefore.After(late):
		return fault(TokenInvalid, "12-12", tokenPlace+"/nbf", "not good yet")
	case !o.Now.Add(-skew).Before(t.Expires):
		return fault(TokenExpired, "12-12", tokenPlace+"/exp", "expired; the source can issue another")
	case t.Audience != o.Audience:
		return fault(TokenAudience, "8.2-8", tokenPlace+"/aud", "issued for another platform")
	case t.Digest == "" && !o.AllowUnbound:
		return fault(TokenBinding, "12-15", tokenPlace+"/aaif_digest", "not bound to the content of a state")
	}
	return nil
}
