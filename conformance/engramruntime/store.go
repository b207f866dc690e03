package engramruntime

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync"

	"github.com/satchel-memory/satchel/engram"
)

const (
	contextPath = "/v1/context"
	maxBody     = 64 << 10 // bytes read of a request
	maxHeader   = 16 << 10
	mostAsked   = 500 // requests per case that the store answers and remembers
)

// play is one case: a store, the requests to it, and the runtime's result.
type play struct {
	*run
	scene
	base, elsewhere string // addresses of the store, and of another that the runtime must not ask
	context, list   []byte // the store's context and list of keys
	foreign         []byte // the other store's list of keys
	said            Said

	mu    sync.Mutex
	asked []request
}

// request is a request to a store.
type request struct {
	elsewhere           bool
	method, path, token string
	query               url.Values
	body                []byte
}

// noPlay is the reason why a case could not be played.
type noPlay struct{ err error }

// Error returns the cause.
func (n *noPlay) Error() string { return n.err.Error() }

// Unwrap returns the cause.
func (n *noPlay) Unwrap() error { return n.err }

// play plays a case to the runtime. The error ends the run.
func (r *run) play(s scene) (*play, error) {
	p := &play{run: r, scene: s}
	stop, err := p.open()
	if err != nil {
		return nil, &noPlay{err}
	}
	defer stop()
	if err := p.prepare(); err != nil {
		return nil, &noPlay{err}
	}
	start, call := r.Runtime, s.further
	if s.start != nil {
		start = s.start
	}
	call.URL, call.Token, call.Base, call.Audience = p.base, r.token, s.prompt, p.audience()
	if s.slash {
		call.URL += "/"
	}
	if p.said, err = start(r.ctx, call); err == nil {
		err = r.ctx.Err()
	}
	if err != nil {
		return nil, &noPlay{err}
	}
	for _, q := range p.requests() {
		if s.start == nil && q.method != http.MethodGet && q.method != http.MethodHead {
			r.strange = append(r.strange, q.method+" "+q.path)
		}
	}
	return p, nil
}

// audience returns the URI of the runtime.
func (r *run) audience() string { return "urn:conformance:" + r.mark }

// open starts to listen; the returned function stops it.
func (p *play) open() (func(), error) {
	var servers []*http.Server
	stop := func() {
		for _, s := range servers {
			_ = s.Close() // late requests do not matter
		}
	}
	for _, address := range []*string{&p.base, &p.elsewhere} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			stop()
			return nil, fmt.Errorf("play a store: %w", err)
		}
		*address = "http://" + l.Addr().String()
		s := &http.Server{Handler: p.handler(address == &p.elsewhere), ReadHeaderTimeout: caseTime, MaxHeaderBytes: maxHeader}
		servers = append(servers, s)
		go func() {
			if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
				_ = l.Close() // the runtime finds no server there, and fails
			}
		}()
	}
	return stop, nil
}

// handler returns the store, or another server that the runtime might ask.
func (p *play) handler(elsewhere bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := request{elsewhere: elsewhere, method: r.Method, path: r.URL.Path, token: r.Header.Get("Authorization"), query: r.URL.Query()}
		q.body, _ = io.ReadAll(io.LimitReader(r.Body, maxBody)) // a truncated body is no proposal
		switch {
		case !p.remember(q):
			w.WriteHeader(http.StatusTooManyRequests)
		case !elsewhere && p.answer != nil && p.answer(p, w, r):
		case r.Method != http.MethodGet:
			w.WriteHeader(http.StatusMethodNotAllowed)
		case q.path == engram.KeysPath && elsewhere:
			write(w, p.foreign)
		case q.path == engram.KeysPath:
			write(w, p.list)
		case q.path != contextPath:
			w.WriteHeader(http.StatusNotFound)
		case !elsewhere && q.token != "Bearer "+p.token:
			w.WriteHeader(http.StatusUnauthorized)
		default:
			write(w, p.context)
		}
	})
}

// remember notes a request, unless there are too many.
func (p *play) remember(q request) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.asked) >= mostAsked {
		return false
	}
	p.asked = append(p.asked, q)
	return true
}

func write(w http.ResponseWriter, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(body) // a runtime that hangs up has what it wanted
}

// requests returns the requests so far.
func (p *play) requests() []request {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]request{}, p.asked...)
}

// count returns the number of requests for a path of the store.
func (p *play) count(path string) int {
	n := 0
	for _, q := range p.requests() {
		if !q.elsewhere && q.path == path {
			n++
		}
	}
	return n
}

// leaked reports a token that another origin received.
func (p *play) leaked() error {
	for _, q := range p.requests() {
		if q.elsewhere && q.token != "" {
			return errors.New("the token is sent to another origin")
		}
	}
	return nil
}
