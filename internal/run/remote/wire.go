package remote

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"time"

	"github.com/satchel-memory/satchel/aaif/a2a"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/run/tool"
	"github.com/satchel-memory/satchel/internal/run/trace"
)

const (
	mostAnswer = 1 << 20         // bytes of an answer, and of an event
	mostTime   = time.Minute     // for an answer
	mostQuiet  = 2 * time.Minute // between two lines of a stream
)

var errLarge = errors.New("the answer is larger than is taken here")

// tooLarge says that what a task made cannot be taken. Whatever the agent did, it has done.
func tooLarge() *tool.Error {
	e := fail(failed, tool.Answered, fmt.Sprintf("the agent answers with more than %d bytes, which is the most that is taken: the task may have been done all the same", mostAnswer))
	e.Err = errLarge
	return e
}

// readAll reads a body up to a size.
func readAll(in io.Reader, most int64) ([]byte, error) {
	raw, err := io.ReadAll(io.LimitReader(in, most+1))
	if err == nil && int64(len(raw)) > most {
		err = errLarge
	}
	return raw, err
}

// send sends a request with what every request has.
func (a *agent) send(r *http.Request) (*http.Response, error) {
	if a.token != "" {
		r.Header.Set("Authorization", "Bearer "+a.token)
	}
	if a.at.Version != "" {
		r.Header.Set(a2a.VersionHeader, string(a.at.Version))
	}
	trace.Tell(r.Context(), r.Header)
	return a.out.Do(r)
}

// call makes a request of JSON-RPC. The caller closes the body of the answer, whose media type
// is one of those wanted.
func (a *agent) call(ctx context.Context, o a2a.Operation, params canon.Value, accept string) (*http.Response, error) {
	body := a2a.Request{ID: canon.String("1"), Method: o.Method(a.at.Version), Params: params}.Document().Append(nil)
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, a.at.URL, io.NopCloser(bytes.NewReader(body)))
	if err != nil {
		return nil, fail(refused, tool.NotSent, "the agent has no usable address")
	}
	r.ContentLength = int64(len(body))
	r.Header.Set("Content-Type", jsonType)
	r.Header.Set("Accept", accept)
	return a.send(r)
}

const (
	jsonType  = "application/json"
	eventType = "text/event-stream"
)

// result makes a request of JSON-RPC and returns its result.
func (a *agent) result(ctx context.Context, o a2a.Operation, params canon.Value) (canon.Value, error) {
	ctx, cancel := context.WithTimeout(ctx, mostTime)
	defer cancel()
	got, err := a.call(ctx, o, params, jsonType)
	if err != nil {
		return canon.Value{}, err
	}
	defer func() { _ = got.Body.Close() }() // everything readable has been read
	return answerOf(got)
}

// answerOf reads an answer. What the agent refuses it has not begun.
func answerOf(got *http.Response) (canon.Value, error) {
	raw, err := readAll(got.Body, mostAnswer)
	switch {
	case errors.Is(err, errLarge):
		return canon.Value{}, tooLarge()
	case err != nil:
		return canon.Value{}, fail(tool.OutcomeUnknown, tool.Unknown, "the answer of the agent breaks off")
	}
	result, err := a2a.ReadAnswer(raw)
	if f, ok := errors.AsType[*a2a.Fault](err); ok && got.StatusCode == http.StatusOK && f.Code != a2a.InternalError {
		return result, faultOf(f)
	}
	switch {
	case got.StatusCode >= http.StatusInternalServerError, got.StatusCode == http.StatusOK && err != nil, got.StatusCode > 200 && got.StatusCode < 400:
		return result, fail(tool.OutcomeUnknown, tool.Unknown, fmt.Sprintf("the agent answers %d, and nothing that can be read", got.StatusCode))
	case got.StatusCode != http.StatusOK:
		text := fmt.Sprintf("the agent answers %d", got.StatusCode)
		if f, ok := errors.AsType[*a2a.Fault](err); ok {
			text += ": " + f.Text
		}
		e := fail(refused, tool.Answered, text)
		e.Err = errStatus(got.StatusCode)
		return result, e
	}
	return result, nil
}

// errStatus is the status of HTTP that an agent refused with.
type errStatus int

// Error names it.
func (e errStatus) Error() string { return http.StatusText(int(e)) }

func faultOf(f *a2a.Fault) error {
	e := fail(refused, tool.Answered, fmt.Sprintf("the agent answers with the error %d: %s", f.Code, f.Text))
	e.Err = f
	return e
}

// isFault reports whether an agent answered with an error of a code.
func isFault(err error, codes ...a2a.Code) bool {
	f, ok := errors.AsType[*a2a.Fault](err)
	for _, code := range codes {
		if ok && f.Code == code {
			return true
		}
	}
	return false
}

// events reads a stream of events, until it ends, or heard says that it is enough.
func (a *agent) events(ctx context.Context, id string, heard func(a2a.Event) (enough bool)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	quiet := time.AfterFunc(mostQuiet, cancel)
	defer quiet.Stop()
	got, err := a.call(ctx, a2a.Subscribe, canon.Object(canon.Member{Name: "id", Value: canon.String(id)}), eventType)
	if err != nil {
		return err
	}
	defer func() { _ = got.Body.Close() }() // nobody reads on
	if media, _, _ := mime.ParseMediaType(got.Header.Get("Content-Type")); media != eventType || got.StatusCode != http.StatusOK {
		_, err := answerOf(got)
		if err == nil {
			err = fail(refused, tool.Answered, "the agent sends no stream of events")
		}
		return err
	}
	lines := bufio.NewScanner(got.Body)
	lines.Buffer(nil, mostAnswer)
	var data []byte
	for lines.Scan() {
		quiet.Reset(mostQuiet)
		line := lines.Bytes()
		if part, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			if len(data)+len(part) > mostAnswer {
				return tooLarge()
			}
			data = append(append(data, bytes.TrimPrefix(part, []byte(" "))...), '\n')
		}
		if len(line) > 0 || len(data) == 0 {
			continue
		}
		result, err := a2a.ReadAnswer(data)
		if f, ok := errors.AsType[*a2a.Fault](err); ok {
			return faultOf(f)
		}
		e, err := a2a.ReadEvent(a.at.Version, result)
		if err != nil {
			return err
		}
		if heard(e) {
			return nil
		}
		data = nil
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return tooLarge()
	}
	return lines.Err()
}
