package engramsuite

import (
	"fmt"
	"net/http"
	"time"

	"github.com/satchel-memory/satchel/conformance"
	"github.com/satchel-memory/satchel/engram"
)

const (
	maxAnswer  = 64 << 20    // bytes read of an answer
	answerTime = time.Minute // for one answer
)

// The routes.
const (
	contextPath = "/v1/context"
	diffPath    = "/v1/context/diff"
	correctPath = "/v1/context/correct"
)

// answer is the answer to a request.
type answer struct{ conformance.Answer }

func newClient(t Target, base string) conformance.Client {
	return conformance.Client{HTTP: t.Client, Base: base, Now: t.Now, MaxAnswer: maxAnswer, Timeout: answerTime, Code: []string{"error", "code"}}
}

// get requests the context; a non-empty query begins with "?".
func (r *run) get(query string) answer {
	return r.call(r.Token, http.MethodGet, contextPath+query, "")
}

// open requests something public.
func (r *run) open(path string) answer { return r.call("", http.MethodGet, path, "") }

// diff requests the changes since a time, in the given spelling.
func (r *run) diff(since string) answer {
	return r.call(r.Token, http.MethodGet, diffPath+"?since="+since, "")
}

// call sends a request, with the token if it has one, and looks at every answer.
func (r *run) call(token, method, path, body string, header ...string) answer {
	q := conformance.Request{Method: method, Path: path, Token: token, Body: []byte(body), Header: conformance.Headers(header...)}
	if body != "" {
		q.Type = "application/json"
	}
	return answer{r.client.Send(r.ctx, q, func(a conformance.Answer) { r.observe(method, path, answer{a}) })}
}

// code returns the code of an error, or "" for none.
func (a answer) code() engram.Code { return engram.Code(a.Code) }

// refused returns nil for an error with one of the codes and the status of that code.
func (a answer) refused(codes ...engram.Code) error {
	if a.Err != nil {
		return a.Err
	}
	for _, code := range codes {
		if a.code() == code && a.Status == code.Status() {
			return nil
		}
	}
	return fmt.Errorf("%s answered %s, not %d %s", a.Asked, a.Said(), codes[0].Status(), codes[0])
}

// document reads an answer that is a context.
func (a answer) document() (engram.Document, error) {
	if err := a.Is(http.StatusOK); err != nil {
		return engram.Document{}, err
	}
	d, _, err := engram.Parse(a.Body, engram.ReadOptions{})
	if err != nil {
		err = fmt.Errorf("%s: %w", a.Asked, err)
	}
	return d, err
}

// delta reads an answer with changes.
func (a answer) delta() (engram.Delta, error) {
	if err := a.Is(http.StatusOK); err != nil {
		return engram.Delta{}, err
	}
	d, err := engram.ParseDelta(a.Body, engram.ReadOptions{})
	if err != nil {
		err = fmt.Errorf("%s: %w", a.Asked, err)
	}
	return d, err
}
