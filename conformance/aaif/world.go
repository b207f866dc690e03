package aaifsuite

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/satchel-memory/satchel/canon"
)

// world plays the model and the tools of the agents that a run starts. It speaks chat
// completions of OpenAI, and its tools are of protocol http. Each started run is a scene,
// which the name of its model and the paths of its tools tell apart.
type world struct {
	base   string // its address
	server *http.Server
	mu     sync.Mutex
	scenes map[string]*scene

	trap   net.Listener // an address that nobody allowed; nil: there is none
	sprung int          // how often somebody came there

	spans []span // that came to its collector, the first mostKept
}

// The bounds of what a platform makes a run keep, far above what a working platform sends.
const (
	mostKept  = 10_000   // calls and questions of a scene, each, and spans of a world
	mostHeard = 16 << 20 // bytes of the calls and questions of a scene
)

// line is what the model answers to one request.
type line struct {
	text   string
	calls  []canon.Value // see want
	status int           // of a failure; 0: none
	hang   bool          // it does not answer
	meets  int           // so many models are to be asked at the same time; 0: one is enough
}

// scene is what the model and the tools saw of one run. Its further models have names that
// begin with its own and a dot.
type scene struct {
	name  string
	props // what is played

	turns map[string]int    // how often each model was asked
	heard map[string]string // what each was told, in JSON
	names []string          // of the models that were asked, in order, without the name of the scene

	mu     sync.Mutex
	asked  []canon.Value // requests to the model
	called []toolCall
	let    bool // a request that hung was let go
	meet   int  // how many models wait for others
	met    chan struct{}
	once   sync.Once // closes met
	size   int       // bytes of what was asked and called
}

// props are what a scene plays. The last line of a script is repeated.
type props struct {
	script []line
	others map[string][]line // scripts of further models
	says   string            // what tools answer; empty: that it is done
	leads  string            // where tools send their callers; empty: nowhere
}

// toolCall is a request to a tool.
type toolCall struct {
	tool, method, path string // path: what follows the name of the tool, as it was sent
	body               string // in canonical form; empty: no JSON
}

// want is a call that the model asks for.
func want(tool string, arguments canon.Value) canon.Value {
	return text("name", tool, "arguments", string(arguments.Append(nil)))
}

// newWorld listens at an address of this machine.
func newWorld(ctx context.Context, address string) (*world, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	w := &world{base: "http://" + listener.Addr().String(), scenes: map[string]*scene{}}
	w.server = &http.Server{Handler: w, ReadHeaderTimeout: answerTime}
	go func() { _ = w.server.Serve(listener) }() // it ends when the run closes it
	return w, nil
}

// close ends the world.
func (w *world) close() {
	_ = w.server.Close() // nobody listens to it any more
	if w.trap != nil {
		_ = w.trap.Close()
	}
}

// setTrap listens at an address of this machine that nobody allowed the platform to use. It
// returns its URL.
func (w *world) setTrap(ctx context.Context) (string, error) {
	var err error
	for _, address := range []string{"127.0.0.2:0", "[::1]:0"} {
		if w.trap, err = new(net.ListenConfig).Listen(ctx, "tcp", address); err != nil {
			continue
		}
		go func() {
			_ = http.Serve(w.trap, http.HandlerFunc(func(out http.ResponseWriter, _ *http.Request) { // it ends when the run closes it
				w.mu.Lock()
				w.sprung++
				w.mu.Unlock()
				reply(out, http.StatusOK, text("result", trapped))
			}))
		}()
		return "http://" + w.trap.Addr().String() + "/", nil
	}
	w.trap = nil
	return "", err
}

// trapped is what the trap answers.
const trapped = "Nobody may see this."

// visits returns how often somebody came to the trap.
func (w *world) visits() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.sprung
}

// stage adds a scene.
func (w *world) stage(name string, p props) *scene {
	s := &scene{name: name, props: p, met: make(chan struct{}), turns: map[string]int{}, heard: map[string]string{}}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.scenes[name] = s
	return s
}

func (w *world) scene(name string) *scene {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.scenes[name]
}

const toolPath = "/tool/"

// ServeHTTP answers requests to the model and to the tools.
func (w *world) ServeHTTP(out http.ResponseWriter, q *http.Request) {
	raw, err := io.ReadAll(http.MaxBytesReader(out, q.Body, maxAnswer))
	if q.URL.Path == tracesPath && err == nil {
		w.collect(out, q, raw)
		return
	}
	body, bad := canon.Parse(raw, canon.Options{Bytes: maxAnswer, Inexact: true})
	if rest, ok := strings.CutPrefix(q.URL.EscapedPath(), toolPath); ok && err == nil {
		name, rest, _ := strings.Cut(rest, "/")
		tool, path, _ := strings.Cut(rest, "/")
		if s := w.scene(name); s != nil {
			said := ""
			if bad == nil {
				said = string(body.AppendCanonical(nil))
			}
			if !s.keep(out, len(said), func() { s.called = append(s.called, toolCall{tool, q.Method, path, said}) }) {
				return
			}
			if s.leads != "" {
				http.Redirect(out, q, s.leads, http.StatusTemporaryRedirect)
				return
			}
			reply(out, http.StatusOK, text("result", cmp.Or(s.says, "It is done by "+tool+".")))
			return
		}
	}
	name, model, _ := strings.Cut(body.Get("model").Text(), ".")
	s := w.scene(name)
	if err != nil || bad != nil || s == nil || !s.plays(model) || !strings.HasSuffix(q.URL.Path, "/chat/completions") {
		reply(out, http.StatusNotFound, text("error", "this is not asked here"))
		return
	}
	s.answer(out, q, model, body)
}

// plays reports whether a model belongs to the scene.
func (s *scene) plays(model string) bool {
	_, further := s.others[model]
	return model == "" || further
}

func reply(out http.ResponseWriter, status int, v canon.Value) {
	out.Header().Set("Content-Type", jsonType)
	out.WriteHeader(status)
	_, _ = out.Write(v.Append(nil)) // the caller has gone
}

func (s *scene) note(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

// answer plays the next line of the script.
func (s *scene) answer(out http.ResponseWriter, q *http.Request, model string, body canon.Value) {
	turn, script := 0, s.script
	if model != "" {
		script = s.others[model]
	}
	told := string(body.Get("messages").Append(nil))
	kept := s.keep(out, len(told), func() {
		if s.names = append(s.names, model); model == "" {
			s.asked = append(s.asked, body)
		}
		s.heard[model] += told
		s.turns[model]++
		turn = s.turns[model]
	})
	if !kept {
		return
	}
	l := script[min(turn, len(script))-1]
	if l.meets > 0 {
		s.awaitOthers(l.meets)
	}
	switch {
	case l.hang:
		select {
		case <-q.Context().Done():
			s.note(func() { s.let = true })
		case <-time.After(answerTime):
		}
		return
	case l.status != 0:
		reply(out, l.status, canon.Object(canon.Member{Name: "error", Value: text("message", "the model is away")}))
		return
	}
	says := text("role", "assistant", "content", l.text)
	ends := "stop"
	if len(l.calls) > 0 {
		var calls []canon.Value
		for i, c := range l.calls {
			calls = append(calls, text("id", fmt.Sprintf("call_%d_%d", turn, i), "type", "function").With("function", c).With("index", canon.Int(int64(i))))
		}
		says, ends = says.With("tool_calls", canon.Array(calls...)), "tool_calls"
	}
	choice := canon.Object(canon.Member{Name: "index", Value: canon.Int(0)}, canon.Member{Name: "finish_reason", Value: canon.String(ends)})
	used := canon.Object(canon.Member{Name: "prompt_tokens", Value: canon.Int(7)}, canon.Member{Name: "completion_tokens", Value: canon.Int(3)}, canon.Member{Name: "total_tokens", Value: canon.Int(10)})
	whole := text("id", s.name+"-"+strconv.Itoa(turn), "model", s.name).With("created", canon.Int(1)).With("usage", used)
	if !body.Get("stream").True() {
		reply(out, http.StatusOK, whole.With("object", canon.String("chat.completion")).With("choices", canon.Array(choice.With("message", says))))
		return
	}
	out.Header().Set("Content-Type", "text/event-stream")
	chunk := whole.With("object", canon.String("chat.completion.chunk")).With("choices", canon.Array(choice.With("delta", says)))
	_, _ = fmt.Fprintf(out, "data: %s\n\ndata: [DONE]\n\n", chunk.Append(nil)) // the caller has gone
}

// keep notes a request of some bytes. It refuses the request if the scene has too much by then:
// the platform that is tried may be hostile.
func (s *scene) keep(out http.ResponseWriter, bytes int, change func()) (kept bool) {
	s.note(func() {
		if kept = max(len(s.called), len(s.names)) < mostKept && s.size+bytes <= mostHeard; kept {
			s.size += bytes
			change()
		}
	})
	if !kept {
		reply(out, http.StatusTooManyRequests, text("error", "this was asked too often"))
	}
	return kept
}

// meetTime is how long a model waits for others that are to be asked at the same time.
const meetTime = 2 * time.Second

// awaitOthers waits until so many models are asked, for a time at most.
func (s *scene) awaitOthers(meets int) {
	s.note(func() {
		if s.meet++; s.meet == meets {
			s.once.Do(func() { close(s.met) }) // a model that gives up at this moment lets the number be reached twice
		}
	})
	select {
	case <-s.met:
	case <-time.After(meetTime):
		s.note(func() { s.meet-- })
	}
}

// abreast reports whether models that wait for each other were asked at the same time.
func (s *scene) abreast() bool {
	select {
	case <-s.met:
		return true
	default:
		return false
	}
}

// models returns the names of the models that were asked, in order, without the scene's.
func (s *scene) models() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.names[:len(s.names):len(s.names)]
}

// told returns what a model was told, in JSON.
func (s *scene) told(model string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.heard[model]
}

// requests returns the requests to the scene's own model, in order.
func (s *scene) requests() []canon.Value {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked[:len(s.asked):len(s.asked)]
}

// calls returns the requests to a tool, or to all of them, in order.
func (s *scene) calls(tool string) (all []toolCall) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.called {
		if tool == "" || c.tool == tool {
			all = append(all, c)
		}
	}
	return all
}

// wasLet reports whether the request that hangs has been let go.
func (s *scene) wasLet() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.let
}

// log returns everything that was asked, without the name of the scene.
func (s *scene) log() string {
	var b strings.Builder
	for _, v := range s.requests() {
		b.Write(v.AppendCanonical(nil))
		b.WriteByte('\n')
	}
	for _, c := range s.calls("") {
		fmt.Fprintf(&b, "%s %s %s %s\n", c.method, c.tool, c.path, c.body)
	}
	return strings.ReplaceAll(b.String(), s.name, "SCENE")
}

// results returns what the model was told of its calls, in the latest request.
func (s *scene) results() (all []string) {
	asked := s.requests()
	if len(asked) == 0 {
		return nil
	}
	for _, m := range asked[len(asked)-1].Get("messages").Items() {
		if m.Get("role").Text() == "tool" {
			all = append(all, m.Get("content").Text())
		}
	}
	return all
}
