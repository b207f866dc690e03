package tool

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
)

// The limits of answers.
const (
	mostAnswer = 1 << 20
	mostImage  = 8 << 20
)

// answer is what an HTTP server answered.
type answer struct {
	status int
	media  string
	body   []byte
}

// exchange sends a request once, and reads the answer. The outcome of an error is NotSent
// until there is a connection for the request, and Unknown from then on.
func exchange(client *http.Client, r *http.Request) (answer, error) {
	var sent atomic.Bool
	r = r.WithContext(httptrace.WithClientTrace(r.Context(), &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { sent.Store(true) }}))
	r.GetBody = nil // nothing can be sent again
	got, err := client.Do(r)
	if err != nil {
		return answer{}, broken(r.Context(), err, sent.Load())
	}
	defer func() { _ = got.Body.Close() }() // everything readable has been read
	a := answer{status: got.StatusCode}
	a.media, _, _ = mime.ParseMediaType(got.Header.Get("Content-Type"))
	most := int64(mostAnswer)
	if strings.HasPrefix(a.media, "image/") {
		most = mostImage
	}
	a.body, err = io.ReadAll(io.LimitReader(got.Body, most+1))
	switch {
	case err != nil:
		return a, broken(r.Context(), fmt.Errorf("the answer breaks off: %w", err), true)
	case int64(len(a.body)) > most:
		return a, &Error{Code: outputInvalid, Outcome: Answered, Text: fmt.Sprintf("the answer has more than %d bytes", most)}
	}
	return a, nil
}

// broken returns the error of a call that has no answer.
func broken(ctx context.Context, err error, sent bool) *Error {
	if known, ok := errors.AsType[*Error](err); ok {
		return known
	}
	e := &Error{Code: Unreachable, Outcome: NotSent, Text: plainText(err), Err: err}
	if sent {
		e.Code, e.Outcome = OutcomeUnknown, Unknown
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		e.Code, e.Text = Timeout, "no answer within the time that a call may take"
	}
	return e
}

// plainText returns the text of an error without addresses, whose queries may hold
// secrets.
func plainText(err error) string {
	if inner, ok := errors.AsType[*url.Error](err); ok {
		err = inner.Err
	}
	return shorten(err.Error())
}

// result returns the result of an answer. readOnly says that the tool is proven to change
// nothing. The package comment says which answers leave the effect of a call unknown.
func (a answer) result(readOnly bool) (Result, error) {
	r := a.content()
	switch {
	case a.status >= 200 && a.status < 300:
		return r, nil
	case a.status >= 300 && a.status < 400:
		return r, &Error{Code: egressDenied, Outcome: Unknown, Text: fmt.Sprintf("the tool answers %d: it sends the request on, which is not followed", a.status)}
	case a.status >= 500 && a.status != http.StatusNotImplemented && a.status != http.StatusHTTPVersionNotSupported && !readOnly:
		return r, &Error{Code: OutcomeUnknown, Outcome: Unknown, Text: shorten(fmt.Sprintf("the tool answers %d: %s", a.status, r.Text))}
	}
	r.IsError = true
	r.Text = string(canon.Object(
		canon.Member{Name: "status", Value: canon.Int(int64(a.status))},
		canon.Member{Name: "error", Value: canon.String(http.StatusText(a.status))},
		canon.Member{Name: "body", Value: bodyOf(r)},
	).Append(nil))
	return r, nil
}

func bodyOf(r Result) canon.Value {
	if r.Value.Type() != canon.TypeUndefined {
		return r.Value
	}
	return canon.String(r.Text)
}

// content reads a body as JSON, as a picture or as text.
func (a answer) content() Result {
	switch {
	case strings.HasPrefix(a.media, "image/"):
		return Result{Text: fmt.Sprintf("a picture (%s, %d bytes)", aaif.Shown(a.media), len(a.body)), Images: []Image{{Media: a.media, Data: a.body}}}
	case len(a.body) == 0:
		return Result{Text: ""}
	case !utf8.Valid(a.body):
		text := fmt.Sprintf("%d bytes of %s, which are no text", len(a.body), aaif.Shown(a.media))
		return Result{Text: text, Warnings: []string{text}}
	}
	return textResult(a.body)
}

// textResult returns a text as a result, with its value if it is JSON.
func textResult(body []byte) Result {
	r := Result{Text: strings.TrimSpace(string(body))}
	if v, err := canon.Parse([]byte(r.Text), canon.Options{Inexact: true}); err == nil {
		r.Value = v
	}
	return r
}
