package aaifsuite

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/conformance"
)

const (
	maxAnswer  = 8 << 20          // bytes of an answer that are read
	answerTime = 30 * time.Second // for one answer
	maxSaid    = 80               // bytes of an answer's code that are repeated
)

const jsonType = "application/json"

// The paths that the text names, and those where states are taken in unless the target
// says otherwise.
const (
	manifestPath = "/.well-known/aaif-manifest.json"
	reportPath   = "/.well-known/aaif-conformance.json"
	agentsPath   = "/aaif/agents"
	statesPath   = "/aaif/states"
	handoffPath  = "/aaif/handoff"
)

func (t Target) filled() Target {
	t.Issuer = cmp.Or(t.Issuer, "conformance")
	t.States = cmp.Or(t.States, statesPath)
	t.Handoff = cmp.Or(t.Handoff, handoffPath)
	return t
}

// answer is what came of a request. Only a request that got no answer has err.
type answer struct {
	asked  string // method and path
	status int
	header http.Header
	body   []byte
	value  canon.Value // of the body; undefined where it is no JSON
	err    error
}

// ask is a request.
type ask struct {
	method, path string
	media        string
	body         []byte
	stream       func() io.Reader // begins what is sent instead of body
	length       int64            // of the stream; 0: not said
	open         bool             // without the token
	header       http.Header
}

// get asks for what is the owner's, open for what is anybody's.
func (r *run) get(path string) answer { return r.do(ask{method: http.MethodGet, path: path}) }

func (r *run) open(path string) answer {
	return r.do(ask{method: http.MethodGet, path: path, open: true})
}

// take sends a definition in JSON to be taken in.
func (r *run) take(v canon.Value) answer { return r.takeRaw(r.vouched(v).Append(nil), jsonType) }

func (r *run) takeRaw(body []byte, media string) answer {
	return r.do(ask{method: http.MethodPost, path: r.intake, media: media, body: body})
}

// do sends a request. One that is throttled is sent again after the time it is told to
// wait.
func (r *run) do(q ask) answer {
	var a answer
	err := conformance.Patiently(r.ctx, r.Now, func() (int, http.Header) {
		a = r.once(q)
		return a.status, a.header
	})
	if err != nil {
		return answer{asked: a.asked, err: fmt.Errorf("%s: %w", a.asked, err)}
	}
	return a
}

func (r *run) once(q ask) answer {
	ctx, done := context.WithTimeout(r.ctx, answerTime)
	defer done()
	a := answer{asked: q.method + " " + q.path}
	var body io.Reader = bytes.NewReader(q.body)
	if q.stream != nil {
		body = q.stream()
	}
	request, err := http.NewRequestWithContext(ctx, q.method, r.base+q.path, body)
	if err != nil {
		return answer{asked: a.asked, err: err}
	}
	if q.stream != nil && q.length > 0 {
		request.ContentLength = q.length
	}
	for name, values := range q.header {
		request.Header[name] = values
	}
	if !q.open {
		request.Header.Set("Authorization", "Bearer "+r.Token)
	}
	if q.media != "" {
		request.Header.Set("Content-Type", q.media)
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
	a.value, _ = canon.Parse(bytes.TrimSpace(a.body), canon.Options{Bytes: maxAnswer, Inexact: true})
	return a
}

// code is the code of an error, empty where there is none.
func (a answer) code() aaif.Code { return aaif.Code(a.value.Get("code").Text()) }

// said describes an answer in few words.
func (a answer) said() string {
	code := string(a.code())
	switch {
	case a.err != nil:
		return a.err.Error()
	case code != "":
		return fmt.Sprintf("%d %s", a.status, code[:min(len(code), maxSaid)])
	}
	return strconv.Itoa(a.status)
}

// is is nil for an answer with one of the statuses.
func (a answer) is(statuses ...int) error {
	if a.err != nil {
		return a.err
	}
	if !slices.Contains(statuses, a.status) {
		return fmt.Errorf("%s answered %s, not %d", a.asked, a.said(), statuses[0])
	}
	return nil
}

// taken is nil for an answer of success.
func (a answer) taken() error { return a.is(http.StatusCreated, http.StatusOK, http.StatusAccepted) }

// refused is nil for an error with a status, 0 for any that refuses, and one of the
// codes.
func (a answer) refused(status int, codes ...aaif.Code) error {
	if a.err != nil {
		return a.err
	}
	refused := a.status == status || status == 0 && a.status >= 400 && a.status < 500
	if refused && (len(codes) == 0 || slices.Contains(codes, a.code())) {
		return nil
	}
	want := "a refusal"
	if status != 0 {
		want = strconv.Itoa(status)
	}
	if len(codes) > 0 {
		want += " " + string(codes[0])
	}
	return fmt.Errorf("%s answered %s, not %s", a.asked, a.said(), want)
}

// named puts what was sent before what came of it.
func named(what string, err error) error {
	if err == nil || conformance.IsSkipped(err) {
		return err
	}
	return fmt.Errorf("%s: %w", what, err)
}

// errNotKept says that what was taken in cannot be found.
var errNotKept = errors.New("what was taken in is not there")
