package remote_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	theirs "github.com/a2aproject/a2a-go/a2a"
	"github.com/a2aproject/a2a-go/a2asrv"
	"github.com/a2aproject/a2a-go/a2asrv/eventqueue"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/a2a"
	"github.com/satchel-memory/satchel/aaif/a2ahttp"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/httpkit"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/run/remote"
	"github.com/satchel-memory/satchel/internal/run/tool"
	"github.com/satchel-memory/satchel/internal/run/trace"
	"github.com/satchel-memory/satchel/memory"
)

// The codes of failures.
const (
	notListed aaif.Code = "AGENT_NOT_LISTED"
	refused   aaif.Code = "AGENT_REFUSED"
	failed    aaif.Code = "AGENT_FAILED"
)

const secret = "the-token-of-the-agent-elsewhere"

// platform is another platform, with one agent whose tasks end when they are told to.
type platform struct {
	address string
	version a2a.Version
	mangle  func(w http.ResponseWriter, r *http.Request, next http.Handler) // nil: nothing

	mu     sync.Mutex
	tasks  map[string]a2a.Task
	begun  int
	ended  chan struct{} // closed when tasks end
	end    a2a.Status
	asked  []*http.Request
	cancel int
	made   []a2a.Artifact
}

// newPlatform serves an agent of an edition whose tasks end at once as end says.
func newPlatform(t *testing.T, v a2a.Version, end a2a.State) *platform {
	p := &platform{version: v, tasks: map[string]a2a.Task{}, ended: make(chan struct{}), end: a2a.Status{State: end}, made: []a2a.Artifact{{ID: "a", Parts: []a2a.Part{{Text: "Four."}}}}}
	close(p.ended)
	h := a2ahttp.New(p, a2ahttp.Options{Heartbeat: time.Second, BaseOptions: httpkit.BaseOptions{Authenticate: func(r *http.Request) (memory.Caller, error) {
		if r.Header.Get("Authorization") != "Bearer "+secret {
			return memory.Caller{}, &memory.Error{Kind: memory.Unauthorized, Message: "not " + r.Header.Get("Authorization")}
		}
		return memory.Caller{Owner: "did:key:z1", Role: memory.Owner}, nil
	}}})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		p.asked = append(p.asked, r.Clone(context.Background()))
		p.mu.Unlock()
		if p.mangle != nil {
			p.mangle(w, r, h)
			return
		}
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	p.address = s.URL
	return p
}

func (p *platform) Card(context.Context, string) (canon.Value, error) {
	at := p.address + "/a2a/x"
	if p.version == a2a.V03 {
		return a2a.Parse([]byte(`{"name":"N","description":"D","url":"` + at + `","protocolVersion":"0.3.0","capabilities":{"streaming":true},"skills":[]}`))
	}
	return a2a.Parse([]byte(`{"name":"N","description":"D","supportedInterfaces":[{"url":"` + at + `","protocolBinding":"GRPC","protocolVersion":"1.0"},{"url":"` + at + `","protocolBinding":"JSONRPC","protocolVersion":"1.0"}],"capabilities":{"streaming":true},"skills":[]}`))
}

func (p *platform) May(context.Context, memory.Caller, string) error { return nil }

func (p *platform) Send(_ context.Context, _ memory.Caller, _ string, o a2a.Order) (a2a.Task, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	id := "task of " + o.Message.ID
	if _, known := p.tasks[id]; !known {
		p.begun++
		p.tasks[id] = a2a.Task{ID: id, Context: "c", Status: a2a.Status{State: a2a.Working}, History: []a2a.Message{o.Message}}
	}
	return p.tasks[id], nil
}

func (p *platform) Task(_ context.Context, _ memory.Caller, _, id string) (a2a.Task, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	t, ok := p.tasks[id]
	if !ok {
		return t, &a2a.Fault{Code: a2a.TaskNotFound, Text: "no such task"}
	}
	select {
	case <-p.ended:
		t.Status, t.Artifacts = p.end, p.made
	default:
	}
	return t, nil
}

func (p *platform) Tasks(context.Context, memory.Caller, string, a2a.Query) (a2a.Page, error) {
	return a2a.Page{}, errors.ErrUnsupported
}

func (p *platform) Cancel(ctx context.Context, c memory.Caller, agent, id string) (a2a.Task, error) {
	p.mu.Lock()
	p.cancel++
	p.mu.Unlock()
	return p.Task(ctx, c, agent, id)
}

func (p *platform) Follow(ctx context.Context, c memory.Caller, agent, id string) (a2a.Task, func(context.Context) ([]a2a.Event, error), error) {
	t, err := p.Task(ctx, c, agent, id)
	return t, func(ctx context.Context) ([]a2a.Event, error) {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-p.ended:
			return []a2a.Event{{ID: id, Context: "c", Status: &p.end}}, nil
		}
	}, err
}

// client returns a client that may ask the platform.
func (p *platform) client(change func(*tool.Operator, *remote.Options)) *remote.Client {
	table := tool.Operator{Egress: []string{"127.0.0.1"}, Agents: []tool.Elsewhere{{Card: p.card(), Env: "TOKEN"}}}
	o := remote.Options{Wait: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }}
	if change != nil {
		change(&table, &o)
	}
	o.Settings = func() (tool.Operator, func(string) (string, bool), error) {
		return table, func(name string) (string, bool) { return secret, name == "TOKEN" }, nil
	}
	return remote.New(o)
}

func (p *platform) card() string { return p.address + a2a.CardPath }

// wants expects an error of a code and an outcome.
func wants(t *testing.T, err error, code aaif.Code, outcome tool.Outcome) {
	t.Helper()
	known, ok := errors.AsType[*tool.Error](err)
	if !ok || known.Code != code || known.Outcome != outcome || strings.Contains(known.Text, secret) {
		t.Errorf("got %+v, want %s, %s", err, code, outcome)
	}
}

func TestAsk(t *testing.T) {
	for _, v := range []a2a.Version{a2a.V1, a2a.V03} {
		t.Run("AAIF-U.I-2 a task is given once and followed to its end, in "+string(v), func(t *testing.T) {
			t.Parallel()
			p := newPlatform(t, v, a2a.Completed)
			p.ended = make(chan struct{})
			time.AfterFunc(50*time.Millisecond, func() { close(p.ended) })
			const parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
			c := p.client(nil)
			r, err := c.Ask(trace.With(t.Context(), trace.Parse(parent)), p.card(), "run/call", "2+2?")
			if err != nil || r.Text != "Four." || p.begun != 1 || p.cancel != 0 {
				t.Errorf("%+v, %v, %d", r, err, p.begun)
			}
			if again, err := c.Ask(t.Context(), p.card(), "run/call", "2+2?"); err != nil || again.Text != "Four." || p.begun != 1 {
				t.Errorf("a repeated task is another one: %v, %d", err, p.begun)
			}
			for i, r := range p.asked {
				if said := r.Header.Get("Traceparent"); said != parent && i < 3 {
					t.Errorf("AAIF-U.I-2 request %d says %q", i, said)
				}
				if said := r.Header.Get("A2A-Version"); i > 0 && said != string(v) {
					t.Errorf("VER-CLIENT-001 request %d says %q", i, said)
				}
			}
			if p.tasks["task of "+p.message()].History[0].Parts[0].Text != "2+2?" {
				t.Errorf("%+v", p.tasks)
			}
		})
	}
	for state, code := range map[a2a.State]aaif.Code{a2a.Failed: failed, a2a.Canceled: failed, a2a.Rejected: failed} {
		t.Run("a task that ends as "+string(state), func(t *testing.T) {
			p := newPlatform(t, a2a.V1, state)
			_, err := p.client(nil).Ask(t.Context(), p.card(), "k", "x")
			wants(t, err, code, tool.Answered)
		})
	}
	t.Run("a value in JSON, and several parts", func(t *testing.T) {
		p := newPlatform(t, a2a.V1, a2a.Completed)
		v := canon.Object(canon.Member{Name: "n", Value: canon.Int(4)})
		p.made = []a2a.Artifact{{ID: "a", Parts: []a2a.Part{{Data: v}}}}
		if r, err := p.client(nil).Ask(t.Context(), p.card(), "k", "x"); err != nil || r.Text != `{"n":4}` || !canon.Equal(r.Value, v) {
			t.Errorf("%+v, %v", r, err)
		}
		p.made = append(p.made, a2a.Artifact{ID: "b", Parts: []a2a.Part{{Text: "more"}}})
		if r, err := p.client(nil).Ask(t.Context(), p.card(), "k", "x"); err != nil || r.Text != "{\"n\":4}\nmore" || r.Value.Type() != canon.TypeUndefined {
			t.Errorf("%+v, %v", r, err)
		}
	})
}

// TestAskLarge: what is too large to be taken is said so at once, and nobody waits for more.
func TestAskLarge(t *testing.T) {
	large := strings.Repeat("x", 2<<20)
	for _, v := range []a2a.Version{a2a.V1, a2a.V03} {
		t.Run("a result of 2 MiB, in "+string(v), func(t *testing.T) {
			p := newPlatform(t, v, a2a.Completed)
			p.made[0].Parts[0].Text = large
			_, err := p.client(func(_ *tool.Operator, o *remote.Options) { o.Most = 5 * time.Second }).Ask(t.Context(), p.card(), "k", "x")
			wants(t, err, failed, tool.Answered)
			if !strings.Contains(fmt.Sprint(err), "more than 1048576 bytes") || p.begun != 1 || len(p.asked) > 10 {
				t.Errorf("%v; begun %d, %d requests", err, p.begun, len(p.asked))
			}
		})
	}
	for name, event := range map[string]string{"one line": "data: " + large + "\n\n", "many lines": strings.Repeat("data: "+large[:1000]+"\n", 2000) + "\n"} {
		t.Run("an event of 2 MiB in "+name, func(t *testing.T) {
			p := newPlatform(t, a2a.V1, a2a.Completed)
			p.ended = make(chan struct{})
			streams, looks := 0, 0
			p.mangle = func(w http.ResponseWriter, r *http.Request, next http.Handler) {
				raw, _ := io.ReadAll(r.Body)
				r.Body = io.NopCloser(bytes.NewReader(raw))
				if bytes.Contains(raw, []byte(`"SubscribeToTask"`)) {
					streams++
					httpkit.AnnounceEvents(w.Header())
					_, _ = io.WriteString(w, event)
					return
				}
				if bytes.Contains(raw, []byte(`"GetTask"`)) {
					if looks++; looks == 3 {
						close(p.ended)
					}
				}
				next.ServeHTTP(w, r)
			}
			r, err := p.client(nil).Ask(t.Context(), p.card(), "k", "x")
			if err != nil || r.Text != "Four." || streams != 1 || looks != 3 {
				t.Errorf("%+v, %v, %d streams, %d looks", r, err, streams, looks)
			}
		})
	}
}

// message returns the id of the one message.
func (p *platform) message() string {
	for id := range p.tasks {
		return strings.TrimPrefix(id, "task of ")
	}
	return ""
}

// TestAskIsGuarded: nobody is asked whom the operator does not list, and the token is for the
// host of the card alone (AAIF-12-1, AAIF-12-2).
func TestAskIsGuarded(t *testing.T) {
	p := newPlatform(t, a2a.V1, a2a.Completed)
	t.Run("AAIF-12-2 an agent that is not listed", func(t *testing.T) {
		_, err := p.client(func(o *tool.Operator, _ *remote.Options) { o.Agents = nil }).Ask(t.Context(), p.card(), "k", "x")
		wants(t, err, notListed, tool.NotSent)
	})
	t.Run("AAIF-12-1 a host of this machine that is not listed", func(t *testing.T) {
		for _, hosts := range [][]string{nil, {"other.example"}} {
			_, err := p.client(func(o *tool.Operator, _ *remote.Options) { o.Egress = hosts }).Ask(t.Context(), p.card(), "k", "x")
			wants(t, err, "EGRESS_DENIED", tool.NotSent)
		}
	})
	t.Run("a token that is not set", func(t *testing.T) {
		_, err := p.client(func(o *tool.Operator, _ *remote.Options) { o.Agents[0].Env = "OTHER" }).Ask(t.Context(), p.card(), "k", "x")
		wants(t, err, refused, tool.NotSent)
	})
	if len(p.asked) != 0 {
		t.Errorf("%d requests came all the same", len(p.asked))
	}
	t.Run("a card that leads elsewhere", func(t *testing.T) {
		other := newPlatform(t, a2a.V1, a2a.Completed)
		p.mangle = func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
			card, _ := other.Card(t.Context(), "")
			httpkit.Send(w, 200, "application/json", card.Append(nil))
		}
		_, err := p.client(nil).Ask(t.Context(), p.card(), "k", "x")
		wants(t, err, refused, tool.NotSent)
		if len(other.asked) != 0 {
			t.Error("the token went to another host")
		}
	})
	for name, body := range map[string]string{"no card": `{"hello":1}`, "no JSON": "x", "a flood": `"` + strings.Repeat("x", 300<<10) + `"`, "another protocol": `{"name":"n","capabilities":{},"skills":[],"url":"` + p.address + `","preferredTransport":"GRPC","protocolVersion":"0.3.0"}`} {
		t.Run("at the address of the card lies "+name, func(t *testing.T) {
			p.mangle = func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
				httpkit.Send(w, 200, "application/json", []byte(body))
			}
			_, err := p.client(nil).Ask(t.Context(), p.card(), "k", "x")
			wants(t, err, refused, tool.NotSent)
		})
	}
}

// TestAskFails: what is known of a task whose answer is lost.
func TestAskFails(t *testing.T) {
	// cuts lets requests through and cuts the answers to the first n of a method.
	cuts := func(method string, n int) func(http.ResponseWriter, *http.Request, http.Handler) {
		return func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			got := httptest.NewRecorder()
			body := new(strings.Builder)
			if r.Method == "POST" {
				raw := make([]byte, r.ContentLength)
				_, _ = r.Body.Read(raw)
				body.Write(raw)
				r.Body = http.NoBody
				r = r.Clone(r.Context())
				r.Body = readCloser{strings.NewReader(body.String())}
			}
			if !strings.Contains(body.String(), `"`+method+`"`) || n == 0 {
				next.ServeHTTP(w, r)
				return
			}
			n--
			next.ServeHTTP(got, r)
			panic(http.ErrAbortHandler)
		}
	}
	t.Run("the answer to the message is lost", func(t *testing.T) {
		p := newPlatform(t, a2a.V1, a2a.Completed)
		p.mangle = cuts("SendMessage", 1)
		_, err := p.client(nil).Ask(t.Context(), p.card(), "k", "x")
		wants(t, err, tool.OutcomeUnknown, tool.Unknown)
		if p.begun != 1 {
			t.Errorf("%d", p.begun)
		}
	})
	t.Run("an agent that knows messages by their ids is sent it again", func(t *testing.T) {
		p := newPlatform(t, a2a.V1, a2a.Completed)
		p.mangle = cuts("SendMessage", 2)
		r, err := p.client(func(o *tool.Operator, _ *remote.Options) { o.Agents[0].Idempotent = true }).Ask(t.Context(), p.card(), "k", "x")
		if err != nil || r.Text != "Four." || p.begun != 1 {
			t.Errorf("%+v, %v, %d", r, err, p.begun)
		}
	})
	t.Run("streams and looks that break off are tried again", func(t *testing.T) {
		p := newPlatform(t, a2a.V1, a2a.Completed)
		p.mangle = cuts("GetTask", 3)
		if r, err := p.client(nil).Ask(t.Context(), p.card(), "k", "x"); err != nil || r.Text != "Four." || p.begun != 1 {
			t.Errorf("%+v, %v", r, err)
		}
		p.mangle = cuts("SubscribeToTask", 3)
		if r, err := p.client(nil).Ask(t.Context(), p.card(), "k2", "x"); err != nil || r.Text != "Four." {
			t.Errorf("%+v, %v", r, err)
		}
	})
	t.Run("who waits no longer cancels the task", func(t *testing.T) {
		p := newPlatform(t, a2a.V1, a2a.Completed)
		p.ended = make(chan struct{})
		_, err := p.client(func(_ *tool.Operator, o *remote.Options) { o.Most = 100 * time.Millisecond }).Ask(t.Context(), p.card(), "k", "x")
		wants(t, err, tool.Timeout, tool.Unknown)
		if p.cancel != 1 {
			t.Errorf("cancelled %d times", p.cancel)
		}
	})
	for cause, want := range map[error]int{context.Canceled: 0, run.ErrFenced: 0, run.ErrCancelled: 1, errors.New("dropped"): 1} {
		t.Run("a task is cancelled only if nobody will wait for it: "+cause.Error(), func(t *testing.T) {
			p := newPlatform(t, a2a.V1, a2a.Completed)
			p.ended = make(chan struct{})
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(50*time.Millisecond, func() { cancel(cause) })
			_, err := p.client(nil).Ask(ctx, p.card(), "k", "x")
			wants(t, err, tool.OutcomeUnknown, tool.Unknown)
			if p.cancel != want {
				t.Errorf("cancelled %d times", p.cancel)
			}
		})
	}
	t.Run("credentials that are refused", func(t *testing.T) {
		p := newPlatform(t, a2a.V1, a2a.Completed)
		_, err := p.client(func(o *tool.Operator, _ *remote.Options) { o.Agents[0].Env = "" }).Ask(t.Context(), p.card(), "k", "x")
		wants(t, err, refused, tool.Answered)
		if p.begun != 0 {
			t.Errorf("%d", p.begun)
		}
	})
	t.Run("nobody is there", func(t *testing.T) {
		p := newPlatform(t, a2a.V1, a2a.Completed)
		p.address = "http://127.0.0.1:1"
		_, err := p.client(nil).Ask(t.Context(), p.card(), "k", "x")
		wants(t, err, tool.Unreachable, tool.NotSent)
	})
}

type readCloser struct{ *strings.Reader }

func (readCloser) Close() error { return nil }

// theirAgent is an agent of the A2A project's library for Go, of A2A 0.3.
type theirAgent struct{}

func (theirAgent) Execute(ctx context.Context, r *a2asrv.RequestContext, q eventqueue.Queue) error {
	last := theirs.NewStatusUpdateEvent(r, theirs.TaskStateCompleted, nil)
	last.Final = true
	for _, e := range []theirs.Event{theirs.NewStatusUpdateEvent(r, theirs.TaskStateWorking, nil), theirs.NewArtifactEvent(r, theirs.TextPart{Text: "It said " + r.Message.Parts[0].(theirs.TextPart).Text}), last} {
		if err := q.Write(ctx, e); err != nil {
			return err
		}
	}
	return nil
}

func (theirAgent) Cancel(context.Context, *a2asrv.RequestContext, eventqueue.Queue) error { return nil }

// TestAskTheirs asks an agent that the A2A project's own library serves.
func TestAskTheirs(t *testing.T) {
	for _, streams := range []bool{true, false} {
		t.Run(fmt.Sprintf("streams: %t", streams), func(t *testing.T) {
			mux := http.NewServeMux()
			s := httptest.NewServer(mux)
			t.Cleanup(s.Close)
			card := &theirs.AgentCard{Name: "N", URL: s.URL + "/invoke", PreferredTransport: theirs.TransportProtocolJSONRPC, ProtocolVersion: "0.3.0", Skills: []theirs.AgentSkill{}, Capabilities: theirs.AgentCapabilities{Streaming: streams}}
			mux.Handle(a2asrv.WellKnownAgentCardPath, a2asrv.NewStaticAgentCardHandler(card))
			mux.Handle("/invoke", a2asrv.NewJSONRPCHandler(a2asrv.NewHandler(theirAgent{})))
			p := &platform{address: s.URL}
			r, err := p.client(nil).Ask(t.Context(), p.card(), "k", "hello")
			if err != nil || r.Text != "It said hello" {
				t.Errorf("%+v, %v", r, err)
			}
		})
	}
}
