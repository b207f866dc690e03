package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/satchel-memory/satchel/internal/server"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump/umptest"
)

const (
	owner = memory.DID("did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK")
	token = "a-token-that-is-long-enough-to-be-one"
)

// filled returns a vault with one private memory of a project and one public one.
func filled(t *testing.T) *umptest.Vault {
	t.Helper()
	v := umptest.New()
	for _, r := range []memory.Record{
		{Body: memory.Body{Text: "Use pnpm, never npm."}, Kind: memory.Procedural, Scope: memory.Scope{Owner: owner, Project: "github.com/example/project"}},
		{Body: memory.Body{Text: "The <manual> is in docs/ & tools/."}, Kind: memory.Semantic, Scope: memory.Scope{Owner: owner, Visibility: memory.Public}},
	} {
		if _, err := v.Remember(context.Background(), memory.Caller{Owner: owner, Role: memory.Agent}, memory.Draft{Record: r}); err != nil {
			t.Fatal(err)
		}
	}
	return v
}

// running is a server that listens on the loopback interface.
type running struct {
	address string
	stop    context.CancelFunc
	ended   chan error
}

// start serves o, with what it lacks filled in, until the test ends.
func start(t *testing.T, o server.Options) *running {
	t.Helper()
	if o.Backend == nil {
		o.Backend = filled(t)
	}
	return startFor(t, owner, o)
}

func startFor(t testing.TB, owner memory.DID, o server.Options) *running {
	t.Helper()
	return startOn(t, listen(t), owner, o)
}

// listen listens on a free port of this machine.
func listen(t testing.TB) net.Listener {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return listener
}

func startOn(t testing.TB, listener net.Listener, owner memory.DID, o server.Options) *running {
	t.Helper()
	o.Owner, o.Token, o.Release = owner, token, "1.0.0"
	ctx, stop := context.WithCancel(context.Background())
	s := &running{listener.Addr().String(), stop, make(chan error, 1)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.ended <- server.Serve(ctx, listener, o)
	}()
	t.Cleanup(func() {
		stop()
		<-done
	})
	return s
}

// answer is what a request got.
type answer struct {
	*http.Response
	body []byte
}

// do sends a request with the owner's token. A header "Name: value" is set, one
// without value is left out; "Host: …" sets the host.
func (s *running) do(t *testing.T, method, path, body string, header ...string) answer {
	t.Helper()
	got, err := s.try(t, method, path, body, header...)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func (s *running) try(t *testing.T, method, path, body string, header ...string) (answer, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, "http://"+s.address+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Close = true
	for _, line := range header {
		name, value, _ := strings.Cut(line, ":")
		switch value = strings.TrimSpace(value); {
		case name == "Host":
			r.Host = value
		case value == "":
			r.Header.Del(name)
		default:
			r.Header.Set(name, value)
		}
	}
	got, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return answer{}, err
	}
	defer func() { _ = got.Body.Close() }()
	said, err := io.ReadAll(got.Body)
	return answer{got, said}, err
}

// code returns the code of an error envelope, and fails when it is not one.
func (a answer) code(t *testing.T) memory.ErrorKind {
	t.Helper()
	var envelope struct {
		Error struct {
			Code    memory.ErrorKind
			Message *string
		}
	}
	if err := json.Unmarshal(a.body, &envelope); err != nil || envelope.Error.Message == nil {
		t.Fatalf("not an error envelope: %d %s", a.StatusCode, a.body)
	}
	return envelope.Error.Code
}

// withToken sends a token along with every request.
type withToken string

func (w withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(w))
	return http.DefaultTransport.RoundTrip(r)
}

// dial connects a stock MCP client of a revision, with the owner's token.
func (s *running) dial(t *testing.T, revision string) *mcp.ClientSession {
	t.Helper()
	return s.dialAs(t, revision, token)
}

func (s *running) dialAs(t *testing.T, revision, token string) *mcp.ClientSession {
	t.Helper()
	transport := &mcp.StreamableClientTransport{Endpoint: "http://" + s.address + "/mcp", HTTPClient: &http.Client{Transport: withToken(token)}}
	client, err := mcp.NewClient(&mcp.Implementation{Name: "some-host", Version: "1"}, nil).
		Connect(t.Context(), transport, &mcp.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client
}

// record keeps what a logger writes.
type record struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (r *record) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.b.Write(p)
}

func (r *record) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.b.String()
}

func (r *record) logger() *slog.Logger { return slog.New(slog.NewJSONHandler(r, nil)) }
