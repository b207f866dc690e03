package aaif

import (
	"encoding/base64"
	"io"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/keys"
)

// TokenLifetime is how long a migration token may be good for (AAIF-8.2-2, AAIF-12-12).
const TokenLifetime = 15 * time.Minute

// tokenType is the typ of a migration token, which tells it from other tokens that the
// same key may have signed.
const tokenType = "aaif-migration+jwt"

// tokenPlace is where a state has its token.
const tokenPlace = "/provenance/migration_token"

// longestToken is how many bytes of a token are looked at.
const longestToken = 8 << 10

// Token is what a migration token says (decision R7). As text it is a JWT: a compact JWS
// (RFC 7515) with Ed25519 (RFC 8037). There is one algorithm and one form, which is less
// to read than the options of a library that have to be off.
type Token struct {
	ID        string // jti; good once
	Issuer    string
	Audience  string
	StateID   string // sub
	AgentID   string
	RunID     string // empty: the state has none
	Principal string // whose run it is, as [Principal] has it; empty: not said
	Digest    string // aaif_digest, see [Digest]; empty: the token is bound to the ids alone
	IssuedAt  time.Time
	NotBefore time.Time // zero: IssuedAt
	Expires   time.Time
	KeyID     string // kid of the header; only read
}

// NewTokenID returns an ID for a token: 128 bits of random.
func NewTokenID(random io.Reader) (string, error) {
	var b [16]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(b[:]), nil
}

// For returns the token with the claims that bind it to a state as it is going to leave
// (AAIF-8.2-8, AAIF-12-15).
func (t Token) For(state canon.Value) Token {
	t.StateID, t.AgentID, t.RunID = state.Get("state_id").Text(), state.Get("agent_id").Text(), state.Get("run_id").Text()
	t.Digest = Digest(state.With("provenance", asObject(state.Get("provenance")))) // as WithToken leaves it
	return t
}

// WithToken returns a state with a token, and the checksum, which covers the token
// (decision R5).
func WithToken(state canon.Value, raw string) canon.Value {
	return WithChecksum(state.With("provenance", asObject(state.Get("provenance")).With("migration_token", canon.String(raw))))
}

// IssueToken signs a token. One that is good for more than 15 minutes, or that is not
// bound to a state, is refused (AAIF-8.2-2). Times are cut to whole seconds.
func IssueToken(t Token, key keys.Private, kid string) (string, error) {
	if key.IsZero() {
		return "", keys.ErrNoKey
	}
	if t.NotBefore.IsZero() {
		t.NotBefore = t.IssuedAt
	}
	issued, expires := t.IssuedAt.Unix(), t.Expires.Unix()
	switch {
	case t.IssuedAt.IsZero() || expires <= issued || expires-issued > int64(TokenLifetime/time.Second):
		return "", fault(TokenInvalid, "8.2-2", tokenPlace+"/exp", "a token is good for a second at least and %v at most", TokenLifetime)
	case t.ID == "" || t.Issuer == "" || t.Audience == "" || t.StateID == "" || t.AgentID == "" || !checksumForm.MatchString(t.Digest):
		return "", fault(TokenInvalid, "8.2-8", tokenPlace, "jti, iss, aud, sub, agent_id and aaif_digest have to be there")
	}
	header := canon.Object(member("alg", "EdDSA"), member("typ", tokenType), member("kid", kid))
	claims := canon.Object(member("iss", t.Issuer), member("aud", t.Audience), member("sub", t.StateID), member("agent_id", t.AgentID), member("run_id", t.RunID),
		member("principal", t.Principal), canon.Member{Name: "iat", Value: canon.Int(issued)}, canon.Member{Name: "nbf", Value: canon.Int(t.NotBefore.Unix())},
		canon.Member{Name: "exp", Value: canon.Int(expires)}, member("jti", t.ID), member("aaif_digest", t.Digest))
	signed := segment(header.AppendCanonical(nil)) + "." + segment(claims.AppendCanonical(nil))
	return signed + "." + segment(key.Sign([]byte(signed))), nil
}

// member is a member of an object; an empty text is none.
func member(name, text string) canon.Member {
	if text == "" {
		return canon.Member{Name: name}
	}
	return canon.Member{Name: name, Value: canon.String(text)}
}

// segment writes a part of a token.
func segment(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// unsegment reads the one spelling there is of some bytes. Line breaks, which the decoder
// passes over, are looked for.
func unsegment(s string) ([]byte, bool) {
	if strings.ContainsAny(s, "\r\n") {
		return nil, false
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(s)
	return b, err == nil
}

// BindsTo refuses a state that a token was not issued for, by what the state says of
// itself before it comes (AAIF-8.2-8).
func (t Token) BindsTo(b Binding) error {
	for _, id := range []struct{ name, claimed, said string }{
		{"state_id", t.StateID, b.StateID}, {"agent_id", t.AgentID, b.AgentID}, {"run_id", t.RunID, b.RunID},
	} {
		if id.claimed != id.said {
			return fault(TokenBinding, "8.2-8", "/"+id.name, "the migration token is for another %s", id.name)
		}
	}
	if b.Audience != "" && b.Audience != t.Audience {
		return fault(TokenAudience, "8.2-8", tokenPlace+"/aud", "issued for another platform")
	}
	return nil
}

// Binds refuses a state that a token was not issued for: one with other ids, or, where
// the token is bound to a digest, with any other content (AAIF-8.2-8, AAIF-12-15).
func (t Token) Binds(state canon.Value) error {
	b := Binding{StateID: state.Get("state_id").Text(), AgentID: state.Get("agent_id").Text(), RunID: state.Get("run_id").Text()}
	if err := t.BindsTo(b); err != nil {
		return err
	}
	if t.Digest != "" && t.Digest != Digest(state) {
		return fault(TokenBinding, "12-15", tokenPlace+"/aaif_digest", "the state is another than the migration token was issued for")
	}
	return nil
}
