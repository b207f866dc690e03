package aaifsuite

import (
	"cmp"
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
	maxAnswer  = 8 << 20          // bytes read of an answer
	answerTime = 30 * time.Second // for one answer
)

const jsonType = "application/json"

// The paths that the text names, and the default paths that receive states.
const (
	manifestPath = "/.well-known/aaif-manifest.json"
	reportPath   = "/.well-known/aaif-conformance.json"
	agentsPath   = "/aaif/agents"
	statesPath   = "/aaif/states"
	handoffPath  = "/aaif/handoff"
	runsPath     = "/aaif/runs"
)

func (t Target) filled() Target {
	t.Issuer = cmp.Or(t.Issuer, "conformance")
	t.States = cmp.Or(t.States, statesPath)
	t.Handoff = cmp.Or(t.Handoff, handoffPath)
	t.Runs = cmp.Or(t.Runs, runsPath)
	return t
}

// answer is the answer to a request.
type answer struct{ conformance.Answer }

func newClient(t Target, base string) conformance.Client {
	return conformance.Client{HTTP: t.Client, Base: base, Now: t.Now, MaxAnswer: maxAnswer, Timeout: answerTime, Code: []string{"code"}}
}

// ask is a request.
type ask struct {
	method, path string
	media        string
	body         []byte
	stream       func() io.Reader // opens the body; replaces body
	length       int64            // of the stream; 0: unknown
	open         bool             // without the token
	header       http.Header
}

// get requests something of the owner; open requests something public.
func (r *run) get(path string) answer { return r.do(ask{method: http.MethodGet, path: path}) }

func (r *run) open(path string) answer {
	return r.do(ask{method: http.MethodGet, path: path, open: true})
}

// take sends a definition in JSON to the intake.
func (r *run) take(v canon.Value) answer { return r.takeRaw(r.vouched(v).Append(nil), jsonType) }

func (r *run) takeRaw(body []byte, media string) answer {
	return r.do(ask{method: http.MethodPost, path: r.intake, media: media, body: body})
}

// do sends a request, with the token unless the request is open.
func (r *run) do(q ask) answer {
	sent := conformance.Request{Method: q.method, Path: q.path, Type: q.media, Body: q.body, Stream: q.stream, Length: q.length, Header: q.header}
	if !q.open {
		sent.Token = r.Token
	}
	return answer{r.client.Send(r.ctx, sent, nil)}
}

// code returns the code of an error, or "" for none.
func (a answer) code() aaif.Code { return aaif.Code(a.Code) }

// is returns nil for an answer with one of the statuses. The error names the first.
func (a answer) is(statuses ...int) error {
	if a.Err == nil && slices.Contains(statuses, a.Status) {
		return nil
	}
	return a.Is(statuses[0])
}

// taken returns nil for a successful answer.
func (a answer) taken() error { return a.is(http.StatusCreated, http.StatusOK, http.StatusAccepted) }

// refused returns nil for an error with the status and one of the codes. A status of 0 means
// any status that refuses.
func (a answer) refused(status int, codes ...aaif.Code) error {
	if a.Err != nil {
		return a.Err
	}
	refused := a.Status == status || status == 0 && a.Status >= 400 && a.Status < 500
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
	return fmt.Errorf("%s answered %s, not %s", a.Asked, a.Said(), want)
}

// named puts the description of the request before the error.
func named(what string, err error) error {
	if err == nil || conformance.IsSkipped(err) {
		return err
	}
	return fmt.Errorf("%s: %w", what, err)
}

// errNotKept says that the platform accepted something and cannot find it.
var errNotKept = errors.New("what was taken in is not there")
