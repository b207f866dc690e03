package server_test

import (
	"cmp"
	"context"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/server"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// restarted is a keeper whose store goes away and comes back.
type restarted struct {
	*keeper
	mu    sync.Mutex
	gone  context.Context // nil: the store is there
	leave context.CancelFunc
}

var errAway = &memory.Error{Kind: memory.Internal, Message: "the database cannot be reached; try again", Err: memory.ErrUnavailable}

func newRestarted(t *testing.T) *restarted {
	r := &restarted{keeper: newKeeper(t)}
	r.gone, r.leave = context.WithCancel(context.Background())
	r.Before = func(context.Context, string, memory.Caller) error { return r.away() }
	return r
}

func (r *restarted) away() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.gone.Err() != nil {
		return errAway
	}
	return nil
}

// stop takes the store away, from those who wait for it, too.
func (r *restarted) stop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.leave()
}

func (r *restarted) begin() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.gone, r.leave = context.WithCancel(context.Background())
}

func (r *restarted) Admit(ctx context.Context, token string) (memory.Caller, error) {
	if err := r.away(); err != nil {
		return memory.Caller{}, err
	}
	return r.keeper.Admit(ctx, token)
}

func (r *restarted) Await(ctx context.Context, c memory.Caller, after int64) error {
	r.mu.Lock()
	gone := r.gone
	r.mu.Unlock()
	ctx, done := context.WithCancel(ctx)
	defer done()
	defer context.AfterFunc(gone, done)()
	err := r.keeper.Await(ctx, c, after)
	if away := r.away(); away != nil {
		return away
	}
	return err
}

// Take counts for all servers, while the store is there.
func (r *restarted) Take(_ context.Context, _ memory.DID, _ string, want, _ int, _ float64) (int, time.Duration, error) {
	return want, 0, r.away()
}

var _ server.Shared = (*restarted)(nil)

func TestDatabaseRestarts(t *testing.T) {
	r := newRestarted(t)
	s := start(t, server.Options{Backend: r})
	updated := make(chan string, 10)
	transport := &mcp.StreamableClientTransport{Endpoint: "http://" + s.address + "/mcp", HTTPClient: &http.Client{Transport: withToken(agent)}}
	client, err := mcp.NewClient(&mcp.Implementation{Name: "some-host", Version: "1"}, &mcp.ClientOptions{
		ResourceUpdatedHandler: func(_ context.Context, n *mcp.ResourceUpdatedNotificationRequest) { updated <- n.Params.URI },
	}).Connect(t.Context(), transport, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Close() }()
	const manual = "ump://_/urn:ump:caaaaaaaaaaaaaaaaaaaaaaaaa"
	if err := client.Subscribe(t.Context(), &mcp.SubscribeParams{URI: manual}); err != nil {
		t.Fatal(err)
	}
	lines := follow(t, http.DefaultClient, "http://"+s.address, bearing(agent))
	header := []string{"Content-Type: application/json", "Accept: application/json, text/event-stream", "Mcp-Session-Id: " + client.ID()}
	const list = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	if got := s.do(t, "GET", "/readyz", "", "Authorization:"); got.StatusCode != 200 {
		t.Errorf("ready: %d", got.StatusCode)
	}

	r.stop()
	if got := s.do(t, "GET", "/readyz", "", "Authorization:"); got.StatusCode != 503 {
		t.Errorf("ready: %d", got.StatusCode)
	}
	if got := s.do(t, "GET", "/healthz", "", "Authorization:"); got.StatusCode != 200 {
		t.Errorf("alive: %d", got.StatusCode)
	}
	for _, bearer := range []string{token, agent} {
		for path, body := range map[string]string{"/ump/recall": `{"query":"x"}`, "/ump/export": "", "/ump/subscribe": "", "/mcp": list} {
			if path == "/mcp" && bearer == token { // which needs nothing of the store
				continue
			}
			method := map[bool]string{true: "GET", false: "POST"}[body == ""]
			got := s.do(t, method, path, body, append(header, bearing(bearer))...)
			if got.StatusCode != 503 || got.Header.Get("Retry-After") != "2" || got.code(t) != memory.Internal || !strings.Contains(string(got.body), `"retry_after":2`) {
				t.Errorf("%s %s: %d %v %s", method, path, got.StatusCode, got.Header, got.body)
			}
		}
	}
	if got := next(t, lines); got != ": interrupted; come back with Last-Event-ID" {
		t.Errorf("%q", got)
	}
	if got := next(t, lines); got != "retry: 2000" {
		t.Errorf("%q", got)
	}

	r.begin()
	if got := s.do(t, "GET", "/readyz", "", "Authorization:"); got.StatusCode != 200 {
		t.Errorf("ready again: %d", got.StatusCode)
	}
	if got := s.do(t, "POST", "/mcp", list, append(header, bearing(agent))...); got.StatusCode != 200 {
		t.Errorf("the session: %d %s", got.StatusCode, got.body)
	}
	if _, err := r.Revise(t.Context(), memory.Caller{Owner: owner, Role: memory.Agent}, memory.Revision{ID: "urn:ump:caaaaaaaaaaaaaaaaaaaaaaaaa", Patch: []byte(`{"body":{"text":"moved"}}`)}); err != nil {
		t.Fatal(err)
	}
	select {
	case uri := <-updated:
		if uri != manual {
			t.Errorf("told of %s", uri)
		}
	case <-time.After(10 * time.Second):
		t.Error("who watched is told nothing more")
	}
}

// machines is a keeper whose store lies on several machines.
type machines struct {
	*keeper
	away []string
	err  error
}

func (m *machines) Ready(context.Context) ([]string, error) { return m.away, m.err }

// TestReadyForMost takes requests while a machine of the store is away, and says so.
func TestReadyForMost(t *testing.T) {
	m := &machines{keeper: newKeeper(t), away: []string{"worker-2:5432"}}
	s := start(t, server.Options{Backend: m})
	if got := s.do(t, "GET", "/readyz", "", "Authorization:"); got.StatusCode != 200 || !strings.HasPrefix(string(got.body), "ready") || !strings.Contains(string(got.body), "worker-2:5432") {
		t.Errorf("with one machine away: %d %s", got.StatusCode, got.body)
	}
	m.err = errAway
	if got := s.do(t, "GET", "/readyz", "", "Authorization:"); got.StatusCode != 503 {
		t.Errorf("with most away: %d %s", got.StatusCode, got.body)
	}
}

// split is a store on several machines, of which the one with an owner's rows can go away.
type split struct {
	store.Store
	owner memory.DID
	gone  atomic.Bool
}

func (s *split) failed(owner memory.DID) error {
	if s.gone.Load() && (owner == s.owner || owner == allOwners) {
		return store.ErrUnavailable
	}
	return nil
}

// allOwners stands for calls that ask all machines.
const allOwners memory.DID = ""

func (s *split) View(ctx context.Context, owner memory.DID, fn func(store.Reader) error) error {
	if err := s.failed(owner); err != nil {
		return err
	}
	return s.Store.View(ctx, owner, fn)
}

func (s *split) Update(ctx context.Context, owner memory.DID, fn func(store.Writer) error) error {
	if err := s.failed(owner); err != nil {
		return err
	}
	return s.Store.Update(ctx, owner, fn)
}

func (s *split) Owners(ctx context.Context) ([]memory.DID, error) {
	owners, err := s.Store.Owners(ctx)
	return owners, cmp.Or(s.failed(allOwners), err)
}

func (s *split) Due(ctx context.Context, work store.Work, by time.Time, max int) ([]memory.DID, error) {
	owners, err := s.Store.Due(ctx, work, by, max)
	return owners, cmp.Or(s.failed(allOwners), err)
}

func (s *split) Reached(context.Context) ([]string, error) {
	if s.gone.Load() {
		return []string{"worker-2:5432"}, nil
	}
	return nil, nil
}

// TestMachineAway loses the machine with the rows of the server's own owner: everybody else is
// served on.
func TestMachineAway(t *testing.T) {
	racing.Skip(t)
	t.Parallel()
	p := placeOf(t)
	at := &split{owner: seeded(t, 7).DID()}
	p.over = func(s store.Store) store.Store { at.Store = s; return at }
	h := buildIn(t, p, vault.Options{}, server.Options{Stateless: true})
	all := settle(t, h)
	at.gone.Store(true)
	if got := h.do(t, "GET", "/readyz", "", "Authorization:"); got.StatusCode != 200 || !strings.Contains(string(got.body), "worker-2:5432") {
		t.Errorf("readyz: %d %s", got.StatusCode, got.body)
	}
	for _, o := range all {
		for who, bearer := range map[string]string{"in person": o.person, "an agent": o.agent} {
			for path, body := range map[string]string{
				"/ump/recall":   `{"query":"bird"}`,
				"/ump/remember": `{"record":{"kind":"semantic","body":{"text":"a bird more"},"scope":{"project":"` + shelf + `"}}}`,
				"/mcp":          `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ump_recall","arguments":{"query":"bird"}}}`,
			} {
				got := h.do(t, "POST", path, body, bearing(bearer), "Content-Type: application/json", "Accept: application/json, text/event-stream", "Idempotency-Key: "+who+path)
				want := 200
				if o.name == "home" {
					want = 503
				}
				if got.StatusCode != want || want == 200 && (strings.Contains(string(got.body), `"isError":true`) || path != "/ump/remember" && !strings.Contains(string(got.body), o.name)) {
					t.Errorf("%s of %s, %s: %d %s, want %d", path, o.name, who, got.StatusCode, got.body, want)
				}
			}
		}
	}
}

func TestDrain(t *testing.T) {
	const drain = 5 * time.Second
	s := start(t, server.Options{Backend: newKeeper(t), Drain: drain})
	lines := follow(t, http.DefaultClient, "http://"+s.address, bearing(agent))
	began := time.Now()
	s.stop()
	for s.do(t, "GET", "/readyz", "").StatusCode != 503 {
		if time.Since(began) > drain-500*time.Millisecond {
			t.Fatal("it says that it is ready")
		}
	}
	if got := s.do(t, "POST", "/ump/recall", `{"query":"x"}`); got.StatusCode != 200 {
		t.Errorf("while it drains: %d", got.StatusCode)
	}
	if got := s.do(t, "GET", "/healthz", ""); got.StatusCode != 200 {
		t.Errorf("alive: %d", got.StatusCode)
	}
	if time.Since(began) < drain-500*time.Millisecond {
		select {
		case line := <-lines:
			t.Errorf("streams end at once: %q", line)
		default:
		}
	}
	if err := <-s.ended; err != nil || time.Since(began) < drain {
		t.Errorf("%v after %v", err, time.Since(began))
	}
	s.ended <- nil
	if got := next(t, lines); got != ": server is stopping" {
		t.Errorf("%q", got)
	}
	if _, err := s.try(t, "GET", "/healthz", ""); err == nil {
		t.Error("it goes on")
	}
}
