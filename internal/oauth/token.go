package oauth

import (
	"crypto/sha256"
	"encoding/base64"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// formType is the media type of a request for tokens.
const formType = "application/x-www-form-urlencoded"

// The shortest and the longest verifier (RFC 7636, section 4.1).
const minVerifier, maxVerifier = 43, 128

// form reads the parameters of a request for tokens, and the digest of its client. They come
// in the body alone; addresses are logged.
func (h *Handler) form(w http.ResponseWriter, r *http.Request) (v url.Values, client string, f *fault) {
	media, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	switch {
	case r.URL.RawQuery != "":
		return nil, "", invalidRequest("send the parameters in the body")
	case !strings.EqualFold(strings.TrimSpace(media), formType):
		return nil, "", invalidRequest("send " + formType)
	case len(r.Header.Values("Authorization")) > 0:
		return nil, "", invalidClient("clients of this server have no secret: send client_id in the body")
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		return nil, "", &fault{http.StatusRequestEntityTooLarge, "invalid_request", "the request is longer than 16 KiB, or broke on the way"}
	}
	if v, f = values(string(body)); f != nil {
		return nil, "", f
	}
	id := v.Get("client_id")
	if _, ok := h.registered(id); !ok && !isDocument(id) || v.Has("client_secret") || v.Has("client_assertion") {
		return nil, "", invalidClient("client_id is that of no client of this server, or it comes with a secret, which no client has")
	}
	return v, clientDigest(id), nil
}

// tokenAnswer holds tokens (RFC 6749, section 5.1).
type tokenAnswer struct {
	Access  string `json:"access_token"`
	Type    string `json:"token_type"`
	Expires int64  `json:"expires_in"`
	Refresh string `json:"refresh_token"`
	Scope   string `json:"scope"`
}

// token exchanges a code or a refresh token for tokens.
func (h *Handler) token(w http.ResponseWriter, r *http.Request, _ memory.Caller) error {
	t, err := h.tokensFor(w, r)
	if err != nil {
		return err
	}
	lasts := max(0, int64(t.Expires.Sub(h.options.Now())/time.Second))
	sendJSON(w, http.StatusOK, tokenAnswer{t.Access, "Bearer", lasts, t.Refresh, scopeOf(t.Verbs, t.Context)})
	return nil
}

func (h *Handler) tokensFor(w http.ResponseWriter, r *http.Request) (Tokens, error) {
	v, client, f := h.form(w, r)
	if f != nil {
		return Tokens{}, f
	}
	resource, _, ok := h.resourceOf(h.options.Origin(r), v.Get("resource"))
	if !ok && v.Has("resource") {
		return Tokens{}, &fault{http.StatusBadRequest, "invalid_target", "resource is none of this server"}
	}
	switch v.Get("grant_type") {
	case "authorization_code":
		verifier := v.Get("code_verifier")
		if !isVerifier(verifier) || !v.Has("code") {
			return Tokens{}, invalidRequest("code and a code_verifier of 43 to 128 letters, digits, -._~ belong here")
		}
		sum := sha256.Sum256([]byte(verifier))
		return h.options.Grants.Exchange(r.Context(), v.Get("code"), Proof{client, v.Get("redirect_uri"), base64.RawURLEncoding.EncodeToString(sum[:]), resource})
	case "refresh_token":
		if !v.Has("refresh_token") {
			return Tokens{}, invalidRequest("refresh_token is missing")
		}
		n := Renewal{Client: client, Resource: resource}
		if n.Verbs, n.Context, ok = narrowerScope(v.Get("scope")); !ok {
			return Tokens{}, &fault{http.StatusBadRequest, "invalid_scope", "this server knows no such scope"}
		}
		return h.options.Grants.Refresh(r.Context(), v.Get("refresh_token"), n)
	}
	return Tokens{}, &fault{http.StatusBadRequest, "unsupported_grant_type", "grant_type is authorization_code or refresh_token"}
}

// isVerifier reports whether a text is a verifier (RFC 7636, section 4.1).
func isVerifier(text string) bool {
	odd := func(c rune) bool {
		return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("-._~", c))
	}
	return len(text) >= minVerifier && len(text) <= maxVerifier && !strings.ContainsFunc(text, odd)
}

// revoke ends a grant that an assistant gives back (RFC 7009). It says the same whether there
// was one or not.
func (h *Handler) revoke(w http.ResponseWriter, r *http.Request, _ memory.Caller) error {
	v, client, f := h.form(w, r)
	if f != nil {
		return f
	}
	if !v.Has("token") {
		return invalidRequest("token is missing")
	}
	var audiences []string
	for _, res := range resources() {
		audiences = append(audiences, h.options.Origin(r)+res.path)
	}
	if err := h.options.Grants.Revoke(r.Context(), v.Get("token"), client, audiences); err != nil {
		return err
	}
	sendJSON(w, http.StatusOK, struct{}{})
	return nil
}
