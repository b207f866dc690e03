// Package oauth lets remote assistants ask an owner for access, by OAuth 2.1 as MCP's
// authorization specification wants it. It holds what goes over HTTP; the [Grants] behind it
// keep what was granted, and the owner's pages ask the owner.
//
//	RFC 9728, RFC 8414                    what the server says of itself   metadata.go
//	RFC 7591                              registration, without storage    register.go, sealed.go
//	Client ID Metadata Documents          names that lie elsewhere         document.go
//	OAuth 2.1, RFC 7636, RFC 8252         the request and where its answer goes
//	                                                                       authorize.go, redirect.go, scope.go
//	RFC 9207                              the owner's decision             consent.go
//	OAuth 2.1, RFC 8707, RFC 7009         tokens                           token.go
//	RFC 6750                              challenges                       challenge.go
//	RFC 9068, in part                     tokens of another issuer         outside.go
//
// There are public clients, the code flow, PKCE with S256 and tokens in the Authorization
// header; there is nothing else. Nothing leads a browser to the address of a client before
// the owner has decided, so that the server redirects to nobody's address for a stranger.
package oauth

import (
	"context"
	"net/http"
	"strings"
	"time"

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

// Costs reports whether a request makes the server work for a stranger: it registers a client,
// or names one whose document has to be had.
func Costs(r *http.Request) bool {
	return r.URL.Path == registerPath || r.URL.Path == authorizePath && strings.HasPrefix(r.URL.Query().Get("client_id"), "https:")
}

// Options say what a [Handler] needs.
type Options struct {
	Grants Grants
	// Secret keys the signatures of registrations and of requests for consent. Servers that
	// share it know each other's.
	Secret []byte
	// Origin returns the address of the server by which a request reached it, such as
	// "https://notes.example". It is the issuer.
	Origin func(*http.Request) string
	// Consent is the path of the page on which the owner decides.
	Consent string
	// Cookie returns the name of the cookie that binds a request for consent to the browser,
	// and whether the connection is encrypted.
	Cookie func(*http.Request) (name string, encrypted bool)
	// Fetch gets the documents of clients. It contacts public addresses only. nil: there are
	// no such clients.
	Fetch http.RoundTripper
	// FetchTimeout is how long a document may take; 0: 5 s.
	FetchTimeout time.Duration
	Now          func() time.Time
	NewID        func() string // an unguessable text of letters and digits
	Report       func(*http.Request, error)
	Refused      func(*http.Request, memory.ErrorKind)
	// Outside is another issuer that lets assistants in instead; nil: this server does.
	Outside *Outside
}

// resource is a part of the server that tokens are made for: the server's address followed by
// its path.
type resource struct {
	path string
	// context: the resource is the context that an assistant starts from (Engram), of which a
	// scope selects a part.
	context bool
}

func resources() []resource { return []resource{{"/mcp", false}, {"/v1/context", true}} }

// Grants keeps what owners granted to assistants. Errors are of kind Unauthorized if a code or
// token is not good, ForbiddenScope if more is asked than was granted, and InvalidRecord for
// another resource.
type Grants interface {
	// Has reports whether the caller granted something to a client that it still uses.
	Has(ctx context.Context, c memory.Caller, client string) (bool, error)
	// Grant makes a grant by the owner in person, and returns its code.
	Grant(ctx context.Context, c memory.Caller, o Order) (code string, err error)
	// Exchange spends a code. A code that comes again ends its grant.
	Exchange(ctx context.Context, code string, p Proof) (Tokens, error)
	// Refresh spends a refresh token. A token that comes again ends its grant.
	Refresh(ctx context.Context, token string, n Renewal) (Tokens, error)
	// Revoke ends the grant of a client's refresh token, or of an access token for one of the
	// resources. It does nothing for any other token.
	Revoke(ctx context.Context, token, client string, resources []string) error
}

// Order is what an owner grants.
type Order struct {
	Client, Redirect, Challenge, Resource string
	Name                                  string // of the grant, for people
	Verbs                                 []memory.Verb
	Project                               string
	Visibility                            memory.Visibility
	Until                                 time.Time
	Runtime                               *memory.Runtime // for a resource that is a context
}

// Proof is what a client shows besides a code.
type Proof struct{ Client, Redirect, Challenge, Resource string }

// Renewal is what a client shows besides a refresh token. Without Verbs it asks for all.
type Renewal struct {
	Client, Resource string
	Context          string // a part of the context; empty: the grant's
	Verbs            []memory.Verb
}

// Tokens are what a client gets.
type Tokens struct {
	Access, Refresh string
	Verbs           []memory.Verb
	Context         string // the scope of a context; empty: the grant is for none
	Expires         time.Time
}

// Handler answers the requests of assistants, and the questions of the page on which the owner
// decides. It is safe for concurrent use.
type Handler struct {
	options   Options
	seal      sealer
	documents *documents
	mux       *http.ServeMux
}

// New returns a handler.
func New(o Options) *Handler {
	h := &Handler{options: o, seal: newSealer(o.Secret), documents: newDocuments(o), mux: http.NewServeMux()}
	for _, path := range resourcePaths() {
		h.mux.HandleFunc(path, h.resourceMetadata)
	}
	if o.Outside != nil {
		return h
	}
	h.mux.HandleFunc(serverPath, h.serverMetadata)
	h.mux.HandleFunc(openidPath, h.serverMetadata)
	h.mux.HandleFunc(authorizePath, h.authorize)
	h.mux.HandleFunc(tokenPath, h.token)
	h.mux.HandleFunc(registerPath, h.register)
	h.mux.HandleFunc(revokePath, h.revoke)
	return h
}

func resourcePaths() []string {
	all := []string{resourcePath}
	for _, r := range resources() {
		all = append(all, resourcePath+r.path)
	}
	return all
}

// Paths returns the paths that a [Handler] answers, unless there is another issuer.
func Paths() []string {
	return append(resourcePaths(), serverPath, openidPath, authorizePath, tokenPath, registerPath, revokePath)
}

// ServeHTTP answers a request.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.mux.ServeHTTP(w, r) }
