package oauth

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/satchel-memory/satchel/memory"
)

func TestRedirectOf(t *testing.T) {
	for _, good := range []string{"https://a.example/", "https://a.example", "https://a.example:8443/x?y=1", "http://127.0.0.1/back", "http://localhost:9/back", "http://[::1]:9/back"} {
		if _, ok := redirectOf(good); !ok {
			t.Errorf("%s was refused", good)
		}
	}
	for _, bad := range []string{"", "/back", "//a.example/", "https:a.example", "https:///x", "https://a.example/#", "https://a.example/#x", "https://u@a.example/", "https://a.example/..", "https://a.example/%2e%2E/x",
		"https://A.example/", "https://a.example./", "https://a.example:/", "https://a.example:0/", "https://*.example/", "https://a.example/ x", "https://a.example\\@b.example/", "https://a.example/\n", "https://a.exämple/",
		"http://a.example/", "http://127.0.0.1.a.example/", "http://localhost.a.example/", "ftp://a.example/", "javascript:alert(1)", "data:text/html,x", "app://back", "https://a.example/" + strings.Repeat("x", 600)} {
		if _, ok := redirectOf(bad); ok {
			t.Errorf("%q was accepted", bad)
		}
	}
}

func TestAllowsRedirect(t *testing.T) {
	named := []string{"https://a.example/x", "http://127.0.0.1:1/back?y=1"}
	for asked, want := range map[string]bool{
		"https://a.example/x": true, "http://127.0.0.1:2/back?y=1": true, "http://127.0.0.1/back?y=1": true,
		"https://a.example:443/x": false, "https://a.example/x/": false, "https://127.0.0.1:2/back?y=1": false, "http://127.0.0.1:2/back": false, "http://127.0.0.2:2/back?y=1": false, "http://[::1]:2/back?y=1": false,
	} {
		if got := allowsRedirect(named, asked); got != want {
			t.Errorf("%s: %t", asked, got)
		}
	}
}

func TestAccessOf(t *testing.T) {
	for _, c := range []struct {
		scope, want string
		context, ok bool
	}{
		{"", "read write", false, true}, {"offline_access", "read write", false, true}, {"export read", "read export", false, true}, {"openid", "", false, false}, {"engram:full", "", false, false},
		{"", "engram:minimal read", true, true}, {"engram:personal write", "engram:personal read write", true, true}, {"engram:personal engram:full", "", true, false}, {"engram:all", "", true, false}, {"export", "", true, false},
	} {
		a, ok := accessOf(c.scope, c.context)
		if got := scopeOf(a.verbs, a.context); got != c.want || ok != c.ok {
			t.Errorf("%q: %q %t", c.scope, got, ok)
		}
	}
	if _, _, ok := narrowerScope("read admin"); ok {
		t.Error("an unknown scope was accepted at a refresh")
	}
}

func TestSealer(t *testing.T) {
	s := newSealer([]byte("secret"))
	text, err := s.seal("a", client{Name: "x"})
	if err != nil {
		t.Fatal(err)
	}
	var c client
	if !s.open("a", text, &c) || c.Name != "x" {
		t.Error("a sealed text does not open")
	}
	for _, other := range []sealer{newSealer([]byte("other")), s} {
		if other.open("b", text, &c) {
			t.Error("it opens for another purpose")
		}
	}
	if newSealer([]byte("other")).open("a", text, &c) || s.open("a", text+"x", &c) || s.open("a", "", &c) || s.open("a", strings.Repeat("x", maxSealed+1), &c) {
		t.Error("another text opens")
	}
}

func TestPlainName(t *testing.T) {
	for name, want := range map[string]string{"  Claude \n AI ": "Claude AI", "a\u202Eb": "a b", strings.Repeat("ä", 80): strings.Repeat("ä", 50), "\xff": ""} {
		if got := plainName(name); got != want {
			t.Errorf("%q: %q", name, got)
		}
	}
}

// transport answers requests for documents and keys.
type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func reply(body io.Reader, control string) *http.Response {
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"application/json"}, "Cache-Control": {control}}, Body: io.NopCloser(body)}
}

func TestDocuments(t *testing.T) {
	const id = "https://a.example/client.json"
	now, asked := time.Unix(1e9, 0), 0
	fails := false
	d := newDocuments(Options{Now: func() time.Time { return now }, FetchTimeout: 50 * time.Millisecond, Fetch: transport(func(r *http.Request) (*http.Response, error) {
		if strings.HasSuffix(r.URL.Path, "/slow") {
			<-r.Context().Done()
			return nil, r.Context().Err()
		}
		if asked++; fails {
			return nil, errors.New("not there")
		}
		return reply(strings.NewReader(`{"client_id":"`+id+`","client_name":"A","redirect_uris":["https://a.example/back"]}`), "public, max-age=300"), nil
	})})
	for range 2 {
		if c, f := d.get(context.Background(), id); f != nil || c.Host != "a.example" || asked != 1 {
			t.Fatal(c, f, asked)
		}
	}
	now, fails = now.Add(301*time.Second), true
	for range 2 { // a failure is not kept (section 5.2)
		before := asked
		if _, f := d.get(context.Background(), id); f == nil || f.code != "invalid_client" || asked != before+1 {
			t.Fatal(f, asked)
		}
	}
	if _, f := d.get(context.Background(), "https://a.example/slow"); f == nil || f.code != "invalid_client" {
		t.Error(f)
	}
	for range maxFetches {
		d.slots <- struct{}{}
	}
	if _, f := d.get(context.Background(), "https://b.example/x"); f == nil || f.code != "temporarily_unavailable" {
		t.Error(f)
	}
	for i := range 2 * maxDocuments {
		d.keep(strings.Repeat("x", i), knownDocument{until: now.Add(time.Hour)})
	}
	if len(d.known) > maxDocuments {
		t.Error(len(d.known))
	}
}

// A document is published once for all servers: it may prefer a way to prove who the client is
// that this server does not know, if the client can do without.
func TestDocumentClient(t *testing.T) {
	const id = "https://a.example/client.json"
	for more, good := range map[string]bool{
		``: true, `,"token_endpoint_auth_method":"none"`: true,
		`,"token_endpoint_auth_method":"private_key_jwt","token_endpoint_auth_methods_supported":["none","private_key_jwt"],"jwks_uri":"https://a.example/keys"`: true,
		`,"token_endpoint_auth_method":"private_key_jwt","jwks_uri":"https://a.example/keys"`:                                                                    false,
		`,"token_endpoint_auth_method":"private_key_jwt","token_endpoint_auth_methods_supported":["private_key_jwt"]`:                                            false,
		`,"token_endpoint_auth_method":"client_secret_post"`:                                                                                                     false, `,"client_secret":"x"`: false,
	} {
		if _, err := documentClient(id, []byte(`{"client_id":"`+id+`","client_name":"A","redirect_uris":["https://a.example/back"]`+more+`}`)); (err == nil) != good {
			t.Errorf("%s: %v", more, err)
		}
	}
	if _, err := documentClient(id, []byte(`{"client_id":"`+id+`","redirect_uris":["https://a.example/back"]}`)); err == nil {
		t.Error("a document without a name is accepted")
	}
}

// A stranger who asks for a document and hangs up does not make it unknown to others.
func TestDocumentsOutliveWhoAsks(t *testing.T) {
	const id = "https://a.example/client.json"
	d := newDocuments(Options{Now: time.Now, Fetch: transport(func(r *http.Request) (*http.Response, error) {
		if err := r.Context().Err(); err != nil {
			return nil, err
		}
		return reply(strings.NewReader(`{"client_id":"`+id+`","client_name":"A","redirect_uris":["https://a.example/back"]}`), ""), nil
	})})
	gone, hangUp := context.WithCancel(context.Background())
	hangUp()
	if _, f := d.get(gone, id); f != nil {
		t.Error("for the one who hung up:", f)
	}
	if _, f := d.get(context.Background(), id); f != nil {
		t.Error("for the next one:", f)
	}
}

func TestOutside(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	other, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	set, err := json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: key.Public(), KeyID: "k1", Use: "sig"}}})
	if err != nil {
		t.Fatal(err)
	}
	now, asked := time.Unix(2e9, 0), 0
	o := &Outside{Issuer: "https://login.example", Keys: "https://login.example/keys", Audience: "https://notes.example/mcp", Subject: "ana", Owner: "did:key:z6Mk", Verbs: []memory.Verb{memory.ReadVerb, memory.WriteVerb},
		Now: func() time.Time { return now }, Fetch: transport(func(*http.Request) (*http.Response, error) {
			asked++
			return reply(strings.NewReader(string(set)), ""), nil
		})}
	sign := func(with any, kid, typ string, alg jose.SignatureAlgorithm, changes claims) string {
		t.Helper()
		c := claims{"iss": o.Issuer, "aud": []string{o.Audience}, "sub": "ana", "exp": now.Add(time.Hour).Unix(), "scope": "read openid"}
		for name, value := range changes {
			if c[name] = value; value == nil {
				delete(c, name)
			}
		}
		return signed(t, with, kid, typ, alg, c)
	}
	owner, g, err := o.Grant(context.Background(), sign(key, "k1", "at+jwt", jose.ES256, nil))
	if err != nil || owner != o.Owner || len(g.Verbs) != 1 || g.Verbs[0] != memory.ReadVerb || g.Scope.Visibility != memory.Shared || !g.Expires.Equal(now.Add(time.Hour)) {
		t.Fatal(owner, g, err)
	}
	for name, token := range map[string]string{
		"another key":          sign(other, "k1", "at+jwt", jose.ES256, nil),
		"an unknown key":       sign(key, "k2", "at+jwt", jose.ES256, nil),
		"a shared secret":      sign([]byte(strings.Repeat("x", 32)), "k1", "at+jwt", jose.HS256, nil),
		"another type":         sign(key, "k1", "logout+jwt", jose.ES256, nil),
		"another issuer":       sign(key, "k1", "at+jwt", jose.ES256, claims{"iss": "https://evil.example"}),
		"another audience":     sign(key, "k1", "at+jwt", jose.ES256, claims{"aud": "https://evil.example/mcp"}),
		"no audience":          sign(key, "k1", "at+jwt", jose.ES256, claims{"aud": nil}),
		"another person":       sign(key, "k1", "at+jwt", jose.ES256, claims{"sub": "bob"}),
		"no end":               sign(key, "k1", "at+jwt", jose.ES256, claims{"exp": nil}),
		"an end that is past":  sign(key, "k1", "at+jwt", jose.ES256, claims{"exp": now.Add(-2 * time.Minute).Unix()}),
		"a start to come":      sign(key, "k1", "at+jwt", jose.ES256, claims{"nbf": now.Add(2 * time.Minute).Unix()}),
		"no signature":         "eyJhbGciOiJub25lIn0.e30.",
		"something else":       "a.b.c",
		"more than is allowed": strings.Repeat("x", maxJWT+1),
	} {
		if _, _, err := o.Grant(context.Background(), token); memory.KindOf(err) != memory.Unauthorized {
			t.Errorf("%s: %v", name, err)
		}
	}
	if asked != 1 {
		t.Errorf("the keys were asked for %d times", asked)
	}
}

type claims map[string]any

// signed returns a JWT with claims.
func signed(t *testing.T, with any, kid, typ string, alg jose.SignatureAlgorithm, c claims) string {
	t.Helper()
	s, err := jose.NewSigner(jose.SigningKey{Algorithm: alg, Key: with}, (&jose.SignerOptions{}).WithType(jose.ContentType(typ)).WithHeader("kid", kid))
	if err != nil {
		t.Fatal(err)
	}
	text, err := jwt.Signed(s).Claims(map[string]any(c)).Serialize()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestSlowIssuer asks an issuer whose keys are due, and which answers late.
func TestSlowIssuer(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	var now atomic.Int64
	now.Store(2e9)
	fetched, answers := make(chan string), make(chan string)
	o := &Outside{Issuer: "https://login.example", Audience: "https://notes.example/mcp", Subject: "ana", Owner: "did:key:z6Mk", Now: func() time.Time { return time.Unix(now.Load(), 0) },
		Fetch: transport(func(*http.Request) (*http.Response, error) {
			fetched <- ""
			set, err := json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: key.Public(), KeyID: <-answers}}})
			return reply(bytes.NewReader(set), ""), err
		})}
	admitted := func(kid string) chan error {
		token := signed(t, key, kid, "at+jwt", jose.ES256, claims{"iss": o.Issuer, "aud": o.Audience, "sub": "ana", "exp": now.Load() + 3600})
		done := make(chan error, 1)
		go func() {
			_, _, err := o.Grant(context.Background(), token)
			done <- err
		}()
		return done
	}
	good := func(who string, got chan error) {
		t.Helper()
		select {
		case err := <-got:
			if err != nil {
				t.Errorf("%s: %v", who, err)
			}
		case <-time.After(10 * time.Second):
			t.Fatal(who + ": it waits for the issuer")
		}
	}
	first := admitted("k1")
	<-fetched
	second := admitted("k1") // waits for the same answer
	answers <- "k1"
	good("the first", first)
	good("one who came meanwhile", second)
	now.Add(2 * 3600)
	asks := admitted("k1")
	<-fetched
	good("one with a known key", admitted("k1"))
	unknown := admitted("k2")
	answers <- "k2"
	good("one with the new key", unknown)
	if err := <-asks; memory.KindOf(err) != memory.Unauthorized {
		t.Errorf("a key that the issuer does not name any more: %v", err)
	}
}
