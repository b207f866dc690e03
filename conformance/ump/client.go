package umpsuite

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/conformance"
	"github.com/satchel-memory/satchel/memory"
)

const (
	maxAnswer  = 64 << 20         // bytes of an answer that are read
	answerTime = 30 * time.Second // for one answer
	maxRetries = 8
)

// baseOf returns the address of the server without a trailing /ump.
func baseOf(address string) (string, error) {
	base, err := conformance.Base(address)
	return strings.TrimSuffix(base, "/ump"), err
}

// answer is what came of a request. Only a request that got no answer has err.
type answer struct {
	Asked  string // method and path
	Status int
	Header http.Header
	Body   []byte
	Value  canon.Value // of the body; undefined where it is not strict JSON
	Err    error
}

// call sends a request, with the token unless it is empty, and looks at the
// answer as [observed] does. A request that is throttled is sent again after the
// time it is told to wait.
func (r *run) call(token, method, path string, body []byte, header ...string) answer {
	r.used[operationOf(path)] = true
	for range maxRetries {
		a := r.once(token, method, path, body, header...)
		if a.Status != http.StatusTooManyRequests {
			return a
		}
		r.wait(conformance.RetryAfter(a.Header, r.Now()))
	}
	return answer{Asked: method + " " + path, Err: fmt.Errorf("%s %s is throttled without end", method, path)}
}

// once is call without patience.
func (r *run) once(token, method, path string, body []byte, header ...string) answer {
	a := r.quiet(token, method, path, body, header...)
	if a.Err == nil {
		r.observe(method, path, a)
	}
	return a
}

// quiet sends a request and looks at nothing. It may be called concurrently.
func (r *run) quiet(token, method, path string, body []byte, header ...string) answer {
	ctx, done := context.WithTimeout(r.ctx, answerTime)
	defer done()
	a := answer{Asked: method + " " + shortened(path)}
	request, err := r.request(ctx, token, method, path, body, header...)
	if err != nil {
		return answer{Asked: a.Asked, Err: err}
	}
	got, err := r.Client.Do(request)
	if err != nil {
		return answer{Asked: a.Asked, Err: err}
	}
	a.Status, a.Header = got.StatusCode, got.Header
	if a.Body, err = conformance.Body(got, maxAnswer); err != nil {
		a.Err = fmt.Errorf("%s: %w", a.Asked, err)
		return a
	}
	if v, err := canon.Parse(a.Body, canon.Options{Bytes: maxAnswer, Inexact: true}); err == nil {
		a.Value = v
	}
	return a
}

func (r *run) request(ctx context.Context, token, method, path string, body []byte, header ...string) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, method, r.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	for _, line := range header {
		name, value, _ := strings.Cut(line, ": ")
		request.Header.Set(name, value)
	}
	return request, nil
}

// operationOf returns the operation behind a path, "" for none.
func operationOf(path string) string {
	path, _, _ = strings.Cut(path, "?")
	op, _, _ := strings.Cut(strings.TrimPrefix(path, "/ump/"), "/")
	if op == "memory" {
		return "get"
	}
	return op
}

// shortened returns a path for messages.
func shortened(path string) string {
	if len(path) > 80 {
		return path[:80] + "…"
	}
	return path
}

// post performs an operation with the run's token; postAs with another.
func (r *run) post(op string, body canon.Value) answer { return r.postAs(r.Token, op, body) }

func (r *run) postAs(token, op string, body canon.Value) answer {
	return r.call(token, http.MethodPost, "/ump/"+op, body.Append(nil))
}

// raw sends a body that need not be JSON.
func (r *run) raw(op, body string, header ...string) answer {
	return r.call(r.Token, http.MethodPost, "/ump/"+op, []byte(body), header...)
}

// fetch gets a record; fetchAs with another token.
func (r *run) fetch(id memory.ID) answer { return r.fetchAs(r.Token, id) }

func (r *run) fetchAs(token string, id memory.ID) answer {
	return r.call(token, http.MethodGet, "/ump/memory/"+url.PathEscape(string(id)), nil)
}

// code returns the code of an error envelope, "" where there is none.
func (a answer) code() memory.ErrorKind {
	return memory.ErrorKind(a.Value.Get("error").Get("code").Text())
}

// said describes an answer in few words.
func (a answer) Said() string {
	switch {
	case a.Err != nil:
		return a.Err.Error()
	case a.code() != "":
		return fmt.Sprintf("%d %s", a.Status, a.code())
	}
	return strconv.Itoa(a.Status)
}

// ok returns the object of an answer that is a success.
func (a answer) ok() (canon.Value, error) {
	switch {
	case a.Err != nil:
		return canon.Value{}, a.Err
	case a.Status < 200 || a.Status > 299:
		return canon.Value{}, fmt.Errorf("%s answered %s, not 200", a.Asked, a.Said())
	case a.Value.Type() != canon.TypeObject:
		return canon.Value{}, fmt.Errorf("%s answered with what is no JSON object", a.Asked)
	}
	return a.Value, nil
}

// refused is nil for an answer that is an error with one of the codes.
func (a answer) refused(codes ...memory.ErrorKind) error {
	switch {
	case a.Err != nil:
		return a.Err
	case a.Status >= 200 && a.Status <= 299:
		return fmt.Errorf("%s was accepted; want %s", a.Asked, anyOf(codes))
	case !slices.Contains(codes, a.code()):
		return fmt.Errorf("%s answered %s; want %s", a.Asked, a.Said(), anyOf(codes))
	}
	return nil
}

func anyOf(codes []memory.ErrorKind) string {
	words := make([]string, len(codes))
	for i, code := range codes {
		words[i] = string(code)
	}
	return strings.Join(words, " or ")
}
