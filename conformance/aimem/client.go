package aimemsuite

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
)

const (
	maxAnswer  = 256 << 20       // bytes of an answer that are read
	answerTime = 2 * time.Minute // for one answer
)

// The routes.
const (
	exportPath = "/v1/brain/export"
	streamPath = "/v1/brain/export/stream"
	importPath = "/v1/brain/import"
	brainPath  = "/v1/brain"
	keyPath    = "/.well-known/aimem-pubkey"
	specPath   = "/.well-known/aimem-spec"
	bundleType = "application/aimem-bundle+json"
	streamType = "application/x-ndjson"
)

// answer is what came of a request. Only a request that got no answer has err.
type answer struct {
	asked  string
	status int
	header http.Header
	body   []byte
	value  canon.Value // of the body; undefined where it is not strict JSON
	err    error
}

func (r *run) get(path string, header ...string) answer {
	return r.call(r.Token, http.MethodGet, path, nil, header...)
}

// call sends a request, with the token unless it is empty. One that is throttled is
// sent again after the time it is told to wait.
func (r *run) call(token, method, path string, body []byte, header ...string) answer {
	var a answer
	err := conformance.Patiently(r.ctx, r.Now, func() (int, http.Header) {
		a = r.once(token, method, path, body, header...)
		return a.status, a.header
	})
	if err != nil {
		return answer{asked: a.asked, err: fmt.Errorf("%s %s: %w", method, path, err)}
	}
	r.seen.note(a)
	return a
}

// once sends a request. It may be called concurrently.
func (r *run) once(token, method, path string, body []byte, header ...string) answer {
	ctx, done := context.WithTimeout(r.ctx, answerTime)
	defer done()
	bare, _, _ := strings.Cut(path, "?")
	a := answer{asked: method + " " + bare}
	request, err := http.NewRequestWithContext(ctx, method, r.base+path, bytes.NewReader(body))
	if err != nil {
		return answer{asked: a.asked, err: err}
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	if body != nil {
		request.Header.Set("Content-Type", bundleType)
	}
	for _, line := range header {
		name, value, _ := strings.Cut(line, ": ")
		if value == "" {
			request.Header.Del(name)
			continue
		}
		request.Header.Add(name, value)
		if name == "Content-Type" {
			request.Header.Set(name, value)
		}
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
	a.value, _ = parse(a.body)
	return a
}

func parse(body []byte) (canon.Value, error) {
	return canon.Parse(body, canon.Options{Bytes: maxAnswer, Inexact: true})
}

// said describes an answer in few words.
func (a answer) said() string {
	code := a.value.Get("code").Text()
	switch {
	case a.err != nil:
		return a.err.Error()
	case code != "":
		return fmt.Sprintf("%d %s", a.status, code)
	}
	return strconv.Itoa(a.status)
}

// is is nil for an answer with one of the statuses.
func (a answer) is(statuses ...int) error {
	if a.err != nil {
		return a.err
	}
	var words []string
	for _, s := range statuses {
		if a.status == s {
			return nil
		}
		words = append(words, strconv.Itoa(s))
	}
	return fmt.Errorf("%s answered %s, not %s", a.asked, a.said(), strings.Join(words, " or "))
}

// bundle returns the bundle of an answer that is a success.
func (a answer) bundle() (canon.Value, error) {
	if err := a.is(http.StatusOK); err != nil {
		return canon.Value{}, err
	}
	if a.value.Type() != canon.TypeObject {
		return canon.Value{}, fmt.Errorf("%s answered with what is no JSON object", a.asked)
	}
	return a.value, nil
}

// export returns a whole export.
func (r *run) export(query string) (canon.Value, error) { return r.get(exportPath + query).bundle() }

// post imports a bundle that is sealed, or whatever else v is.
func (r *run) post(v canon.Value) answer { return r.send(v.Append(nil), "") }

// send imports a body.
func (r *run) send(body []byte, query string, header ...string) answer {
	a := r.call(r.Token, http.MethodPost, importPath+query, body, header...)
	if n := a.value.Get("inserted").Float(); a.status == http.StatusOK && n > 0 {
		r.wrote += int(n)
	}
	return a
}
