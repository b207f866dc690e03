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
	maxBody     = 64 << 10 // bytes of a request that are read
	maxHeader   = 16 << 10
	mostAsked   = 500 // requests in one case that are answered and remembered
)

// play is one case: a store, what it was asked, and what the runtime made of it.
type play struct {
	*run
	scene
	base, elsewhere string // addresses of the store, and of another that is not to be asked
	context, list   []byte // what the store hands out
	foreign         []byte // the keys that the other lists
	said            Said

	mu    sync.Mutex
	asked []request
}

// request is one that a store got.
type request struct {
	elsewhere           bool
	method, path, token string
	query               url.Values
	body                []byte
}

// noPlay is why a case could not be played.
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

// audience is the URI of the runtime.
func (r *run) audience() string { return "urn:conformance:" + r.mark }

// open begins to listen; what it returns ends that.
func (p *play) open() (func(), error) {
	var servers []*http.Server
	stop := func() {
		for _, s := range servers {
			_ = s.Close() // whoever is still asking is of no interest
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
				_ = l.Close() // the runtime finds nobody there, and fails
			}
		}()
	}
	return stop, nil
}

// handler is the store, or whoever else might be asked.
func (p *play) handler(elsewhere bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := request{elsewhere: elsewhere, method: r.Method, path: r.URL.Path, token: r.Header.Get("Authorization"), query: r.URL.Query()}
		q.body, _ = io.ReadAll(io.LimitReader(r.Body, maxBody)) // what breaks off is no proposal
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

// requests returns what was asked so far.
func (p *play) requests() []request {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]request{}, p.asked...)
}

// count says how often a path of the store was asked for.
func (p *play) count(path string) int {
	n := 0
	for _, q := range p.requests() {
		if !q.elsewhere && q.path == path {
			n++
		}
	}
	return n
}

// leaked reports a token that came to another origin.
func (p *play) leaked() error {
	for _, q := range p.requests() {
		if q.elsewhere && q.token != "" {
			return errors.New("the token is sent to another origin")
		}
	}
	return nil
}
