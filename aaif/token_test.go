package aaif_test

import (
	"bytes"
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/keys"
)

// issued is when the tokens of these tests are issued.
var issued = time.Date(2026, 6, 10, 9, 17, 43, 0, time.UTC)

// ticket is a token for a state.
func ticket(t testing.TB, state canon.Value) aaif.Token {
	t.Helper()
	id, err := aaif.NewTokenID(bytes.NewReader(bytes.Repeat([]byte{9}, 16)))
	if err != nil {
		t.Fatal(err)
	}
	return aaif.Token{ID: id, Issuer: "https://a.example", Audience: "https://b.example", IssuedAt: issued, Expires: issued.Add(aaif.TokenLifetime),
		Principal: aaif.Principal(bytes.Repeat([]byte{3}, 16), "ada")}.For(state)
}

func issue(t testing.TB, token aaif.Token, by keys.Private) string {
	t.Helper()
	raw, err := aaif.IssueToken(token, by, "k1")
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// admits are options under which tokens of ticket are good.
func admits(t testing.TB) aaif.TokenOptions {
	trusted := []ed25519.PublicKey{key(t, bytes.Repeat([]byte{7}, 32)).Public(), author(t).Public()}
	return aaif.TokenOptions{Now: issued.Add(time.Minute), Audience: "https://b.example", Keys: func(issuer, kid string) []ed25519.PublicKey {
		if issuer+kid != "https://a.examplek1" {
			return nil
		}
		return trusted
	}}
}

func TestToken(t *testing.T) {
	state := sample(t, "state").Value
	want := ticket(t, state)
	raw := issue(t, want, author(t))
	t.Run("AAIF-8.2-8 a state that says nothing of its provenance is bound, too", func(t *testing.T) {
		bare := state.Without("provenance")
		token := ticket(t, bare)
		if err := token.Binds(aaif.WithToken(bare, issue(t, token, author(t)))); err != nil {
			t.Error(err)
		}
	})
	t.Run("AAIF-12-12 a token is a signed JWT with these claims", func(t *testing.T) {
		got, err := aaif.VerifyToken(raw, admits(t))
		if err != nil {
			t.Fatal(err)
		}
		want.KeyID, want.NotBefore = "k1", issued
		expect(t, got, want)
		header, _, _ := strings.Cut(raw, ".")
		b, _ := base64.RawURLEncoding.DecodeString(header)
		expect(t, string(b), `{"alg":"EdDSA","kid":"k1","typ":"aaif-migration+jwt"}`)
		expect(t, issue(t, want, author(t)), raw)
	})
	t.Run("AAIF-8.2-8 AAIF-12-15 it binds the state that it was issued for, with token and checksum", func(t *testing.T) {
		if err := want.Binds(aaif.WithToken(state, raw)); err != nil {
			t.Error(err)
		}
		if err := aaif.VerifyChecksum(aaif.WithToken(state, raw)); err != nil {
			t.Error(err)
		}
	})
	for _, c := range []struct{ id, pointer, at string }{
		{"AAIF-8.2-8 another state", "/state_id", "/state_id"},
		{"AAIF-8.2-8 another agent", "/agent_id", "/agent_id"},
		{"AAIF-8.2-8 another run", "/run_id", "/run_id"},
		{"AAIF-12-15 edited, with a new checksum", "/variables/count", "/provenance/migration_token/aaif_digest"},
	} {
		t.Run(c.id, func(t *testing.T) {
			err := want.Binds(aaif.WithChecksum(set(state, c.pointer, canon.String("x"))))
			if aaif.CodeOf(err) != aaif.TokenBinding || pathOf(err) != c.at {
				t.Errorf("got %v", err)
			}
		})
	}
	t.Run("AAIF-8.2-8 what a state says before it comes", func(t *testing.T) {
		b := aaif.Binding{StateID: want.StateID, AgentID: want.AgentID, RunID: want.RunID}
		expect(t, want.BindsTo(b), nil)
		b.Audience = "https://c.example"
		expect(t, aaif.CodeOf(want.BindsTo(b)), aaif.TokenAudience)
		b.RunID = ""
		expect(t, aaif.CodeOf(want.BindsTo(b)), aaif.TokenBinding)
	})
}

func TestIssueToken(t *testing.T) {
	whole := ticket(t, sample(t, "state").Value)
	for _, c := range []struct {
		id   string
		edit func(*aaif.Token)
		ok   bool
	}{
		{"AAIF-8.2-2 900 seconds", func(*aaif.Token) {}, true},
		{"AAIF-8.2-2 901 seconds", func(k *aaif.Token) { k.Expires = k.Expires.Add(time.Second) }, false},
		{"AAIF-8.2-2 no time at all", func(k *aaif.Token) { k.Expires = k.IssuedAt }, false},
		{"AAIF-8.2-2 no times", func(k *aaif.Token) { k.Expires, k.IssuedAt = time.Time{}, time.Time{} }, false},
		{"AAIF-8.2-8 without an id", func(k *aaif.Token) { k.ID = "" }, false},
		{"AAIF-8.2-8 without an issuer", func(k *aaif.Token) { k.Issuer = "" }, false},
		{"AAIF-8.2-8 without an audience", func(k *aaif.Token) { k.Audience = "" }, false},
		{"AAIF-8.2-8 without an agent", func(k *aaif.Token) { k.AgentID = "" }, false},
		{"AAIF-12-15 without a digest", func(k *aaif.Token) { k.Digest = "" }, false},
		{"AAIF-8.2-8 of a state without a run", func(k *aaif.Token) { k.RunID = "" }, true},
	} {
		t.Run(c.id, func(t *testing.T) {
			token := whole
			c.edit(&token)
			_, err := aaif.IssueToken(token, author(t), "")
			if c.ok != (err == nil) || !c.ok && aaif.CodeOf(err) != aaif.TokenInvalid {
				t.Errorf("got %v", err)
			}
		})
	}
	t.Run("AAIF-12-12 without a key", func(t *testing.T) {
		if raw, err := aaif.IssueToken(whole, keys.Private{}, ""); err == nil {
			t.Error(raw)
		}
	})
	t.Run("AAIF-8.2-8 without randomness there is no id", func(t *testing.T) {
		if id, err := aaif.NewTokenID(bytes.NewReader(make([]byte, 15))); err == nil {
			t.Error(id)
		}
	})
}

const (
	goodHeader = `{"alg":"EdDSA","typ":"aaif-migration+jwt","kid":"k1"}`
	goodClaims = `{"iss":"https://a.example","aud":"https://b.example","sub":"s","agent_id":"a","iat":1781083063,"exp":1781083963,"jti":"j","aaif_digest":"504d471df92a3012d4d380d9fc9a0851f6135d2db258410fffc1e1cce3ed519d"}`
)

// signToken signs whatever it is given.
func signToken(t testing.TB, header, claims string) string {
	text := base64.RawURLEncoding.EncodeToString([]byte(header)) + "." + base64.RawURLEncoding.EncodeToString([]byte(claims))
	return text + "." + base64.RawURLEncoding.EncodeToString(author(t).Sign([]byte(text)))
}

func TestVerifyTokenRefuses(t *testing.T) {
	good := signToken(t, goodHeader, goodClaims)
	if _, err := aaif.VerifyToken(good, admits(t)); err != nil {
		t.Fatal(err)
	}
	claim := func(old, now string) string {
		if !strings.Contains(goodClaims, old) {
			t.Fatal(old)
		}
		return signToken(t, goodHeader, strings.Replace(goodClaims, old, now, 1))
	}
	unsigned := good[:strings.LastIndexByte(good, '.')+1]
	hs := func() string {
		text := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"HS256","typ":"aaif-migration+jwt","kid":"k1"}`)) + "." + strings.Split(good, ".")[1]
		mac := hmac.New(sha256.New, author(t).Public())
		mac.Write([]byte(text))
		return text + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
	}()
	for _, c := range []struct {
		id, raw string
		code    aaif.Code
	}{
		{"AAIF-12-12 nothing", "", aaif.TokenInvalid},
		{"AAIF-12-12 two parts", unsigned[:len(unsigned)-1], aaif.TokenInvalid},
		{"AAIF-12-12 four parts", good + ".", aaif.TokenInvalid},
		{"AAIF-12-12 no signature", unsigned, aaif.TokenInvalid},
		{"AAIF-12-12 alg none", signToken(t, `{"alg":"none","typ":"aaif-migration+jwt","kid":"k1"}`, goodClaims), aaif.TokenInvalid},
		{"AAIF-12-12 HS256 with the public key as secret", hs, aaif.TokenInvalid},
		{"AAIF-12-12 alg in another case", signToken(t, strings.Replace(goodHeader, "EdDSA", "eddsa", 1), goodClaims), aaif.TokenInvalid},
		{"AAIF-12-12 a token of another type", signToken(t, strings.Replace(goodHeader, "aaif-migration+", "", 1), goodClaims), aaif.TokenInvalid},
		{"AAIF-12-12 no type", signToken(t, `{"alg":"EdDSA","kid":"k1"}`, goodClaims), aaif.TokenInvalid},
		{"AAIF-12-12 crit", signToken(t, `{"alg":"EdDSA","typ":"aaif-migration+jwt","kid":"k1","crit":["exp"]}`, goodClaims), aaif.TokenInvalid},
		{"AAIF-12-12 b64", signToken(t, `{"alg":"EdDSA","typ":"aaif-migration+jwt","kid":"k1","b64":false}`, goodClaims), aaif.TokenInvalid},
		{"AAIF-12-12 a header that is no object", signToken(t, `[]`, goodClaims), aaif.TokenInvalid},
		{"AAIF-12-12 a doubled member of the header", signToken(t, `{"alg":"none","alg":"EdDSA","typ":"aaif-migration+jwt","kid":"k1"}`, goodClaims), aaif.TokenInvalid},
		{"AAIF-12-12 a doubled claim", claim(`"sub":"s"`, `"sub":"s","sub":"s"`), aaif.TokenInvalid},
		{"AAIF-12-12 claims with something after", signToken(t, goodHeader, goodClaims+"{}"), aaif.TokenInvalid},
		{"AAIF-12-12 padding", good + "==", aaif.TokenInvalid},
		{"AAIF-12-12 a line break", good[:8] + "\n" + good[8:], aaif.TokenInvalid},
		{"AAIF-12-12 a blank before", " " + good, aaif.TokenInvalid},
		{"AAIF-12-12 bits that mean nothing", respelled(good), aaif.TokenInvalid},
		{"AAIF-12-12 the alphabet of plain base64", strings.NewReplacer("-", "+", "_", "/").Replace(good) + "+", aaif.TokenInvalid},
		{"AAIF-12-12 larger than any", signToken(t, goodHeader, strings.Replace(goodClaims, `"sub":"s"`, `"x":"`+strings.Repeat("x", 9000)+`","sub":"s"`, 1)), aaif.TokenInvalid},
		{"AAIF-12-12 no exp", claim(`,"exp":1781083963`, ``), aaif.TokenInvalid},
		{"AAIF-12-12 no iat", claim(`"iat":1781083063,`, ``), aaif.TokenInvalid},
		{"AAIF-12-12 exp as text", claim(`1781083963`, `"1781083963"`), aaif.TokenInvalid},
		{"AAIF-12-12 exp without end", claim(`1781083963`, `1e300`), aaif.TokenInvalid},
		{"AAIF-12-12 nbf as text", claim(`"sub":"s"`, `"sub":"s","nbf":"0"`), aaif.TokenInvalid},
		{"AAIF-12-12 nbf without end", claim(`"sub":"s"`, `"sub":"s","nbf":1e300`), aaif.TokenInvalid},
		{"AAIF-12-12 exp-iat 901, though not expired", claim(`1781083963`, `1781083964`), aaif.TokenInvalid},
		{"AAIF-12-12 exp-iat 900.5", claim(`1781083963`, `1781083963.5`), aaif.TokenInvalid},
		{"AAIF-12-12 exp before iat", claim(`1781083963`, `1781083062`), aaif.TokenInvalid},
		{"AAIF-12-12 issued in the future", claim(`"iat":1781083063,"exp":1781083963`, `"iat":1781083160,"exp":1781083963`), aaif.TokenInvalid},
		{"AAIF-12-12 not good yet", claim(`"sub":"s"`, `"sub":"s","nbf":1781083160`), aaif.TokenInvalid},
		{"AAIF-12-12 expired", claim(`"iat":1781083063,"exp":1781083963`, `"iat":1781082200,"exp":1781083090`), aaif.TokenExpired},
		{"AAIF-8.2-8 no jti", claim(`"jti":"j",`, ``), aaif.TokenInvalid},
		{"AAIF-8.2-8 no sub", claim(`"sub":"s",`, ``), aaif.TokenInvalid},
		{"AAIF-8.2-8 no agent", claim(`"agent_id":"a",`, ``), aaif.TokenInvalid},
		{"AAIF-8.2-8 a run that is no text", claim(`"sub":"s"`, `"sub":"s","run_id":1`), aaif.TokenInvalid},
		{"AAIF-8.2-8 for somebody else", claim(`https://b.example`, `https://c.example`), aaif.TokenAudience},
		{"AAIF-8.2-8 for nobody", claim(`"aud":"https://b.example",`, ``), aaif.TokenInvalid},
		{"AAIF-12-13 an issuer without keys", claim(`https://a.example`, `https://x.example`), aaif.TokenInvalid},
		{"AAIF-12-13 another key of the issuer", signToken(t, strings.Replace(goodHeader, "k1", "k2", 1), goodClaims), aaif.TokenInvalid},
		{"AAIF-12-13 changed after it was signed", unsigned[:len(unsigned)-2] + "A." + good[len(unsigned):], aaif.TokenInvalid},
		{"AAIF-12-15 no digest", claim(`,"aaif_digest":"504d471df92a3012d4d380d9fc9a0851f6135d2db258410fffc1e1cce3ed519d"`, ``), aaif.TokenBinding},
		{"AAIF-12-15 a digest of another form", claim(`504d`, `504D`), aaif.TokenInvalid},
		{"AAIF-12-15 an empty digest", claim(`504d471df92a3012d4d380d9fc9a0851f6135d2db258410fffc1e1cce3ed519d`, ``), aaif.TokenInvalid},
	} {
		t.Run(c.id, func(t *testing.T) {
			if _, err := aaif.VerifyToken(c.raw, admits(t)); aaif.CodeOf(err) != c.code || !strings.HasPrefix(pathOf(err), "/provenance/migration_token") {
				t.Errorf("got %s: %v", aaif.CodeOf(err), err)
			}
		})
	}
	t.Run("AAIF-12-13 the zero options trust nobody", func(t *testing.T) {
		if _, err := aaif.VerifyToken(good, aaif.TokenOptions{Now: issued, Audience: "https://b.example"}); aaif.CodeOf(err) != aaif.TokenInvalid {
			t.Errorf("got %v", err)
		}
		o := admits(t)
		o.Audience = ""
		if _, err := aaif.VerifyToken(good, o); aaif.CodeOf(err) != aaif.TokenAudience {
			t.Errorf("got %v", err)
		}
	})
	t.Run("AAIF-12-13 a key that anybody can sign for", func(t *testing.T) {
		weak := append([]byte{1}, make([]byte, 31)...)
		o := admits(t)
		o.Keys = func(string, string) []ed25519.PublicKey { return []ed25519.PublicKey{weak, nil} }
		forged := unsigned + "AQ" + strings.Repeat("A", 84)
		if _, err := aaif.VerifyToken(forged, o); aaif.CodeOf(err) != aaif.TokenInvalid {
			t.Errorf("got %v", err)
		}
	})
	t.Run("AAIF-12-15 tokens without a digest are a policy", func(t *testing.T) {
		o := admits(t)
		o.AllowUnbound = true
		token, err := aaif.VerifyToken(claim(`,"aaif_digest":"504d471df92a3012d4d380d9fc9a0851f6135d2db258410fffc1e1cce3ed519d"`, ``), o)
		if err != nil || token.Digest != "" {
			t.Errorf("got %v", err)
		}
		expect(t, token.Binds(tree(t, `{"state_id":"s","agent_id":"a","iteration":7}`)), nil)
	})
}

// respelled returns a token whose last letter has other bits that no byte is made of.
func respelled(raw string) string {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	last := strings.IndexByte(letters, raw[len(raw)-1])
	return raw[:len(raw)-1] + letters[last^1:last^1+1]
}

func TestTokenTimes(t *testing.T) {
	good := signToken(t, goodHeader, goodClaims)
	expires := issued.Add(15 * time.Minute)
	for _, c := range []struct {
		now  time.Time
		skew time.Duration
		code aaif.Code
	}{
		{issued.Add(-30 * time.Second), 0, ""},
		{issued.Add(-31 * time.Second), 0, aaif.TokenInvalid},
		{issued.Add(-time.Second), time.Nanosecond, aaif.TokenInvalid},
		{expires, time.Nanosecond, ""},
		{expires.Add(time.Nanosecond), time.Nanosecond, aaif.TokenExpired},
		{expires.Add(30*time.Second - 1), 0, ""},
		{expires.Add(30 * time.Second), 0, aaif.TokenExpired},
		{time.Time{}, 0, aaif.TokenInvalid},
	} {
		t.Run(fmt.Sprintf("AAIF-12-12 %v %v", c.now.Sub(issued), c.skew), func(t *testing.T) {
			o := admits(t)
			o.Now, o.Skew = c.now, c.skew
			_, err := aaif.VerifyToken(good, o)
			expect(t, aaif.CodeOf(err), c.code)
		})
	}
}

func TestPrincipal(t *testing.T) {
	salt := []byte("sixteen bytes ok")
	claim := aaif.Principal(salt, "ada@example.org")
	t.Run("AAIF-8.2-9 a principal is who it says, and shows no name", func(t *testing.T) {
		expect(t, claim, "c2l4dGVlbiBieXRlcyBvaw.E563rmo30cHw0M2gL6f8tDDc-Bk6B3UNwqGAOKf2h2E")
		expect(t, aaif.SamePrincipal(claim, "ada@example.org"), true)
		expect(t, aaif.Principal(salt, "")+aaif.Principal(salt[1:], "ada@example.org"), "")
		if aaif.Principal([]byte("another 16 bytes"), "ada@example.org") == claim {
			t.Error("the salt changes nothing")
		}
	})
	t.Run("AAIF-8.2-9 anybody else is not", func(t *testing.T) {
		for _, c := range []struct{ claim, user string }{
			{claim, "bob@example.org"}, {claim, ""}, {"", ""}, {"", "ada@example.org"}, {claim + "=", "ada@example.org"}, {claim[:30], "ada@example.org"},
			{"." + strings.Split(claim, ".")[1], "ada@example.org"}, {".", ""}, {"?." + claim, "ada@example.org"},
			{aaif.Principal([]byte("short"), "ada@example.org"), "ada@example.org"},
		} {
			expect(t, aaif.SamePrincipal(c.claim, c.user), false)
		}
	})
}

func FuzzVerifyToken(f *testing.F) {
	f.Add(goodHeader, goodClaims)
	f.Add(`{"alg":"none"}`, `{}`)
	o := admits(f)
	f.Fuzz(func(t *testing.T, header, claims string) {
		token, err := aaif.VerifyToken(signToken(t, header, claims), o)
		switch {
		case err != nil && aaif.CodeOf(err) == "":
			t.Fatalf("an error without a code: %v", err)
		case err == nil && (token.Expires.Sub(token.IssuedAt) > aaif.TokenLifetime || token.Audience != o.Audience || token.Digest == "" || token.ID == ""):
			t.Fatalf("accepted %+v", token)
		}
	})
}
