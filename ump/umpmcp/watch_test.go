package umpmcp_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump/umpmcp"
	"github.com/satchel-memory/satchel/ump/umptest"
)

const (
	known   = "urn:ump:baaaaaaaaaaaaaaaaaaaaaaaaa" // private, of a project
	knownAt = "ump://github.com%2Fexample%2Fproject/" + known
	open    = "urn:ump:daaaaaaaaaaaaaaaaaaaaaaaaa" // public, of no project
	openAt  = "ump://_/" + open
)

// at3 returns a vault like filled, at level 3.
func at3(t *testing.T) *umptest.Vault {
	t.Helper()
	v := filled(t)
	v.Level = "L3"
	return v
}

// host is a client that notes what it is told.
type host struct {
	*mcp.ClientSession
	updated chan string
	listed  chan struct{}
}

func newHost() (*host, *mcp.ClientOptions) {
	h := &host{updated: make(chan string, 100), listed: make(chan struct{}, 100)}
	return h, &mcp.ClientOptions{
		ResourceUpdatedHandler:     func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) { h.updated <- r.Params.URI },
		ResourceListChangedHandler: func(context.Context, *mcp.ResourceListChangedRequest) { h.listed <- struct{}{} },
	}
}

// attend connects a host in a bubble.
func attend(t *testing.T, v umpmcp.Backend, o umpmcp.Options, revision string) *host {
	t.Helper()
	if o.Caller == (memory.Caller{}) {
		o.Caller = agent
	}
	here, there := mcp.NewInMemoryTransports()
	server, err := umpmcp.New(v, o).Connect(t.Context(), there, nil)
	if err != nil {
		t.Fatal(err)
	}
	h, options := newHost()
	h.ClientSession, err = mcp.NewClient(&mcp.Implementation{Name: "some-host", Version: "1"}, options).
		Connect(t.Context(), here, &mcp.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = h.Close()
		_ = server.Wait()
		synctest.Wait()
	})
	synctest.Wait()
	return h
}

// told returns what the host was told since the last time: the resources, sorted,
// and how often the list.
func (h *host) told() (updated []string, listed int) {
	synctest.Wait()
	for {
		select {
		case uri := <-h.updated:
			updated = append(updated, uri)
		case <-h.listed:
			listed++
		default:
			slices.Sort(updated)
			return updated, listed
		}
	}
}

func (h *host) watch(t *testing.T, uris ...string) {
	t.Helper()
	for _, uri := range uris {
		if err := h.Subscribe(t.Context(), &mcp.SubscribeParams{URI: uri}); err != nil {
			t.Fatal(err)
		}
	}
	synctest.Wait()
}

func remember(t *testing.T, v *umptest.Vault, text string, s memory.Scope) memory.ID {
	t.Helper()
	s.Owner = owner
	done, err := v.Remember(t.Context(), agent, memory.Draft{Record: memory.Record{Kind: memory.Semantic, Scope: s, Body: memory.Body{Text: text}}})
	if err != nil {
		t.Fatal(err)
	}
	return done.ID
}

func revise(t *testing.T, v *umptest.Vault, id memory.ID, text string) {
	t.Helper()
	if _, err := v.Revise(t.Context(), agent, memory.Revision{ID: id, Patch: []byte(`{"body":{"text":"` + text + `"}}`)}); err != nil {
		t.Fatal(err)
	}
}

func forget(t *testing.T, v *umptest.Vault, id memory.ID, hard bool) {
	t.Helper()
	c := memory.Caller{Owner: owner, Role: memory.Owner}
	if _, err := v.Forget(t.Context(), c, memory.ForgetRequest{ID: id, Reason: memory.OtherReason, Hard: hard}); err != nil {
		t.Fatal(err)
	}
}

// revisions are those before sessions were given up, and the one after.
func revisions() []string { return []string{"2024-11-05", "2025-06-18", "2025-11-25", "2026-07-28"} }

func TestUpdates(t *testing.T) {
	for _, revision := range revisions() {
		for _, c := range []struct {
			name   string
			change func(*testing.T, *umptest.Vault)
		}{
			{"merged", func(t *testing.T, v *umptest.Vault) {
				r, err := v.Get(t.Context(), agent, known, memory.CurrentView)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := v.Remember(t.Context(), agent, memory.Draft{Record: r}); err != nil {
					t.Fatal(err)
				}
			}},
			{"superseded", func(t *testing.T, v *umptest.Vault) { revise(t, v, known, "Use bun.") }},
			{"tombstoned", func(t *testing.T, v *umptest.Vault) { forget(t, v, known, false) }},
			{"erased", func(t *testing.T, v *umptest.Vault) { forget(t, v, known, true) }},
		} {
			t.Run("UMP-3.8-4 a watched memory is "+c.name+", revision "+revision, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					v := at3(t)
					h := attend(t, v, umpmcp.Options{}, revision)
					h.watch(t, knownAt)
					remember(t, v, "Something else.", memory.Scope{})
					if updated, _ := h.told(); len(updated) > 0 {
						t.Errorf("told of %q", updated)
					}
					c.change(t, v)
					if updated, _ := h.told(); !slices.Equal(updated, []string{knownAt}) {
						t.Errorf("told of %q", updated)
					}
					if err := h.Unsubscribe(t.Context(), &mcp.UnsubscribeParams{URI: knownAt}); err != nil {
						t.Fatal(err)
					}
					synctest.Wait()
					if c.name != "erased" {
						forget(t, v, known, true)
					}
					if updated, _ := h.told(); len(updated) > 0 {
						t.Errorf("told of %q afterwards", updated)
					}
				})
			})
		}
	}
}

func TestListChanged(t *testing.T) {
	for _, revision := range revisions() {
		t.Run("at most once a second, revision "+revision, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				v := at3(t)
				h := attend(t, v, umpmcp.Options{}, revision)
				h.watch(t, "satchel://brief")
				expect := func(after string, updates, lists int) {
					t.Helper()
					if updated, listed := h.told(); len(updated) != updates || listed != lists {
						t.Errorf("%s: told of %q and of the list %d times, want %d and %d", after, updated, listed, updates, lists)
					}
				}
				expect("nothing", 0, 0)
				id := remember(t, v, "one", memory.Scope{})
				expect("the first", 1, 1)
				for _, text := range []string{"two", "three", "four"} {
					remember(t, v, text, memory.Scope{})
				}
				expect("more at once", 0, 0)
				time.Sleep(time.Second)
				expect("a second later", 1, 1)
				time.Sleep(time.Hour)
				expect("nothing more", 0, 0)
				forget(t, v, id, false)
				expect("a tombstone is no other memory", 1, 0)
				time.Sleep(time.Second)
				forget(t, v, id, true)
				expect("what is erased is gone", 1, 1)
				time.Sleep(time.Second)
				revise(t, v, known, "Use bun.")
				expect("a successor is new", 1, 1)
			})
		})
	}
}

func TestWatchRefusals(t *testing.T) {
	for _, revision := range revisions() {
		t.Run("UMP-3.8-5 what cannot be read cannot be watched, revision "+revision, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				v := at3(t)
				mine := attend(t, v, umpmcp.Options{}, revision)
				peer := attend(t, v, umpmcp.Options{Caller: reader("other")}, revision)
				for _, c := range []struct {
					host *host
					uri  string
				}{
					{mine, "ump://_/urn:ump:nothing"}, {mine, "ump://other/" + known}, {mine, "satchel://nothing"}, {mine, "x"},
					{peer, knownAt}, {peer, "ump://_/urn:ump:nothing"},
				} {
					_, reading := c.host.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: c.uri})
					watching := c.host.Subscribe(t.Context(), &mcp.SubscribeParams{URI: c.uri})
					if reading == nil {
						t.Fatalf("%s can be read", c.uri)
					}
					if revision < "2026-07-28" && (watching == nil || strings.SplitN(watching.Error(), ": ", 2)[1] != strings.SplitN(reading.Error(), ": ", 2)[1]) {
						t.Errorf("%s: reading says %v, watching %v", c.uri, reading, watching)
					}
				}
				remember(t, v, "x", memory.Scope{})
				forget(t, v, known, true)
				if updated, _ := peer.told(); len(updated) > 0 {
					t.Errorf("told of %q", updated)
				}
			})
		})
	}
	t.Run("below level 3 nothing can be watched", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			v := filled(t)
			h := attend(t, v, umpmcp.Options{}, "2025-11-25")
			if offered := h.InitializeResult().Capabilities.Resources; offered == nil || offered.Subscribe || offered.ListChanged {
				t.Errorf("offers %+v", offered)
			}
			if err := h.Subscribe(t.Context(), &mcp.SubscribeParams{URI: knownAt}); err == nil {
				t.Error("can be watched")
			}
			remember(t, v, "x", memory.Scope{})
			if updated, listed := h.told(); len(updated) > 0 || listed > 0 {
				t.Errorf("told of %q, %d", updated, listed)
			}
		})
	})
	t.Run("a session watches so many at most", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			h := attend(t, at3(t), umpmcp.Options{}, "2025-11-25")
			spellings := 0
			for i := range 1000 { // the same memory under many names
				h.watch(t, "ump://_/"+spelled(open, i))
				spellings++
			}
			if err := h.Subscribe(t.Context(), &mcp.SubscribeParams{URI: openAt[:len(openAt)-1] + "%64"}); err == nil {
				t.Errorf("%d are not enough", spellings)
			}
		})
	})
}

// spelled returns an id with some of its letters percent-encoded.
func spelled(id string, way int) string {
	var b strings.Builder
	for i := range len(id) {
		if at := i - len("urn:ump:"); at >= 0 && at < 12 && way>>at&1 == 1 {
			b.WriteString("%" + string("0123456789ABCDEF"[id[i]>>4]) + string("0123456789ABCDEF"[id[i]&15]))
			continue
		}
		b.WriteByte(id[i])
	}
	return b.String()
}

// reader may read a project's shared memories.
func reader(project string) memory.Caller {
	return memory.Caller{Owner: owner, Role: memory.Peer, Session: "token:" + project,
		Grant: &memory.Grant{ID: project, Verbs: []memory.Verb{memory.ReadVerb}, Scope: memory.Scope{Project: project}}}
}

func TestWatchByCaller(t *testing.T) {
	for _, revision := range revisions() {
		t.Run("UMP-3.8-5 each is told of what it may see, revision "+revision, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				v := at3(t)
				peer := attend(t, v, umpmcp.Options{Caller: reader("p")}, revision)
				writer := memory.Caller{Owner: owner, Role: memory.Peer, Grant: &memory.Grant{ID: "w", Verbs: []memory.Verb{memory.WriteVerb}}}
				nobody := attend(t, v, umpmcp.Options{Caller: writer}, "2025-11-25")
				for _, c := range []struct {
					scope memory.Scope
					want  int
				}{
					{memory.Scope{Project: "p"}, 0}, // private
					{memory.Scope{Project: "q", Visibility: memory.Shared}, 0},
					{memory.Scope{Project: "p", Visibility: memory.Shared}, 1},
				} {
					remember(t, v, "x "+string(c.scope.Visibility)+c.scope.Project, c.scope)
					if _, listed := peer.told(); listed != c.want {
						t.Errorf("%+v: told %d times, want %d", c.scope, listed, c.want)
					}
					time.Sleep(2 * time.Second)
				}
				if _, listed := nobody.told(); listed > 0 {
					t.Error("told whoever may not read")
				}
			})
		})
	}
	t.Run("UMP-3.8-5 a token that has expired is told nothing", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			v := at3(t)
			caller := reader("p")
			caller.Grant.Expires = time.Now().Add(time.Minute)
			peer := attend(t, v, umpmcp.Options{Caller: caller}, "2025-11-25")
			time.Sleep(59 * time.Second)
			remember(t, v, "x", memory.Scope{Project: "p", Visibility: memory.Shared})
			if _, listed := peer.told(); listed != 1 {
				t.Error("not told before")
			}
			time.Sleep(2 * time.Second)
			remember(t, v, "y", memory.Scope{Project: "p", Visibility: memory.Shared})
			if _, listed := peer.told(); listed != 0 {
				t.Error("told afterwards")
			}
		})
	})
}

// followed counts who waits for changes, and fails when it is told to.
type followed struct {
	*umptest.Vault
	waiting, asked atomic.Int32
	fault          atomic.Value
}

// Changes counts and fails.
func (f *followed) Changes(ctx context.Context, c memory.Caller, s memory.Subscription) ([]memory.Event, int64, error) {
	f.asked.Add(1)
	if err, _ := f.fault.Load().(error); err != nil && !errors.Is(err, errNone) {
		return nil, s.After, err
	}
	return f.Vault.Changes(ctx, c, s)
}

// Await counts.
func (f *followed) Await(ctx context.Context, c memory.Caller, after int64) error {
	f.waiting.Add(1)
	defer f.waiting.Add(-1)
	return f.Vault.Await(ctx, c, after)
}

var errNone = errors.New("no fault")

func TestFollower(t *testing.T) {
	t.Run("one waits for all sessions, and none when there are none", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			f := &followed{Vault: at3(t)}
			server := umpmcp.New(f, umpmcp.Options{Caller: agent})
			var hosts []*host
			for _, revision := range []string{"2025-06-18", "2025-11-25", "2026-07-28"} {
				here, there := mcp.NewInMemoryTransports()
				if _, err := server.Connect(t.Context(), there, nil); err != nil {
					t.Fatal(err)
				}
				h, options := newHost()
				var err error
				if h.ClientSession, err = mcp.NewClient(&mcp.Implementation{Name: "h", Version: "1"}, options).Connect(t.Context(), here, &mcp.ClientSessionOptions{ProtocolVersion: revision}); err != nil {
					t.Fatal(err)
				}
				hosts = append(hosts, h)
			}
			synctest.Wait()
			for i, h := range hosts {
				if n := f.waiting.Load(); n != 1 {
					t.Errorf("%d wait for %d sessions", n, len(hosts)-i)
				}
				_ = h.Close()
				synctest.Wait()
			}
			if n := f.waiting.Load(); n != 0 {
				t.Errorf("%d wait for nobody", n)
			}
		})
	})
	t.Run("a fault is reported, and does not end it", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			f := &followed{Vault: at3(t)}
			var reported atomic.Int32
			h := attend(t, f, umpmcp.Options{Report: func(doing string, err error) {
				if doing == "watch" && err.Error() == "disk on fire" {
					reported.Add(1)
				}
			}}, "2025-11-25")
			before := f.asked.Load()
			f.fault.Store(errors.New("disk on fire"))
			remember(t, f.Vault, "x", memory.Scope{})
			time.Sleep(10500 * time.Millisecond)
			if _, listed := h.told(); listed != 0 || reported.Load() != 11 || f.asked.Load()-before != 11 {
				t.Errorf("told %d, reported %d times, asked %d times", listed, reported.Load(), f.asked.Load()-before)
			}
			f.fault.Store(errNone)
			time.Sleep(time.Second)
			if _, listed := h.told(); listed != 1 {
				t.Error("not told once it works again")
			}
		})
	})
}
