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
	maxAnswer  = 8 << 20          // bytes of an answer that are read
	answerTime = 30 * time.Second // for one answer
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

// answer is what came of a request.
type answer struct{ conformance.Answer }

func newClient(t Target, base string) conformance.Client {
	return conformance.Client{HTTP: t.Client, Base: base, Now: t.Now, MaxAnswer: maxAnswer, Timeout: answerTime, Code: []string{"code"}}
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

// do sends a request, with the token unless it is open.
func (r *run) do(q ask) answer {
	sent := conformance.Request{Method: q.method, Path: q.path, Type: q.media, Body: q.body, Stream: q.stream, Length: q.length, Header: q.header}
	if !q.open {
		sent.Token = r.Token
	}
	return answer{r.client.Send(r.ctx, sent, nil)}
}

// code is the code of an error, empty where there is none.
func (a answer) code() aaif.Code { return aaif.Code(a.Code) }

// is is nil for an answer with one of the statuses. The error names the first.
func (a answer) is(statuses ...int) error {
	if a.Err == nil && slices.Contains(statuses, a.Status) {
		return nil
	}
	return a.Is(statuses[0])
}

// taken is nil for an answer of success.
func (a answer) taken() error { return a.is(http.StatusCreated, http.StatusOK, http.StatusAccepted) }

// refused is nil for an error with a status, 0 for any that refuses, and one of the
// codes.
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

// named puts what was sent before what came of it.
func named(what string, err error) error {
	if err == nil || conformance.IsSkipped(err) {
		return err
	}
	return fmt.Errorf("%s: %w", what, err)
}

// errNotKept says that what was taken in cannot be found.
var errNotKept = errors.New("what was taken in is not there")
