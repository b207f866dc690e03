package openapitest

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
)

// mostKept is the most bytes of a body that are checked. Larger ones are passed on only.
const mostKept = 1 << 20

// Over returns a transport that sends requests by another one, and reports every exchange
// that is not as described. A stream that the client leaves is checked as far as it came.
func (c *Checker) Over(t testing.TB, by http.RoundTripper) http.RoundTripper {
	return transport{c, t, by}
}

type transport struct {
	checker *Checker
	t       testing.TB
	by      http.RoundTripper
}

// RoundTrip sends a request. The exchange is checked when its answer has been read.
func (o transport) RoundTrip(r *http.Request) (*http.Response, error) {
	asked := &askedBody{ReadCloser: r.Body}
	if r.Body != nil {
		r = r.Clone(r.Context())
		r.Body = asked
	}
	got, err := o.by.RoundTrip(r)
	if err != nil {
		return got, err
	}
	got.Body = &answerBody{ReadCloser: got.Body, done: func(answer []byte, whole bool) {
		if bytes.HasPrefix(answer, []byte("Client sent an HTTP request to an HTTPS server")) { // it reached no route
			return
		}
		question := asked.kept()
		if len(question) > mostKept || len(answer) > mostKept || !whole && len(answer) == 0 {
			return
		}
		if !whole { // the last line may be cut off
			at := bytes.LastIndexByte(answer, '\n')
			if answer = answer[:at+1]; !strings.HasPrefix(got.Header.Get("Content-Type"), "text/event-stream") {
				return
			}
		}
		if err := o.checker.Check(Exchange{r.Method, r.URL.RequestURI(), r.Header, question, got.StatusCode, got.Header, answer}); err != nil {
			o.t.Errorf("not as described: %v", err)
		}
	}}
	return got, nil
}

// askedBody keeps a request's body while it is sent, which may go on after the answer has come.
type askedBody struct {
	io.ReadCloser
	mu   sync.Mutex
	read []byte
}

// Read reads a piece.
func (a *askedBody) Read(p []byte) (int, error) {
	n, err := a.ReadCloser.Read(p)
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.read) <= mostKept {
		a.read = append(a.read, p[:n]...)
	}
	return n, err
}

// kept returns what was sent until now.
func (a *askedBody) kept() []byte {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.read)
}

// answerBody keeps an answer while it is read, and says once when it ends.
type answerBody struct {
	io.ReadCloser
	read bytes.Buffer
	done func(answer []byte, whole bool)
}

// Read reads a piece.
func (a *answerBody) Read(p []byte) (int, error) {
	n, err := a.ReadCloser.Read(p)
	if a.read.Len() <= mostKept {
		a.read.Write(p[:n])
	}
	if err == io.EOF {
		a.end(true)
	}
	return n, err
}

// Close ends the answer.
func (a *answerBody) Close() error {
	err := a.ReadCloser.Close()
	a.end(false)
	return err
}

func (a *answerBody) end(whole bool) {
	if a.done != nil {
		a.done(a.read.Bytes(), whole)
		a.done = nil
	}
}
