package aaif

import (
	"encoding/base64"
	"io"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/keys"
)

// TokenLifetime is the longest validity of a migration token (AAIF-8.2-2, AAIF-12-12).
const TokenLifetime = 15 * time.Minute

// tokenType is the typ of a migration token. It keeps other tokens of the same key apart.
const tokenType = "aaif-migration+jwt"

// tokenPlace is the place of the token in a state.
const tokenPlace = "/provenance/migration_token"

// longestToken is the most bytes that a token may have.
const longestToken = 8 << 10

// Token is the content of a migration token (decision R7). Its text is a JWT: a compact
// JWS (RFC 7515) with Ed25519 (RFC 8037). With one algorithm and one form, this is less
// code than switching off a library's options.
type Token struct {
	ID        string // jti; valid once
	Issuer    string
	Audience  string
	StateID   string // sub
	AgentID   string
	RunID     string // empty: the state has none
	Principal string // the person whose run it is, see [Principal]; empty: not stated
	Digest    string // aaif_digest, see [Digest]; empty: bound to the ids alone
	IssuedAt  time.Time
	NotBefore time.Time // zero: IssuedAt
	Expires   time.Time
	KeyID     string // kid of the header; never written
}

// NewTokenID returns a random token ID of 128 bits.
func NewTokenID(random io.Reader) (string, error) {
	var b [16]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(b[:]), nil
}

// For returns the token with the claims that bind it to a state that is about to leave
// (AAIF-8.2-8, AAIF-12-15).
func (t Token) For(state canon.Value) Token {
	t.StateID, t.AgentID, t.RunID = state.Get("state_id").Text(), state.Get("agent_id").Text(), state.Get("run_id").Text()
	t.Digest = Digest(state.With("provenance", asObject(state.Get("provenance")))) // as WithToken will write it
	return t
}

// WithToken returns a state with a token, and with the checksum, which covers the token
// (decision R5).
func WithToken(state canon.Value, raw string) canon.Value {
	return WithChecksum(state.With("provenance", asObject(state.Get("provenance")).With("migration_token", canon.String(raw))))
}

// IssueToken signs a token. It refuses one that is valid for more than 15 minutes, or
// that is not bound to a state (AAIF-8.2-2). It cuts times to whole seconds.
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

// member returns a member of an object; an undefined one for an empty text.
func member(name, text string) canon.Member {
	if text == "" {
		return canon.Member{Name: name}
	}
	return canon.Member{Name: name, Value: canon.String(text)}
}

// segment encodes a part of a token.
func segment(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// unsegment decodes a part of a token. It refuses every spelling but one: the decoder
// ignores line breaks, so they are checked here.
func unsegment(s string) ([]byte, bool) {
	if strings.ContainsAny(s, "\r\n") {
		return nil, false
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(s)
	return b, err == nil
}

// BindsTo refuses a state that a token was not issued for, by what the sender says before
// sending it (AAIF-8.2-8).
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

// Binds refuses a state that a token was not issued for: a state with other ids or, if
// the token has a digest, with other content (AAIF-8.2-8, AAIF-12-15).
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
