package tool

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/openapi"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/run/trace"
	"github.com/satchel-memory/satchel/text/internet"
)

// keyHeader is the header of the idempotency key.
const keyHeader = "Idempotency-Key"

// bindHTTP binds a tool of protocol http. Its method is the operator's, or POST
// (AAIF-4.4-10).
func (s *Set) bindHTTP(t aaif.Tool) []*offer {
	said := s.o.Operator.binding(s.o.Agent, t.Name)
	method := cmp.Or(said.Method, http.MethodPost)
	o := s.offer(t, t.Name, t.Description, t.Parameters)
	o.miss(s.reachable(t.Endpoint, t.Auth))
	s.warnSecret(o)
	o.Nature.ReadOnly = o.Missing == nil && (o.Nature.ReadOnly || isReading(method))
	o.call = func(ctx context.Context, c Call) (Result, error) {
		u, left, err := expand(t.Endpoint, c.Arguments)
		if err != nil {
			return Result{}, err
		}
		q := request{method: method, url: u, key: c.Key, readOnly: o.Nature.ReadOnly}
		if isReading(method) || method == http.MethodDelete {
			if err := addQuery(u, left); err != nil {
				return Result{}, err
			}
		} else {
			q.body, q.media = left.Append(nil), "application/json"
		}
		return s.send(ctx, t.Auth, q)
	}
	return []*offer{o}
}

// reachable reports why a definition's address cannot be used, as far as that is known
// without contacting anybody; nil: it can.
func (s *Set) reachable(endpoint string, auth aaif.Auth) *Error {
	// A placeholder never stands in the host, which expand makes sure of.
	u, err := url.Parse(strings.NewReplacer("{", "", "}", "").Replace(endpoint))
	if err != nil {
		return fail(egressDenied, "the endpoint is no address")
	}
	if denied := s.guard.check(u); denied != nil {
		return denied
	}
	if none(auth) {
		return nil
	}
	return s.maySecret(auth, internet.PlainHost(u.Hostname()))
}

// request is a request to an HTTP tool.
type request struct {
	method   string
	url      *url.URL
	header   http.Header
	body     []byte // nil: none
	media    string
	key      string
	readOnly bool
	place    openapi.AuthPlacement
}

// send sends a request with the tool's authentication, once.
func (s *Set) send(ctx context.Context, auth aaif.Auth, q request) (Result, error) {
	if denied := s.guard.check(q.url); denied != nil {
		return Result{}, denied
	}
	cred, err := s.credential(ctx, auth, q.url.Hostname())
	if err != nil {
		return Result{}, err
	}
	var body io.Reader
	if q.body != nil {
		body = io.NopCloser(bytes.NewReader(q.body))
	}
	r, err := http.NewRequestWithContext(ctx, q.method, q.url.String(), body)
	if err != nil {
		return Result{}, fail(ArgsInvalid, "there is no request with these arguments")
	}
	r.ContentLength = int64(len(q.body))
	for name, values := range q.header {
		r.Header[name] = values
	}
	r.Header.Set("Accept", "application/json, text/*;q=0.9, */*;q=0.5")
	if q.media != "" {
		r.Header.Set("Content-Type", q.media)
	}
	if q.key != "" && !q.readOnly {
		r.Header.Set(keyHeader, q.key)
	}
	trace.Tell(ctx, r.Header)
	if err := cred.apply(r, q.body, s, q.place); err != nil {
		return Result{}, err
	}
	got, err := exchange(s.guard.client(cred.pair), r)
	if err != nil {
		return Result{}, cred.hideError(err)
	}
	if got.status == http.StatusUnauthorized && cred.kept != "" {
		s.shared.dropToken(cred.kept)
	}
	result, err := got.result(q.readOnly)
	if err != nil {
		return Result{}, cred.hideError(err)
	}
	return cred.hideResult(result), nil
}

// hideError takes the secret out of the text of an error.
func (c credential) hideError(err error) error {
	if known, ok := err.(*Error); ok {
		known.Text, _ = c.hide(known.Text)
	}
	return err
}

// hideResult takes the secret out of a result.
func (c credential) hideResult(r Result) Result {
	text := r.Text
	if r.Value.Type() != canon.TypeUndefined {
		text = string(r.Value.Append(nil)) // without the escapes behind which it could stand
	}
	text, found := c.hide(text)
	if !found {
		return r
	}
	images, isError := r.Images, r.IsError
	warnings := append(r.Warnings, "the answer held the secret of the tool, which was taken out")
	r = textResult([]byte(text))
	r.Images, r.IsError, r.Warnings = images, isError, warnings
	return r
}

// objectSchema is the schema of tools that declare none.
func objectSchema() canon.Value {
	return canon.Object(canon.Member{Name: "type", Value: canon.String("object")})
}
