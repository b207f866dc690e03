package tool

import (
	"context"
	"crypto/tls"
	"encoding/base64"
	"net/http"
	"os"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/openapi"
	"github.com/satchel-memory/satchel/text/internet"
)

// credential is a resolved secret of a tool for one host.
type credential struct {
	auth   aaif.Auth
	secret string
	bearer string           // of oauth2: the token
	kept   string           // of oauth2: the key under which the token is kept
	pair   *tls.Certificate // of mtls
}

// none reports whether a tool needs no authentication.
func none(a aaif.Auth) bool { return a.Type == "" || a.Type == "none" }

// credential resolves the secret of a tool for a host (AAIF-4.4-15 to 4.4-18).
func (s *Set) credential(ctx context.Context, auth aaif.Auth, host string) (credential, error) {
	c := credential{auth: auth}
	if none(auth) {
		return c, nil
	}
	if auth.Type == "oauth2" {
		return s.oauth(ctx, auth, host)
	}
	secret, err := s.secret(ctx, auth, internet.PlainHost(host))
	if err != nil {
		return c, err
	}
	c.secret = secret
	if auth.Type == "mtls" {
		c.pair, err = certificate(secret)
	}
	return c, err
}

// certificate reads a client's certificate and key: the PEM texts, or the path of a file
// that holds them.
func certificate(secret string) (*tls.Certificate, error) {
	pem := []byte(secret)
	if !strings.Contains(secret, "-----BEGIN") {
		data, err := os.ReadFile(secret)
		if err != nil {
			return nil, fail(secretUnresolved, "the file of the certificate cannot be read")
		}
		pem = data
	}
	pair, err := tls.X509KeyPair(pem, pem)
	if err != nil {
		return nil, fail(secretUnresolved, "the secret is no certificate with its key, in PEM")
	}
	return &pair, nil
}

// apply puts the credential into a request. place says where an OpenAPI description wants
// it; the zero place is the usual one.
func (c credential) apply(r *http.Request, body []byte, s *Set, place openapi.AuthPlacement) error {
	switch c.auth.Type {
	case "bearer":
		r.Header.Set("Authorization", "Bearer "+c.secret)
	case "oauth2":
		r.Header.Set("Authorization", "Bearer "+c.bearer)
	case "basic":
		r.Header.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(c.secret)))
	case "api_key":
		c.key(r, place)
	case "aws_sigv4":
		return sign(r, body, c.secret, s.o.Now())
	}
	return nil
}

// key puts an API key where it is wanted.
func (c credential) key(r *http.Request, place openapi.AuthPlacement) {
	switch place.In {
	case "query":
		q := r.URL.Query()
		q.Set(place.Name, c.secret)
		r.URL.RawQuery = q.Encode()
	case "cookie":
		r.AddCookie(&http.Cookie{Name: place.Name, Value: c.secret})
	default:
		name := place.Name
		if name == "" {
			name = c.auth.Header
		}
		if name == "" {
			name = "X-API-Key"
		}
		r.Header.Set(name, c.secret)
	}
}

// shortestHidden is the length of a text that is too short to be looked for in answers.
const shortestHidden = 8

// hide replaces the secret in a text of the tool, so that neither a model nor a log gets
// it. It reports whether it was there.
func (c credential) hide(text string) (string, bool) {
	found := false
	hidden := []string{c.secret, c.bearer, base64.StdEncoding.EncodeToString([]byte(c.secret))}
	if _, after, ok := strings.Cut(c.secret, ":"); ok {
		hidden = append(hidden, after)
	}
	for _, word := range hidden {
		if len(word) >= shortestHidden && strings.Contains(text, word) {
			text, found = strings.ReplaceAll(text, word, "[secret]"), true
		}
	}
	return text, found
}
