// Package modelhttp posts questions to the servers of models, such as Ollama, LM Studio,
// llama.cpp, vLLM and the providers. A question goes to the host that the caller named and to
// no other: the client follows no redirect. Answers are bounded.
package modelhttp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/satchel-memory/satchel/internal/httpkit"
)

// Failures that callers tell apart.
var (
	errAddress  = errors.New("the address is no URL of a server; write https://HOST/v1")
	errUnsafe   = errors.New("others could read the texts on their way: use https, or a server on this machine")
	ErrTooLarge = errors.New("the server's answer is too large")
)

// mostRefusal is how much of a refusal is read, in bytes.
const mostRefusal = 64 << 10

// Refusal is an answer with another status than 200.
type Refusal struct {
	Host   string
	Status int
	Header http.Header
	Body   []byte // its beginning
}

// Error names the host and the status, and nothing that the server says.
func (r *Refusal) Error() string { return fmt.Sprintf("%s answers with status %d", r.Host, r.Status) }

// Server is one operation of a server. It is safe for concurrent use.
type Server struct {
	address *url.URL
	header  http.Header
	client  http.Client
}

// New returns the operation path, such as "/embeddings", of the server at an address. The
// address may end in /v1, in another base path, or in the operation itself; a bare host
// stands for /v1. New fails if the address is none, or if others could read the question on
// its way. key is sent as a bearer token; empty: none.
func New(address, path, key string) (*Server, error) {
	u, err := parse(address)
	if err != nil {
		return nil, err
	}
	base := strings.TrimSuffix(strings.TrimRight(u.Path, "/"), path)
	if base == "" {
		base = "/v1"
	}
	u.Path, u.RawPath = base+path, ""
	header := http.Header{}
	if key != "" {
		header.Set("Authorization", "Bearer "+key)
	}
	return server(u, header, nil), nil
}

// At returns the operation rest of the server at an address. rest begins with a slash, is
// escaped and may end in a query; it is appended as it is. header goes with every question.
// transport makes the connections; nil: that of [http.DefaultTransport], with the proxy of
// the environment. At fails as [New] does.
func At(address, rest string, header http.Header, transport http.RoundTripper) (*Server, error) {
	u, err := parse(address)
	if err != nil {
		return nil, err
	}
	u, err = url.Parse(strings.TrimRight(u.String(), "/") + rest)
	if err != nil {
		return nil, errAddress
	}
	return server(u, header.Clone(), transport), nil
}

// parse reads the address of a server.
func parse(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" {
		return nil, errAddress // without the cause, which may quote a password
	}
	if u.Scheme != "https" && (u.Scheme != "http" || !httpkit.OnThisMachine(u)) {
		return nil, errUnsafe
	}
	return u, nil
}

func server(u *url.URL, header http.Header, transport http.RoundTripper) *Server {
	if header == nil {
		header = http.Header{}
	}
	header.Set("Content-Type", "application/json")
	return &Server{address: u, header: header, client: http.Client{
		Transport:     transport,
		CheckRedirect: httpkit.NoRedirect,
	}}
}

// Host returns the host of the server, with its port.
func (s *Server) Host() string { return s.address.Host }

// Ask sends a question as JSON and returns the answer, of at most most bytes. It fails with
// a *Refusal, with ErrTooLarge, or with the cause of a broken connection. ctx limits the
// time.
func (s *Server) Ask(ctx context.Context, question any, most int64) ([]byte, error) {
	body, err := json.Marshal(question)
	if err != nil {
		return nil, err
	}
	answer, err := s.Post(ctx, body)
	if err != nil {
		return nil, err
	}
	defer answer.Close()
	data, err := io.ReadAll(io.LimitReader(answer, most+1))
	if err == nil && int64(len(data)) > most {
		err = ErrTooLarge
	}
	if err != nil {
		return nil, err
	}
	return data, nil
}

// Post sends a body and returns the answer, which the caller closes. It fails with a
// *Refusal, or with the cause of a broken connection. ctx limits the time, that of reading
// included.
func (s *Server) Post(ctx context.Context, body []byte) (io.ReadCloser, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.address.String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header = s.header.Clone()
	response, err := s.client.Do(request)
	if err != nil {
		if broken, ok := errors.AsType[*url.Error](err); ok {
			err = broken.Err
		}
		return nil, err
	}
	if response.StatusCode == http.StatusOK {
		return response.Body, nil
	}
	defer response.Body.Close()
	said, _ := io.ReadAll(io.LimitReader(response.Body, mostRefusal)) // the status says enough
	return nil, &Refusal{s.address.Host, response.StatusCode, response.Header, said}
}
