package oauth

import (
	"crypto/sha256"
	"encoding/base64"
	"html/template"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/internal/httpkit"
	"github.com/satchel-memory/satchel/memory"
)

// Limits of a request for consent.
const (
	maxQuery     = 8 << 10 // bytes
	maxState     = 1 << 10
	maxPurpose   = 200
	requestLasts = 10 * time.Minute
	digestLength = 43 // of SHA-256 in base64
)

// request is what an assistant asks the owner for. It lies in a cookie of the browser that
// brought it, and nowhere else; the server's signature is on it.
type request struct {
	ID        string        `json:"i"`
	Ends      int64         `json:"e"` // seconds since 1970
	Issuer    string        `json:"s"`
	Client    string        `json:"c"` // digest of its id
	Name      string        `json:"n,omitempty"`
	Host      string        `json:"h,omitempty"`
	URI       string        `json:"u,omitempty"`
	Redirect  string        `json:"r"`
	State     string        `json:"t,omitempty"`
	Challenge string        `json:"p"`
	Resource  string        `json:"a"`
	Verbs     []memory.Verb `json:"v"`
	Context   string        `json:"x,omitempty"`
	Purpose   string        `json:"w,omitempty"`
}

// clientDigest names a client in requests and grants.
func clientDigest(id string) string {
	sum := sha256.Sum256([]byte(id))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// authorize checks a request for consent, binds it to the browser, and leads to the page on
// which the owner decides. A request that is refused leads nowhere: whoever registers can
// name any address, so that an error must not send a browser there.
func (h *Handler) authorize(w http.ResponseWriter, r *http.Request, _ memory.Caller) error {
	q, f := h.requestOf(r)
	if f != nil {
		sendText(w, f)
		return nil
	}
	sealed, err := h.seal.seal("request", q)
	if err != nil || len(sealed) > maxSealed {
		sendText(w, invalidRequest("the request is too long"))
		return nil
	}
	name, encrypted := h.options.Cookie(r)
	http.SetCookie(w, &http.Cookie{Name: name, Value: sealed, Path: "/", MaxAge: int(requestLasts / time.Second), HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: encrypted})
	// After a redirect the browser would still count the request as the assistant's, and leave
	// out the owner's cookie, which is SameSite=Strict. So a page leads on.
	var page strings.Builder
	if err := onward().Execute(&page, h.options.Consent+"?request="+url.QueryEscape(q.ID)); err != nil {
		return err
	}
	httpkit.Send(w, http.StatusOK, "text/html; charset=utf-8", []byte(page.String()))
	return nil
}

func onward() *template.Template {
	return template.Must(template.New("").Parse(`<!doctype html>
<html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="0; url={{.}}"><title>Satchel</title>
<p><a href="{{.}}">Go on to your pages, and decide what the assistant may do.</a></p></html>
`))
}

// sendText answers a browser with a refusal. With status 401 it names the scheme Bearer, for
// which no browser asks for a password.
func sendText(w http.ResponseWriter, f *fault) {
	if f.status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer realm="satchel"`)
	}
	httpkit.Send(w, f.status, "text/plain; charset=utf-8", []byte("The assistant's request was refused.\n\n"+f.code+": "+f.text+"\n\nGo back to the assistant and connect again. If that does not help, tell its makers what is written here.\n"))
}

// values reads parameters that may each come once. An empty one counts as missing.
func values(raw string) (url.Values, *fault) {
	if len(raw) > maxQuery {
		return nil, invalidRequest("the request is longer than 8 KiB")
	}
	v, err := url.ParseQuery(raw)
	if err != nil {
		return nil, invalidRequest("the parameters cannot be read")
	}
	for name, all := range v {
		if len(all) > 1 {
			return nil, invalidRequest("a parameter comes twice")
		}
		if all[0] == "" {
			delete(v, name)
		}
	}
	return v, nil
}

// requestOf checks a request for consent: first who asks and where the answer goes.
func (h *Handler) requestOf(r *http.Request) (request, *fault) {
	v, f := values(r.URL.RawQuery)
	if f != nil {
		return request{}, f
	}
	if v.Get("client_id") == "" || v.Get("redirect_uri") == "" {
		return request{}, invalidRequest("client_id and redirect_uri are missing")
	}
	c, f := h.clientNamed(r.Context(), v.Get("client_id"))
	if f != nil {
		return request{}, f
	}
	if !allowsRedirect(c.Redirects, v.Get("redirect_uri")) {
		return request{}, invalidRequest("redirect_uri is none of those that the assistant registered")
	}
	if f := checkFlow(v); f != nil {
		return request{}, f
	}
	origin := h.options.Origin(r)
	resource, kind, ok := h.resourceOf(origin, v.Get("resource"))
	if !ok {
		return request{}, &fault{http.StatusBadRequest, "invalid_target", "resource must be " + origin + resources()[0].path + ", or another resource of this server"}
	}
	a, ok := accessOf(v.Get("scope"), kind.context)
	if !ok {
		return request{}, &fault{http.StatusBadRequest, "invalid_scope", "the scopes of this resource are " + strings.Join(kind.scopes(), ", ")}
	}
	return request{
		ID: h.options.NewID(), Ends: h.options.Now().Add(requestLasts).Unix(), Issuer: origin,
		Client: clientDigest(v.Get("client_id")), Name: c.Name, Host: c.Host, URI: c.URI,
		Redirect: v.Get("redirect_uri"), State: v.Get("state"), Challenge: v.Get("code_challenge"),
		Resource: resource, Verbs: a.verbs, Context: a.context, Purpose: plainName(v.Get("purpose")),
	}, nil
}

// checkFlow refuses all flows but one.
func checkFlow(v url.Values) *fault {
	switch {
	case v.Has("request"):
		return &fault{http.StatusBadRequest, "request_not_supported", "send the parameters themselves"}
	case v.Has("request_uri"):
		return &fault{http.StatusBadRequest, "request_uri_not_supported", "send the parameters themselves"}
	case v.Get("response_type") != "code":
		return &fault{http.StatusBadRequest, "unsupported_response_type", "response_type must be code"}
	case v.Has("response_mode") && v.Get("response_mode") != "query":
		return invalidRequest("response_mode must be query")
	case v.Get("prompt") == "none":
		return &fault{http.StatusBadRequest, "interaction_required", "the owner is asked each time"}
	case v.Get("code_challenge_method") != "S256":
		return invalidRequest("code_challenge_method must be S256")
	case !isDigest(v.Get("code_challenge")):
		return invalidRequest("code_challenge must be a SHA-256 in base64url")
	case len(v.Get("state")) > maxState || len(v.Get("purpose")) > maxPurpose:
		return invalidRequest("state is longer than 1,024 bytes, or purpose than 200")
	}
	return nil
}

func isDigest(text string) bool {
	_, err := base64.RawURLEncoding.Strict().DecodeString(text)
	return err == nil && len(text) == digestLength
}
