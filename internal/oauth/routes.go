package oauth

import (
	_ "embed"
	"net/http"
	"strings"
	"sync"

	"github.com/satchel-memory/satchel/internal/httpkit"
	"github.com/satchel-memory/satchel/memory"
)

// The paths of the authorization server.
const (
	authorizePath = "/authorize"
	tokenPath     = "/token"
	registerPath  = "/register"
	revokePath    = "/revoke"
	serverPath    = "/.well-known/oauth-authorization-server"
	openidPath    = "/.well-known/openid-configuration"
	resourcePath  = "/.well-known/oauth-protected-resource"
)

//go:embed schema.json
var schemas []byte

// resourceTable is the routes by which clients find the issuer of tokens.
func resourceTable() httpkit.Table[*Handler] {
	return httpkit.Table[*Handler]{
		metadataRoute("oauthResource", resourcePath, "Who issues tokens for this server", "OauthResource", (*Handler).resourceMetadata),
		metadataRoute("oauthMcp", resourcePath+mcpPath, "Who issues tokens for MCP", "OauthResource", (*Handler).resourceMetadata),
		metadataRoute("oauthContext", resourcePath+contextPath, "Who issues tokens for the context of Engram", "OauthResource", (*Handler).resourceMetadata),
	}
}

// serverTable is the routes of the authorization server itself.
func serverTable() httpkit.Table[*Handler] {
	return httpkit.Table[*Handler]{
		metadataRoute("oauthServer", serverPath, "What the authorization server offers", "OauthServer", (*Handler).serverMetadata),
		metadataRoute("openidServer", openidPath, "The same, where clients of OpenID look for it", "OauthServer", (*Handler).serverMetadata),
		{Operation: httpkit.Operation{Name: "authorize", Method: http.MethodGet, Path: authorizePath, Who: httpkit.Everyone,
			Summary: "Ask the owner for access, in the owner's browser", Text: "The page leads to one on which the owner decides. A refusal leads nowhere.", In: authorizeParameters(),
			Out:     []httpkit.Answer{{Status: 200, Text: "A page, and a cookie that binds the request to the browser.", Body: []httpkit.Content{{Media: "text/html"}}}},
			Refused: append([]httpkit.Content{{Media: "text/plain"}}, httpkit.JSON("OauthRefusal")...), Fails: []int{400, 401, 503}}, Do: (*Handler).authorize},
		{Operation: httpkit.Operation{Name: "issueTokens", Method: http.MethodPost, Path: tokenPath, Who: httpkit.Everyone,
			Summary: "Exchange a code or a refresh token for tokens", Body: formOf("OauthTokenRequest"),
			Out: []httpkit.Answer{httpkit.Done(200, "The tokens.", "OauthTokens")}, Fails: []int{400, 401, 413, 500, 503}}, Do: (*Handler).token},
		{Operation: httpkit.Operation{Name: "registerClient", Method: http.MethodPost, Path: registerPath, Who: httpkit.Everyone,
			Summary: "Register a client", Text: "Nothing is stored: the id holds all of it.", Body: httpkit.JSON("OauthRegistration"),
			Out: []httpkit.Answer{httpkit.Done(201, "The client.", "OauthClient")}, Fails: []int{400, 413}}, Do: (*Handler).register},
		{Operation: httpkit.Operation{Name: "revokeTokens", Method: http.MethodPost, Path: revokePath, Who: httpkit.Everyone,
			Summary: "Give a grant back", Body: formOf("OauthRevocation"),
			Out: []httpkit.Answer{httpkit.Done(200, "It has ended, if there was one.", "OauthRevoked")}, Fails: []int{400, 401, 413, 500, 503}}, Do: (*Handler).revoke},
	}
}

func metadataRoute(name, path, summary, schema string, do func(*Handler, http.ResponseWriter, *http.Request, memory.Caller) error) *httpkit.Route[*Handler] {
	return &httpkit.Route[*Handler]{Operation: httpkit.Operation{Name: name, Method: http.MethodGet, Path: path, Who: httpkit.Everyone, Summary: summary,
		Out: []httpkit.Answer{httpkit.Done(200, "The metadata.", schema)}}, Do: do}
}

func formOf(schema string) []httpkit.Content {
	return []httpkit.Content{{Media: formType, Schema: schema}}
}

func authorizeParameters() []httpkit.Parameter {
	return []httpkit.Parameter{
		httpkit.Query("response_type", "The flow.", `{"type":"string","const":"code"}`).Needed(),
		httpkit.Query("client_id", "The id of a registration, or the https address of a document about the client.", "").Needed(),
		httpkit.Query("redirect_uri", "Where the answer goes: one of those that the client named.", "").Needed(),
		httpkit.Query("code_challenge", "The SHA-256 of the verifier in base64url (RFC 7636).", "").Needed(),
		httpkit.Query("code_challenge_method", "How the challenge was made.", `{"type":"string","const":"S256"}`).Needed(),
		httpkit.Query("resource", "What the tokens are for (RFC 8707).", "").Needed(),
		httpkit.Query("scope", "What is asked for; to read and to write, if left out.", ""),
		httpkit.Query("state", "Comes back with the answer.", `{"type":"string","maxLength":1024}`),
		httpkit.Query("purpose", "For a context: what it is for.", `{"type":"string","maxLength":200}`),
		httpkit.Query("response_mode", "How the answer comes.", `{"type":"string","const":"query"}`),
	}
}

// routes is every route, made once.
var routes = sync.OnceValue(func() httpkit.Table[*Handler] { return append(resourceTable(), serverTable()...) })

// PathOf returns the path of the table that matches a path.
func PathOf(path string) (string, bool) { return routes().PathOf(path) }

// IsPublic reports whether a path needs no token.
func IsPublic(path string) bool { return routes().IsPublic(path) }

// Paths returns the paths that the handler answers.
func (h *Handler) Paths() []string { return h.routes.Paths() }

// IsForPages reports whether programs on pages of other sites may send a request: to all but
// the page that leads to the owner's decision.
func (h *Handler) IsForPages(r *http.Request) bool {
	return h.ResourceFor(r) != "" || r.URL.Path != authorizePath && h.routes.Has(h, r.URL.Path)
}

// maxBody is the most bytes of a request.
const maxBody = 16 << 10

// ServeHTTP answers a request.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	found := h.routes.At(h, r)
	if len(found) == 0 {
		http.NotFound(w, r)
		return
	}
	way := found.For(r.Method)
	if way == nil {
		w.Header().Set("Allow", strings.Join(found.Methods(), ", "))
		sendFault(w, &fault{http.StatusMethodNotAllowed, "invalid_request", "use " + found[0].Method})
		return
	}
	if err := way.Do(h, w, r, memory.Caller{}); err != nil {
		sendFault(w, h.faultOf(r, err))
	}
}

// Describe describes the routes that the handler offers.
func (h *Handler) Describe() httpkit.Description {
	return httpkit.Description{
		Name: "oauth", Title: "OAuth 2.1", Text: "Remote assistants ask the owner for access, as MCP's authorization specification wants it.",
		Routes: h.routes.Offered(h), Schemas: httpkit.Schemas(schemas),
		Errors: httpkit.Errors{Media: "application/json", Schema: "OauthRefusal", Code: []string{"error"}, Codes: codes(), Always: []int{http.StatusForbidden, http.StatusTooManyRequests},
			Texts: map[int]string{http.StatusUnauthorized: "The client is not known here, or not any more: it has to register again."}},
	}
}

// codes returns the codes of refusals in JSON by status.
func codes() map[int][]string {
	return map[int][]string{
		http.StatusBadRequest:   {"invalid_request", "invalid_target", "invalid_scope", "invalid_grant", "unsupported_grant_type", "invalid_client_metadata", "invalid_redirect_uri"},
		http.StatusUnauthorized: {"invalid_client"}, http.StatusRequestEntityTooLarge: {"invalid_request", "invalid_client_metadata"},
		http.StatusInternalServerError: {"server_error"}, http.StatusServiceUnavailable: {"temporarily_unavailable"},
	}
}
