package aimemsuite

import (
	"net/http"
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

// answer is what came of a request.
type answer = conformance.Answer

func newClient(t Target, base string) conformance.Client {
	return conformance.Client{HTTP: t.Client, Base: base, Now: t.Now, MaxAnswer: maxAnswer, Timeout: answerTime, Code: []string{"code"}}
}

func (r *run) get(path string, header ...string) answer {
	return r.call(r.Token, http.MethodGet, path, nil, header...)
}

// call sends a request, with the token unless it is empty.
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
func (r *run) export(query string) (canon.Value, error) { return r.get(exportPath + query).Object() }

// post imports a bundle that is sealed, or whatever else v is.
func (r *run) post(v canon.Value) answer { return r.send(v.Append(nil), "") }

// send imports a body.
func (r *run) send(body []byte, query string, header ...string) answer {
	a := r.call(r.Token, http.MethodPost, importPath+query, body, header...)
	if n := a.Value.Get("inserted").Float(); a.Status == http.StatusOK && n > 0 {
		r.wrote += int(n)
	}
	return a
}
