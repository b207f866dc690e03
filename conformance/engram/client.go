package engramsuite

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/conformance"
	"github.com/satchel-memory/satchel/engram"
)

const (
	maxAnswer  = 64 << 20    // bytes of an answer that are read
	answerTime = time.Minute // for one answer
)

// The routes.
const (
	contextPath = "/v1/context"
	diffPath    = "/v1/context/diff"
	correctPath = "/v1/context/correct"
)

// answer is what came of a request. Only a request that got no answer has err.
type answer struct {
	asked  string // method and path
	status int
	header http.Header
	body   []byte
	value  canon.Value // of the body; undefined where it is no JSON
	err    error
}

// get asks for the context; the query begins with "?" unless it is empty.
func (r *run) get(query string) answer {
	return r.call(r.Token, http.MethodGet, contextPath+query, "")
}

// open asks for what is shown without a token.
func (r *run) open(path string) answer { return r.call("", http.MethodGet, path, "") }

// diff asks what changed since a time as it is spelled.
func (r *run) diff(since string) answer {
	return r.call(r.Token, http.MethodGet, diffPath+"?since="+since, "")
}

// call sends a request, with the token unless it is empty. One that is throttled is
// sent again after the time it is told to wait.
func (r *run) call(token, method, path, body string, header ...string) answer {
	var a answer
	err := conformance.Patiently(r.ctx, r.Now, func() (int, http.Header) {
		a = r.once(token, method, path, body, header...)
		r.observe(method, path, a)
		return a.status, a.header
	})
	if err != nil {
		return answer{asked: a.asked, err: fmt.Errorf("%s %s: %w", method, path, err)}
	}
	return a
}

func (r *run) once(token, method, path, body string, header ...string) answer {
	ctx, done := context.WithTimeout(r.ctx, answerTime)
	defer done()
	a := answer{asked: method + " " + path}
	request, err := http.NewRequestWithContext(ctx, method, r.base+path, bytes.NewReader([]byte(body)))
	if err != nil {
		return answer{asked: a.asked, err: err}
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	for _, line := range header {
		name, value, _ := strings.Cut(line, ": ")
		request.Header.Set(name, value)
	}
	got, err := r.Client.Do(request)
	if err != nil {
		return answer{asked: a.asked, err: err}
	}
	a.status, a.header = got.StatusCode, got.Header
	if a.body, err = conformance.Body(got, maxAnswer); err != nil {
		a.err = fmt.Errorf("%s: %w", a.asked, err)
		return a
	}
	a.value, _ = canon.Parse(a.body, canon.Options{Bytes: maxAnswer, Inexact: true})
	return a
}

// code is the code of an error, empty where there is none.
func (a answer) code() engram.Code { return engram.Code(a.value.Get("error").Get("code").Text()) }

// said describes an answer in few words.
func (a answer) said() string {
	switch {
	case a.err != nil:
		return a.err.Error()
	case a.code() != "":
		return fmt.Sprintf("%d %s", a.status, a.code())
	}
	return strconv.Itoa(a.status)
}

// is is nil for an answer with that status.
func (a answer) is(status int) error {
	if a.err != nil {
		return a.err
	}
	if a.status != status {
		return fmt.Errorf("%s answered %s, not %d", a.asked, a.said(), status)
	}
	return nil
}

// refused is nil for an error of one of the codes, with the status that belongs to it.
func (a answer) refused(codes ...engram.Code) error {
	if a.err != nil {
		return a.err
	}
	for _, code := range codes {
		if a.code() == code && a.status == code.Status() {
			return nil
		}
	}
	return fmt.Errorf("%s answered %s, not %d %s", a.asked, a.said(), codes[0].Status(), codes[0])
}

// document reads an answer that is a context.
func (a answer) document() (engram.Document, error) {
	if err := a.is(http.StatusOK); err != nil {
		return engram.Document{}, err
	}
	d, _, err := engram.Parse(a.body, engram.ReadOptions{})
	if err != nil {
		err = fmt.Errorf("%s: %w", a.asked, err)
	}
	return d, err
}

// delta reads an answer that says what changed.
func (a answer) delta() (engram.Delta, error) {
	if err := a.is(http.StatusOK); err != nil {
		return engram.Delta{}, err
	}
	d, err := engram.ParseDelta(a.body, engram.ReadOptions{})
	if err != nil {
		err = fmt.Errorf("%s: %w", a.asked, err)
	}
	return d, err
}
