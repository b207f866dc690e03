package oauth

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/internal/httpkit"
	"github.com/satchel-memory/satchel/memory"
)

// resourceDocument is the metadata of a resource (RFC 9728, section 2).
type resourceDocument struct {
	Resource string   `json:"resource"`
	Servers  []string `json:"authorization_servers"`
	Scopes   []string `json:"scopes_supported"`
	Methods  []string `json:"bearer_methods_supported"`
	Name     string   `json:"resource_name"`
}

// resourceMetadata answers for the resource whose path follows the document's, or for the
// first one.
func (h *Handler) resourceMetadata(w http.ResponseWriter, r *http.Request, _ memory.Caller) error {
	origin := h.options.Origin(r)
	path := strings.TrimPrefix(r.URL.Path, resourcePath)
	about := resourceDocument{Resource: origin + path, Servers: []string{h.issuer(origin)}, Methods: []string{"header"}, Name: "Satchel"}
	about.Scopes = h.resourceAt(path).scopes()
	sendJSON(w, http.StatusOK, about)
	return nil
}

func (h *Handler) issuer(origin string) string {
	if h.options.Outside != nil {
		return h.options.Outside.Issuer
	}
	return origin
}

// resourceAt returns the resource with a path, or the first one.
func (h *Handler) resourceAt(path string) resource {
	if i := slices.IndexFunc(resources(), func(r resource) bool { return r.path == path }); i >= 0 {
		return resources()[i]
	}
	return resources()[0]
}

// resourceOf returns what the parameter resource names (RFC 8707): a resource of the server,
// or the server itself, which stands for the first one. Scheme and host may be in capitals.
func (h *Handler) resourceOf(origin, asked string) (at string, res resource, ok bool) {
	if n := len(origin); len(asked) >= n && strings.EqualFold(asked[:n], origin) {
		asked = origin + asked[n:]
	}
	if asked == origin || asked == origin+"/" {
		return origin + resources()[0].path, resources()[0], true
	}
	for _, r := range resources() {
		if asked == origin+r.path {
			return asked, r, true
		}
	}
	return "", resource{}, false
}

// ResourceFor returns the resource that a request is for, which its token must be made for;
// empty: none.
func (h *Handler) ResourceFor(r *http.Request) string {
	for _, res := range resources() {
		if r.URL.Path == res.path || strings.HasPrefix(r.URL.Path, res.path+"/") {
			return h.options.Origin(r) + res.path
		}
	}
	return ""
}

// serverDocument is the metadata of the authorization server (RFC 8414, section 2).
type serverDocument struct {
	Issuer        string   `json:"issuer"`
	Authorize     string   `json:"authorization_endpoint"`
	Token         string   `json:"token_endpoint"`
	Register      string   `json:"registration_endpoint"`
	Revoke        string   `json:"revocation_endpoint"`
	Scopes        []string `json:"scopes_supported"`
	ResponseTypes []string `json:"response_types_supported"`
	ResponseModes []string `json:"response_modes_supported"`
	GrantTypes    []string `json:"grant_types_supported"`
	TokenAuth     []string `json:"token_endpoint_auth_methods_supported"`
	RevokeAuth    []string `json:"revocation_endpoint_auth_methods_supported"`
	Challenges    []string `json:"code_challenge_methods_supported"`
	NamesIssuer   bool     `json:"authorization_response_iss_parameter_supported"`
	Documents     bool     `json:"client_id_metadata_document_supported"`
	Requests      bool     `json:"request_parameter_supported"`
	RequestURIs   bool     `json:"request_uri_parameter_supported"`
}

func (h *Handler) serverMetadata(w http.ResponseWriter, r *http.Request, _ memory.Caller) error {
	at := h.options.Origin(r)
	var scopes []string
	for _, res := range resources() {
		scopes = append(scopes, res.scopes()...)
	}
	slices.Sort(scopes)
	sendJSON(w, http.StatusOK, serverDocument{
		Issuer: at, Authorize: at + authorizePath, Token: at + tokenPath, Register: at + registerPath, Revoke: at + revokePath,
		Scopes: slices.Compact(scopes), ResponseTypes: []string{"code"}, ResponseModes: []string{"query"},
		GrantTypes: []string{"authorization_code", "refresh_token"}, TokenAuth: []string{"none"}, RevokeAuth: []string{"none"},
		Challenges: []string{"S256"}, NamesIssuer: true, Documents: h.options.Fetch != nil,
	})
	return nil
}

// fault is a refusal in OAuth's words.
type fault struct {
	status int
	code   string
	text   string
}

func (f *fault) Error() string { return f.code + ": " + f.text }

func invalidRequest(text string) *fault {
	return &fault{http.StatusBadRequest, "invalid_request", text}
}

// sendFault answers a program with a refusal (RFC 6749, section 5.2). A status of 401 has to name a
// scheme: it is Basic, although no client here has a secret.
func sendFault(w http.ResponseWriter, f *fault) {
	if f.status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Basic realm="satchel"`)
	}
	sendJSON(w, f.status, struct {
		Error string `json:"error"`
		Text  string `json:"error_description"`
	}{f.code, f.text})
}

func sendJSON(w http.ResponseWriter, status int, value any) {
	body, err := json.Marshal(value)
	if err != nil {
		panic(err) // all that is sent can be written
	}
	httpkit.Send(w, status, "application/json", body)
}

// faultOf returns the refusal for an error, of the [Grants] perhaps, and reports one that is
// none.
func (h *Handler) faultOf(r *http.Request, err error) *fault {
	if f := (*fault)(nil); errors.As(err, &f) {
		return f
	}
	switch memory.KindOf(err) {
	case memory.Unauthorized:
		h.options.Refused(r, memory.Unauthorized)
		return &fault{http.StatusBadRequest, "invalid_grant", "the code or the refresh token is not good, or not any more: ask the owner again"}
	case memory.ForbiddenScope:
		return &fault{http.StatusBadRequest, "invalid_scope", "the grant does not hold all of this scope: ask the owner again"}
	case memory.InvalidRecord:
		return &fault{http.StatusBadRequest, "invalid_target", "the grant is for another resource"}
	case memory.Unsupported:
		return &fault{http.StatusServiceUnavailable, "temporarily_unavailable", "this server cannot make tokens at the moment: it is read-only, or the owner's key is not open"}
	}
	h.options.Report(r, err)
	return &fault{http.StatusInternalServerError, "server_error", "the server failed; try again"}
}
