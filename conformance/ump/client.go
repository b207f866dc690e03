package umpsuite

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/conformance"
	"github.com/satchel-memory/satchel/memory"
)

const (
	maxAnswer  = 64 << 20         // bytes read of an answer
	answerTime = 30 * time.Second // for one answer
)

// baseOf returns the address of the server without a trailing /ump.
func baseOf(address string) (string, error) {
	base, err := conformance.Base(address)
	return strings.TrimSuffix(base, "/ump"), err
}

// answer is the answer to a request.
type answer struct{ conformance.Answer }

func newClient(t Target, base string) conformance.Client {
	return conformance.Client{HTTP: t.Client, Base: base, Now: t.Now, MaxAnswer: maxAnswer, Timeout: answerTime, Code: []string{"error", "code"}}
}

// call sends a request, with the token if it has one, and looks at every answer as
// [observed] does.
func (r *run) call(token, method, path string, body []byte, header ...string) answer {
	r.used[operationOf(path)] = true
	return answer{r.client.Send(r.ctx, request(token, method, path, body, header...), func(a conformance.Answer) {
		if a.Err == nil {
			observe(r, method, path, answer{a})
		}
	})}
}

// request makes a request of JSON unless a header says otherwise.
func request(token, method, path string, body []byte, header ...string) conformance.Request {
	q := conformance.Request{Method: method, Path: path, Name: method + " " + shortened(path), Token: token, Body: body, Header: conformance.Headers(header...)}
	if body != nil {
		q.Type = "application/json"
	}
	return q
}

// operationOf returns the operation of a path, or "".
func operationOf(path string) string {
	path, _, _ = strings.Cut(path, "?")
	op, _, _ := strings.Cut(strings.TrimPrefix(path, "/ump/"), "/")
	if op == "memory" {
		return "get"
	}
	return op
}

// shortened shortens a path for messages.
func shortened(path string) string {
	if len(path) > 80 {
		return path[:80] + "…"
	}
	return path
}

// post performs an operation with the run's token; postAs takes another token.
func (r *run) post(op string, body canon.Value) answer { return r.postAs(r.Token, op, body) }

func (r *run) postAs(token, op string, body canon.Value) answer {
	return r.call(token, http.MethodPost, "/ump/"+op, body.Append(nil))
}

// raw sends a body of any form.
func (r *run) raw(op, body string, header ...string) answer {
	return r.call(r.Token, http.MethodPost, "/ump/"+op, []byte(body), header...)
}

// fetch gets a record with the run's token; fetchAs takes another token.
func (r *run) fetch(id memory.ID) answer { return r.fetchAs(r.Token, id) }

func (r *run) fetchAs(token string, id memory.ID) answer {
	return r.call(token, http.MethodGet, "/ump/memory/"+url.PathEscape(string(id)), nil)
}

// code returns the code of an error envelope, or "".
func (a answer) code() memory.ErrorKind { return memory.ErrorKind(a.Code) }

// ok returns the object of a successful answer.
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

// refused returns nil for an error with one of the codes.
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
