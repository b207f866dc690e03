package e2e

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

// issuer is another issuer of tokens: its keys lie on a server of its own.
type issuer struct {
	*httptest.Server
	key   *rsa.PrivateKey
	asked atomic.Int32
	huge  atomic.Bool // the answer has no end
}

func newIssuer(t *testing.T) *issuer {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	i := &issuer{key: key}
	i.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		i.asked.Add(1)
		if i.huge.Load() {
			for range 64 {
				if _, err := w.Write(make([]byte, 64<<10)); err != nil {
					return
				}
			}
			return
		}
		_ = json.NewEncoder(w).Encode(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: key.Public(), KeyID: "k1", Use: "sig", Algorithm: "RS256"}}})
	}))
	t.Cleanup(i.Close)
	return i
}

const issuerName, issuedFor = "https://login.example", "https://memory.example/mcp"

// sign signs claims, which change changes; an empty value removes one.
func (i *issuer) sign(t *testing.T, key jose.SigningKey, kid string, change ...string) string {
	t.Helper()
	s, err := jose.NewSigner(key, (&jose.SignerOptions{}).WithType("at+jwt").WithHeader("kid", kid))
	if err != nil {
		t.Fatal(err)
	}
	claims := map[string]any{"iss": issuerName, "aud": issuedFor, "sub": "ana", "exp": time.Now().Add(time.Hour).Unix()}
	for _, c := range change {
		name, value, _ := strings.Cut(c, "=")
		if claims[name] = value; value == "" {
			delete(claims, name)
		}
	}
	text, err := jwt.Signed(s).Claims(claims).Serialize()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// served starts a server that takes the issuer's tokens.
func (i *issuer) served(h *home) *remote {
	h.Helper()
	about := filepath.Join(h.dir, "issuer.json")
	text := fmt.Sprintf(`{"issuer":%q,"jwks":%q,"audience":%q,"subject":"ana","verbs":["read"]}`, issuerName, i.URL+"/keys", issuedFor)
	if err := os.WriteFile(about, []byte(text), 0o600); err != nil {
		h.Fatal(err)
	}
	addr, _ := h.serve("--oauth-issuer", about, "--host", publicHost, "--origin", publicName)
	return &remote{home: h, at: "http://" + addr}
}

// TestOutsideIssuer serves the tokens of another issuer as its user does, and attacks that.
func TestOutsideIssuer(t *testing.T) {
	t.Parallel()
	i := newIssuer(t)
	h := newHome(t)
	h.run("remember", "--visibility", "shared", "The kiln is red")
	r := i.served(h)
	own := jose.SigningKey{Algorithm: jose.RS256, Key: i.key}
	good := i.sign(t, own, "k1")
	if !r.works(good) {
		t.Fatal("the issuer's token is refused")
	}
	call := func(tool, arguments string) string {
		_, got := r.post("/mcp", "application/json", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+tool+`","arguments":`+arguments+`,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`,
			"Authorization", "Bearer "+good, "Accept", "application/json, text/event-stream", "Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", tool)
		text, err := json.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if got := call("ump_recall", `{"query":"kiln"}`); !strings.Contains(got, "The kiln is red") {
		t.Errorf("recall: %s", got)
	}
	if got := call("ump_remember", `{"text":"x"}`); !strings.Contains(got, "forbidden_scope") {
		t.Errorf("a verb that the owner does not give: %s", got)
	}
	if status, _ := r.post("/ump/recall", "application/json", `{"query":"kiln"}`, "Authorization", "Bearer "+good); status != http.StatusUnauthorized {
		t.Errorf("at another part of the server: %d", status)
	}

	der, err := x509.MarshalPKIXPublicKey(i.key.Public())
	if err != nil {
		t.Fatal(err)
	}
	public := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
	stranger, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(good, ".")
	unsigned := func(header string) string {
		return base64.RawURLEncoding.EncodeToString([]byte(header)) + "." + parts[1] + "."
	}
	for name, token := range map[string]string{
		"alg none":                             unsigned(`{"alg":"none","kid":"k1","typ":"at+jwt"}`),
		"alg none in capitals, old signature":  unsigned(`{"alg":"NONE","kid":"k1"}`) + parts[2],
		"HS256 with the public key as secret":  i.sign(t, jose.SigningKey{Algorithm: jose.HS256, Key: public}, "k1"),
		"HS256 with the DER as secret":         i.sign(t, jose.SigningKey{Algorithm: jose.HS256, Key: der}, "k1"),
		"another algorithm than the key's":     i.sign(t, jose.SigningKey{Algorithm: jose.PS256, Key: i.key}, "k1"),
		"a stranger's key":                     i.sign(t, jose.SigningKey{Algorithm: jose.RS256, Key: stranger}, "k1"),
		"a stranger's key in the header":       embedded(t, stranger),
		"the claims of another":                parts[0] + "." + base64.RawURLEncoding.EncodeToString([]byte(`{"sub":"ana"}`)) + "." + parts[2],
		"another issuer":                       i.sign(t, own, "k1", "iss=https://evil.example"),
		"no issuer":                            i.sign(t, own, "k1", "iss="),
		"another audience":                     i.sign(t, own, "k1", "aud=https://memory.example/v1/context"),
		"another person":                       i.sign(t, own, "k1", "sub=bob"),
		"no end":                               i.sign(t, own, "k1", "exp="),
		"an end that is no number":             i.sign(t, own, "k1", "exp=tomorrow"),
		"the token of the owner's own program": strings.Repeat("0", 64),
	} {
		if r.works(token) {
			t.Errorf("%s: it opens the memory", name)
		}
	}
	past, err := jwt.Signed(mustSigner(t, own)).Claims(map[string]any{"iss": issuerName, "aud": issuedFor, "sub": "ana", "exp": time.Now().Add(-2 * time.Minute).Unix()}).Serialize()
	if err != nil || r.works(past) {
		t.Errorf("an end that is past: %v", err)
	}

	// A flood of keys that nobody has does not become a flood at the issuer's.
	before := i.asked.Load()
	for n := range 30 {
		if r.works(i.sign(t, own, fmt.Sprint("no-", n))) {
			t.Fatal("an unknown key opens the memory")
		}
	}
	if asked := i.asked.Load() - before; asked > 1 {
		t.Errorf("the issuer was asked %d times", asked)
	}
	if !r.works(good) {
		t.Error("after the flood the good one is refused")
	}
}

// TestOutsideIssuerHuge: keys without an end are not read, and open nothing.
func TestOutsideIssuerHuge(t *testing.T) {
	t.Parallel()
	i := newIssuer(t)
	i.huge.Store(true)
	r := i.served(newHome(t))
	if r.works(i.sign(t, jose.SigningKey{Algorithm: jose.RS256, Key: i.key}, "k1")) {
		t.Error("it opens the memory")
	}
	if status, _ := r.post("/mcp", "application/json", `{}`); status != http.StatusUnauthorized || i.asked.Load() != 1 {
		t.Errorf("%d, asked %d times", status, i.asked.Load())
	}
}

func mustSigner(t *testing.T, key jose.SigningKey) jose.Signer {
	t.Helper()
	s, err := jose.NewSigner(key, (&jose.SignerOptions{}).WithType("at+jwt").WithHeader("kid", "k1"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// embedded is a token that brings its own key along.
func embedded(t *testing.T, key *rsa.PrivateKey) string {
	t.Helper()
	s, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.RS256, Key: key}, (&jose.SignerOptions{EmbedJWK: true}).WithType("at+jwt"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := jwt.Signed(s).Claims(map[string]any{"iss": issuerName, "aud": issuedFor, "sub": "ana", "exp": time.Now().Add(time.Hour).Unix()}).Serialize()
	if err != nil {
		t.Fatal(err)
	}
	return text
}
