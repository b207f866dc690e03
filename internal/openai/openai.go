// Package openai asks servers that speak OpenAI's HTTP interface, such as Ollama,
// LM Studio, llama.cpp, vLLM and OpenAI itself. A question goes to the host that the caller
// named and to no other: the client follows no redirect. It reads a bounded answer.
package openai

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

// Refusal is an answer with another status than 200.
type Refusal struct {
	Host   string
	Status int
}

// Error names the host and the status, and nothing that the server says.
func (r *Refusal) Error() string { return fmt.Sprintf("%s answers with status %d", r.Host, r.Status) }

// Server is one operation of a server. It is safe for concurrent use.
type Server struct {
	address *url.URL
	key     string
	client  http.Client
}

// New returns the operation path, such as "/embeddings", of the server at an address. The
// address may end in /v1, in another base path, or in the operation itself; a bare host
// stands for /v1. New fails if the address is none, or if others could read the question on
// its way. key is sent as a bearer token; empty: none.
func New(address, path, key string) (*Server, error) {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, errAddress // without the cause, which may quote a password
	}
	if u.Scheme != "https" && (u.Scheme != "http" || !httpkit.OnThisMachine(u)) {
		return nil, errUnsafe
	}
	base := strings.TrimSuffix(strings.TrimRight(u.Path, "/"), path)
	if base == "" {
		base = "/v1"
	}
	u.Path, u.RawPath = base+path, ""
	return &Server{address: u, key: key, client: http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// Ask sends a question as JSON and returns the answer, of at most most bytes. It fails with
// a *Refusal, with ErrTooLarge, or with the cause of a broken connection. ctx limits the
// time.
func (s *Server) Ask(ctx context.Context, question any, most int64) ([]byte, error) {
	body, err := json.Marshal(question)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.address.String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	if s.key != "" {
		request.Header.Set("Authorization", "Bearer "+s.key)
	}
	response, err := s.client.Do(request)
	if err != nil {
		if broken, ok := errors.AsType[*url.Error](err); ok {
			err = broken.Err
		}
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, &Refusal{s.address.Host, response.StatusCode}
	}
	data, err := io.ReadAll(io.LimitReader(response.Body, most+1))
	if err == nil && int64(len(data)) > most {
		err = ErrTooLarge
	}
	if err != nil {
		return nil, err
	}
	return data, nil
}
