package ump_test

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"strings"
	"testing"
	"time"

	"lukechampine.com/blake3"

	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// tokenVector is one rule about capability tokens.
type tokenVector struct {
	Expect   string // "ok" or the name of a fault
	Path     string // the claim that is wrong
	Payload  string // the claims as they are spelled in the token
	Seed     string // of the key that signs; empty: somebody else's
	Token    string // what comes of it, where it is fixed
	Now      time.Time
	Audience string
	Role     string
}

// token signs the payload, or returns the fixed token.
func (v tokenVector) token(t testing.TB) string {
	if v.Seed == "" {
		return v.Token
	}
	seed, err := hex.DecodeString(v.Seed)
	if err != nil {
		t.Fatal(err)
	}
	return signPayload(base64.RawURLEncoding.EncodeToString([]byte(v.Payload)), seed)
}

// signPayload makes a token of the text of a payload as section 5.2 has it,
// from the libraries alone.
func signPayload(payload string, seed []byte) string {
	sum := blake3.Sum256([]byte(payload))
	return "umpcap." + payload + ".ed25519:" + base64.RawURLEncoding.EncodeToString(ed25519.Sign(ed25519.NewKeyFromSeed(seed), sum[:]))
}

func faultNamed(name string) error {
	return map[string]error{
		"form": ump.ErrTokenForm, "long": ump.ErrTokenLong, "version": ump.ErrTokenVersion, "signature": ump.ErrTokenSignature,
		"issuer": ump.ErrTokenIssuer, "verb": ump.ErrTokenVerb, "scope": ump.ErrTokenScope, "time": ump.ErrTokenTime,
		"expired": ump.ErrTokenExpired, "early": ump.ErrTokenEarly, "audience": ump.ErrTokenAudience, "id": ump.ErrTokenID,
		"runtime": ump.ErrTokenRuntime,
	}[name]
}

func TestToken(t *testing.T) {
	vectors(t, "token", func(t *testing.T, v tokenVector) {
		token := v.token(t)
		if v.Token != "" && token != v.Token {
			t.Fatalf("the claims make the token %s, want %s", token, v.Token)
		}
		c, err := ump.ReadToken(token)
		if err == nil {
			err = c.Check(v.Now, v.Audience)
		}
		if v.Expect != "ok" {
			checkTokenFault(t, err, faultNamed(v.Expect), v.Path, token)
			return
		}
		if err != nil {
			t.Fatalf("refused: %v", err)
		}
		if got := map[memory.Role]string{memory.Peer: "peer", memory.Agent: "agent", memory.Owner: "owner"}[c.Caller().Role]; got != v.Role {
			t.Errorf("the role is %q, want %q", got, v.Role)
		}
		again, err := ump.ReadToken(mustMint(t, v, c))
		if err != nil || string(again.JSON()) != string(c.JSON()) {
			t.Errorf("minted again it says %s (%v), want %s", again.JSON(), err, c.JSON())
		}
	})
}

// mustMint mints what was read, where the key is at hand: the same token, if it
// was canonical and has no claims of its own.
func mustMint(t *testing.T, v tokenVector, c ump.Claims) string {
	t.Helper()
	if v.Seed == "" {
		return v.Token
	}
	token, err := ump.MintToken(c, *ownerKey(t))
	if err != nil {
		t.Fatal(err)
	}
	if v.Token != "" && token != v.Token {
		t.Errorf("minted it is %s, want %s", token, v.Token)
	}
	return token
}

func checkTokenFault(t *testing.T, err, want error, path, token string) {
	t.Helper()
	e, ok := errors.AsType[*memory.Error](err)
	if !ok || want == nil || !errors.Is(err, want) {
		t.Fatalf("error is %v, want %v", err, want)
	}
	if e.Kind != memory.Unauthorized || e.Path != path || !strings.HasPrefix(e.Rule, "UMP-5.2-") || e.Message == "" {
		t.Errorf("error is %+v, want unauthorized at %q", e, path)
	}
	if parts := strings.Split(token, "."); len(parts) > 1 && strings.Contains(err.Error(), parts[1]) {
		t.Error("the error repeats the token")
	}
}

var claims = ump.Claims{
	Issuer: ownerDID, Verbs: []memory.Verb{memory.ReadVerb, memory.DeriveVerb}, Scope: memory.Scope{Project: "github.com/example/garden"},
	Expires: birthTime.AddDate(0, 0, 1), ID: "t1",
}

func mint(t testing.TB, c ump.Claims) string {
	t.Helper()
	token, err := ump.MintToken(c, *ownerKey(t))
	if err != nil {
		t.Fatal(err)
	}
	return token
}

func TestTokenAltered(t *testing.T) {
	good := mint(t, claims)
	seed := bytes.Repeat([]byte{7}, 32)
	payload := strings.Split(good, ".")[1]
	cut := strings.LastIndexByte(good, ':') + 1
	t.Run("UMP-5.2-3 a token that was altered in any place is refused", func(t *testing.T) {
		for i := range good {
			for _, c := range []byte("A_.\n=") {
				altered := good[:i] + string(c) + good[i+1:]
				if _, err := ump.ReadToken(altered); altered != good && memory.KindOf(err) != memory.Unauthorized {
					t.Fatalf("with %q at %d: %v", c, i, err)
				}
			}
			if _, err := ump.ReadToken(good[:i]); !errors.Is(err, ump.ErrTokenForm) {
				t.Fatalf("cut at %d: %v", i, err)
			}
		}
	})
	for name, token := range map[string]string{
		"nothing":                      "",
		"another scheme":               "Bearer " + good,
		"two parts":                    strings.TrimPrefix(good, "umpcap."),
		"no claims":                    "umpcap..ed25519:" + good[cut:],
		"white space around":           " " + good,
		"a line break at the end":      good + "\n",
		"a line break in the claims":   signPayload(payload[:20]+"\n"+payload[20:], seed),
		"padding":                      signPayload(payload+"=", seed),
		"two signatures":               good + good[cut-len(".ed25519:"):],
		"a signature in base64":        good[:cut] + base64.StdEncoding.EncodeToString(make([]byte, 64)),
		"a signature in hexadecimal":   good[:cut] + strings.Repeat("0", 128),
		"a signature that is short":    good[:cut] + base64.RawURLEncoding.EncodeToString(make([]byte, 63)),
		"bits that say nothing are on": good[:len(good)-1] + string(good[len(good)-1]+1),
		"another signature scheme":     strings.Replace(good, ".ed25519:", ".none:", 1),
	} {
		t.Run("UMP-5.2-3 refused: "+name, func(t *testing.T) {
			_, err := ump.ReadToken(token)
			checkTokenFault(t, err, ump.ErrTokenForm, "", "")
		})
	}
	t.Run("UMP-5.2-3 a signature of nothing is none", func(t *testing.T) {
		_, err := ump.ReadToken(good[:cut] + base64.RawURLEncoding.EncodeToString(make([]byte, 64)))
		checkTokenFault(t, err, ump.ErrTokenSignature, "", "")
	})
	t.Run("UMP-5.2-3 the signature of a record is none of a token", func(t *testing.T) {
		sum := blake3.Sum256([]byte("blake3:jd7lvor6nytwa35tfffac6lj4uztalwi2y6eg5fauava27j2esbq"))
		signature := base64.RawURLEncoding.EncodeToString(ownerKey(t).Sign(sum[:]))
		_, err := ump.ReadToken(good[:cut] + signature)
		checkTokenFault(t, err, ump.ErrTokenSignature, "", "")
	})
}

func TestTokenCaller(t *testing.T) {
	c := claims
	c.Scope = memory.Scope{Owner: ownerDID, Project: "p", Agent: "planner", Visibility: memory.Private}
	read, err := ump.ReadToken(mint(t, c))
	if err != nil {
		t.Fatal(err)
	}
	caller := read.Caller()
	t.Run("UD-25 a peer has what the token grants", func(t *testing.T) {
		g := caller.Grant
		if caller.Owner != ownerDID || caller.Role != memory.Peer || caller.Agent != "" || caller.Session != "token:t1" || g == nil {
			t.Fatalf("the caller is %+v", caller)
		}
		if g.ID != "t1" || !g.Expires.Equal(c.Expires) || g.Scope != (memory.Scope{Project: "p", Agent: "planner", Visibility: memory.Private}) {
			t.Errorf("the grant is %+v", g)
		}
		if !g.Allows(memory.ReadVerb) || !g.Allows(memory.DeriveVerb) || g.Allows(memory.WriteVerb) || g.Allows(memory.ExportVerb) {
			t.Errorf("the verbs are %v", g.Verbs)
		}
	})
	t.Run("a grant is the caller's own", func(t *testing.T) {
		caller.Grant.Verbs[0] = memory.ExportVerb
		if read.Verbs[0] != memory.ReadVerb {
			t.Error("changing it changes the claims")
		}
	})
	t.Run("whoever holds everything has no grant to look into", func(t *testing.T) {
		c.Scope, c.Verbs = memory.Scope{}, memory.Verbs()
		if got := c.Caller(); got != (memory.Caller{Owner: ownerDID, Role: memory.Agent, Session: "token:t1"}) {
			t.Errorf("the caller is %+v", got)
		}
		c.Subject = string(ownerDID)
		if got := c.Caller(); got != (memory.Caller{Owner: ownerDID, Role: memory.Owner, Session: "token:t1"}) {
			t.Errorf("the caller is %+v", got)
		}
	})
}

func TestMintToken(t *testing.T) {
	t.Run("UD-25 the same claims give the same token", func(t *testing.T) {
		if a, b := mint(t, claims), mint(t, claims); a != b || !ump.IsToken(a) || ump.IsToken(a[1:]) {
			t.Errorf("%s, %s", a, b)
		}
	})
	t.Run("times are written in UTC, with no more digits than they need", func(t *testing.T) {
		c := claims
		c.NotBefore = birthTime.In(time.FixedZone("", 7200))
		c.Expires = birthTime.Add(1_250_999_999)
		read, err := ump.ReadToken(mint(t, c))
		v := parse(t, read.JSON())
		if err != nil || v.Get("nbf").Text() != "2026-06-04T10:00:00Z" || v.Get("exp").Text() != "2026-06-04T10:00:01.250Z" {
			t.Errorf("the claims are %s (%v)", read.JSON(), err)
		}
	})
	t.Run("the edition that is given stays", func(t *testing.T) {
		c := claims
		c.Version = "ump-cap/1.0"
		if read, err := ump.ReadToken(mint(t, c)); err != nil || read.Version != "ump-cap/1.0" {
			t.Errorf("%+v, %v", read, err)
		}
	})
	for name, row := range map[string]struct {
		change func(*ump.Claims)
		want   error
	}{
		"another's issuer":       {func(c *ump.Claims) { c.Issuer = "did:key:z6MktwupdmLXVVqTzCw4i46r4uGyosGXRnR3XjN5x1fTDDgQ" }, ump.ErrTokenIssuer},
		"no issuer":              {func(c *ump.Claims) { c.Issuer = "" }, ump.ErrTokenIssuer},
		"no verb":                {func(c *ump.Claims) { c.Verbs = nil }, ump.ErrTokenVerb},
		"an unknown verb":        {func(c *ump.Claims) { c.Verbs = []memory.Verb{"erase"} }, ump.ErrTokenVerb},
		"another's memory":       {func(c *ump.Claims) { c.Scope.Owner = "did:web:example.com" }, ump.ErrTokenScope},
		"a session":              {func(c *ump.Claims) { c.Scope.Session = "s" }, ump.ErrTokenScope},
		"a user":                 {func(c *ump.Claims) { c.Scope.User = "u" }, ump.ErrTokenScope},
		"a project in no UTF-8":  {func(c *ump.Claims) { c.Scope.Project = "\xff" }, ump.ErrTokenScope},
		"an agent in no UTF-8":   {func(c *ump.Claims) { c.Scope.Agent = "\xff" }, ump.ErrTokenScope},
		"own, with limits":       {func(c *ump.Claims) { c.Subject = string(ownerDID) }, ump.ErrTokenScope},
		"a subject in no UTF-8":  {func(c *ump.Claims) { c.Subject = "\xff" }, ump.ErrTokenForm},
		"a server in no UTF-8":   {func(c *ump.Claims) { c.Audience = "\xff" }, ump.ErrTokenForm},
		"no end":                 {func(c *ump.Claims) { c.Expires = time.Time{} }, ump.ErrTokenTime},
		"an end beyond years":    {func(c *ump.Claims) { c.Expires = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC) }, ump.ErrTokenTime},
		"a beginning at the end": {func(c *ump.Claims) { c.NotBefore = c.Expires.Add(time.Microsecond) }, ump.ErrTokenTime},
		"no id":                  {func(c *ump.Claims) { c.ID = "" }, ump.ErrTokenID},
		"an unknown edition":     {func(c *ump.Claims) { c.Version = "ump-cap/9" }, ump.ErrTokenVersion},
		"too long":               {func(c *ump.Claims) { c.Scope.Project = strings.Repeat("p", 7000) }, ump.ErrTokenLong},
	} {
		t.Run("no token is minted with "+name, func(t *testing.T) {
			c := claims
			row.change(&c)
			token, err := ump.MintToken(c, *ownerKey(t))
			if token != "" || !errors.Is(err, row.want) || memory.KindOf(err) != memory.InvalidRecord {
				t.Errorf("%q, %v; want %v", token, err, row.want)
			}
		})
	}
	t.Run("no token is minted without a key", func(t *testing.T) {
		if token, err := ump.MintToken(claims, keys.Private{}); token != "" || !errors.Is(err, ump.ErrTokenIssuer) {
			t.Errorf("%q, %v", token, err)
		}
	})
	t.Run("UD-25 a revoked token is told apart", func(t *testing.T) {
		checkTokenFault(t, ump.TokenError(ump.ErrTokenRevoked), ump.ErrTokenRevoked, "", "")
	})
}

// FuzzReadToken: what is accepted is what its issuer signed, and is minted again
// with the same meaning.
func FuzzReadToken(f *testing.F) {
	seeds(f, "token", func(v tokenVector) { f.Add(v.token(f), false) })
	seeds(f, "token", func(v tokenVector) { f.Add(v.Payload, true) })
	f.Fuzz(func(t *testing.T, token string, sign bool) {
		if sign { // claims that somebody did sign
			token = signPayload(base64.RawURLEncoding.EncodeToString([]byte(token)), bytes.Repeat([]byte{7}, 32))
		}
		c, err := ump.ReadToken(token)
		if err != nil {
			if memory.KindOf(err) != memory.Unauthorized {
				t.Fatalf("refused as %v", err)
			}
			return
		}
		if c.Issuer != ownerDID {
			return // with another's key, which only a vector has
		}
		token, err = ump.MintToken(c, *ownerKey(t))
		if errors.Is(err, ump.ErrTokenLong) || errors.Is(err, ump.ErrTokenTime) {
			return // another spelling of its times is longer, or a millisecond is too much
		}
		again, err := ump.ReadToken(token)
		if err != nil || string(again.JSON()) != string(c.JSON()) {
			t.Fatalf("%s became %s (%v)", c.JSON(), again.JSON(), err)
		}
	})
}
