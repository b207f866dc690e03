// Package oauth lets remote assistants ask an owner for access, by OAuth 2.1 as MCP's
// authorization specification wants it. It holds what goes over HTTP; the [Grants] behind it
// keep what was granted, and the owner's pages ask the owner.
//
//	                                      the routes, and what is said of them
//	                                                                       routes.go, schema.json
//	RFC 9728, RFC 8414                    what the server says of itself   metadata.go
//	RFC 7591                              registration, without storage    register.go, sealed.go
//	Client ID Metadata Documents          names that lie elsewhere         document.go, fetch.go
//	OAuth 2.1, RFC 7636, RFC 8252         the request and where its answer goes
//	                                                                       authorize.go, redirect.go, scope.go
//	RFC 9207                              the owner's decision             consent.go
//	OAuth 2.1, RFC 8707, RFC 7009         tokens                           token.go
//	RFC 6750                              challenges                       challenge.go
//	RFC 9068, in part                     tokens of another issuer         outside.go
//
// The server knows public clients, the code flow, PKCE with S256 and tokens in the Authorization
// header, and nothing else. It leads no browser to the address of a client before the owner has
// decided, so that a stranger cannot use it as an open redirector.
package oauth

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/internal/httpkit"
	"github.com/satchel-memory/satchel/memory"
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

// The paths of the resources.
const (
	mcpPath     = "/mcp"
	contextPath = "/v1/context"
)

func resources() []resource { return []resource{{mcpPath, false}, {contextPath, true}} }

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
	Projects                              []string // none: every project; "" is what belongs to none
	Visibility                            memory.Visibility
	Until                                 time.Time
	Runtime                               *memory.Runtime // for a resource that is a context
	Replaces                              bool            // what the client had before for the resource ends when it spends the code
}

// Proof is what a client shows besides a code. Redirect and Resource may be empty: it names none.
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
	routes    httpkit.Table[*Handler]
}

// New returns a handler.
func New(o Options) *Handler {
	h := &Handler{options: o, seal: newSealer(o.Secret), documents: newDocuments(o), routes: routes()}
	if o.Outside != nil {
		h.routes = resourceTable()
	}
	return h
}
