package aimemsuite

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/conformance"
)

const (
	maxAnswer  = 256 << 20       // bytes read of an answer
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

// answer is the answer to a request.
type answer = conformance.Answer

func newClient(t Target, base string) conformance.Client {
	return conformance.Client{HTTP: t.Client, Base: base, Now: t.Now, MaxAnswer: maxAnswer, Timeout: answerTime, Code: []string{"code"}}
}

func (r *run) get(path string, header ...string) answer {
	return r.call(r.Token, http.MethodGet, path, nil, header...)
}

// call sends a request, with the token if it has one.
func (r *run) call(token, method, path string, body []byte, header ...string) answer {
	a := r.client.Send(r.ctx, request(token, method, path, body, header...), nil)
	r.seen.note(a)
	return a
}

func request(token, method, path string, body []byte, header ...string) conformance.Request {
	bare, _, _ := strings.Cut(path, "?")
	q := conformance.Request{Method: method, Path: path, Name: method + " " + bare, Token: token, Body: body, Header: conformance.Headers(header...)}
	if body != nil {
		q.Type = bundleType
	}
	return q
}

func parse(body []byte) (canon.Value, error) {
	return canon.Parse(body, canon.Options{Bytes: maxAnswer, Inexact: true})
}

// export returns a whole export.
func (r *run) export(query string) (canon.Value, error) { return exported(r.get(exportPath + query)) }

// exported returns the bundle of an answer with status 200. The bundle must have its four
// arrays, since an export without them cannot show that something is missing.
func exported(a answer) (canon.Value, error) {
	v, err := a.Object()
	if err != nil {
		return v, err
	}
	for _, array := range arrays() {
		if v.Get(array).Type() != canon.TypeArray {
			return v, fmt.Errorf("%s answered with no bundle: %s is no array", a.Asked, array)
		}
	}
	return v, nil
}

// post seals and imports a bundle, or sends any other v.
func (r *run) post(v canon.Value) answer { return r.send(v.Append(nil), "") }

// imported posts a bundle and requires a 200 that accounts for every chunk.
func (r *run) imported(v canon.Value) (answer, error) {
	a := r.post(v)
	return a, accounts(a, v)
}

// takes imports a bundle. It returns nil if the server says that it has all of the bundle.
func (r *run) takes(v canon.Value) error {
	a, err := r.imported(v)
	if n := len(a.Value.Get("rejected").Items()); err == nil && n > 0 {
		err = fmt.Errorf("%s rejected %d chunks of a good bundle", a.Asked, n)
	}
	return err
}

// accounts returns nil if the answer shows that the import succeeded and accounts for all
// chunks of v.
func accounts(a answer, v canon.Value) error {
	if err := summed(a); err != nil {
		return err
	}
	sum := len(a.Value.Get("rejected").Items())
	for _, member := range []string{"inserted", "updated", "skipped"} {
		sum += int(a.Value.Get(member).Float())
	}
	if n := len(v.Get(chunks).Items()); sum != n {
		return fmt.Errorf("%s answered 200 and accounts for %d of %d chunks", a.Asked, sum, n)
	}
	return nil
}

// summed returns nil if the answer shows that the import succeeded and says how many records
// it inserted.
func summed(a answer) error {
	if err := a.Is(http.StatusOK); err != nil {
		return err
	}
	if a.Value.Get("inserted").Type() != canon.TypeNumber {
		return fmt.Errorf("%s answered 200 and does not say how much was inserted", a.Asked)
	}
	return nil
}

// send imports a body.
func (r *run) send(body []byte, query string, header ...string) answer {
	a := r.call(r.Token, http.MethodPost, importPath+query, body, header...)
	if n := a.Value.Get("inserted").Float(); a.Status == http.StatusOK && n > 0 {
		r.wrote += int(n)
	}
	return a
}
