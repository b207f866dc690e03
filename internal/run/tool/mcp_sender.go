package tool

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"sync"
	"sync/atomic"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/openapi"
	"github.com/satchel-memory/satchel/internal/run/trace"
)

// sender sends the requests of a session to an MCP server at an address, each once.
type sender struct {
	s     *Set
	auth  aaif.Auth
	guard guard

	lock  sync.Mutex
	cred  credential
	until time.Time
}

// delivery is what is known of a call.
type delivery struct {
	begun  atomic.Bool  // a request with the call was handed to the transport
	sent   atomic.Bool  // there was a connection for it
	status atomic.Int64 // of the answer; 0: none
}

type deliveryKey struct{}

const secretTime = time.Minute // how long a secret is used for the requests of a session

var errTwice = errors.New("a call is not sent a second time")

func (h *sender) client() *http.Client {
	return &http.Client{Transport: h, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// credential returns the tool's credential. It is resolved anew after a minute.
func (h *sender) credential(ctx context.Context, host string) (credential, error) {
	h.lock.Lock()
	defer h.lock.Unlock()
	if now := h.s.o.Now(); h.until.IsZero() || !now.Before(h.until) {
		cred, err := h.s.credential(ctx, h.auth, host)
		if err != nil {
			return cred, err
		}
		h.cred, h.until = cred, now.Add(secretTime)
	}
	return h.cred, nil
}

// known returns the credential that was used last.
func (h *sender) known() credential {
	h.lock.Lock()
	defer h.lock.Unlock()
	return h.cred
}

// RoundTrip sends a request with the tool's authentication. It refuses a call that was
// handed over before.
func (h *sender) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		data, err := io.ReadAll(r.Body)
		_ = r.Body.Close() // it was read whole
		if err != nil {
			return nil, err
		}
		body = data
	}
	if denied := h.guard.check(r.URL); denied != nil {
		return nil, denied
	}
	cred, err := h.credential(r.Context(), r.URL.Hostname())
	if err != nil {
		return nil, err
	}
	once, _ := r.Context().Value(deliveryKey{}).(*delivery)
	if once != nil && !bytes.Contains(body, []byte(`"method":"tools/call"`)) {
		once = nil // a message beside the call
	}
	ctx := r.Context()
	if once != nil {
		if once.begun.Swap(true) {
			return nil, errTwice
		}
		ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { once.sent.Store(true) }})
	}
	r = r.Clone(ctx)
	r.GetBody = nil
	if body != nil {
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	}
	trace.Tell(ctx, r.Header)
	if err := cred.apply(r, body, h.s, openapi.AuthPlacement{}); err != nil {
		return nil, err
	}
	got, err := h.guard.client(cred.pair).Transport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if once != nil {
		once.status.Store(int64(got.StatusCode))
	}
	if got.StatusCode == http.StatusUnauthorized && cred.kept != "" {
		h.s.shared.dropToken(cred.kept)
	}
	got.Body = limitedBody{io.LimitReader(got.Body, mostMessage), got.Body}
	return got, nil
}

// limitedBody is a body that is read to a limit.
type limitedBody struct {
	io.Reader
	io.Closer
}
