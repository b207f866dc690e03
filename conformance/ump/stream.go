package umpsuite

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/conformance"
	"github.com/satchel-memory/satchel/memory"
)

// event is one server-sent event.
type event struct {
	id, name string
	data     canon.Value
	raw      string // of data
}

// about returns the record an event is about.
func (e event) about() memory.ID { return memory.ID(e.data.Get("id").Text()) }

// stream is an open subscription.
type stream struct {
	header http.Header
	first  string // the first line
	events chan event
	beat   chan struct{} // a comment arrived after the first line
	ended  chan struct{}
	leave  context.CancelFunc
}

// follow subscribes. It continues after the event last; "" means from now. If the server
// throttles the request, follow waits as told and repeats it.
func follow(r *run, token, query, last string) (*stream, error) {
	r.used["subscribe"] = true
	var s *stream
	var err error
	throttled := conformance.Patiently(r.ctx, r.Now, func() (int, http.Header) {
		s, err = r.open(token, query, last)
		if e, refused := errors.AsType[*refusal](err); refused {
			return e.status, e.header
		}
		return 0, nil
	})
	return s, first(throttled, err)
}

// open works as follow without repeating.
func (r *run) open(token, query, last string) (*stream, error) {
	ctx, leave := context.WithCancel(r.ctx)
	late := time.AfterFunc(answerTime, leave)
	s, err := listen(ctx, r, token, query, last)
	if !late.Stop() {
		err = fmt.Errorf("GET /ump/subscribe did not begin to answer within %v", answerTime)
	}
	if err != nil {
		leave()
		return nil, err
	}
	s.leave = leave
	return s, nil
}

// listen returns a stream once its first line has arrived. It reads the stream until ctx
// ends.
func listen(ctx context.Context, r *run, token, query, last string) (*stream, error) {
	header := []string{"Accept: text/event-stream"}
	if last != "" {
		header = append(header, "Last-Event-ID: "+last)
	}
	got, err := r.client.Open(ctx, request(token, http.MethodGet, "/ump/subscribe"+query, nil, header...))
	if err != nil {
		return nil, err
	}
	if got.StatusCode != http.StatusOK {
		return nil, refusedStream(got)
	}
	s := &stream{header: got.Header, events: make(chan event, 64), beat: make(chan struct{}, 1), ended: make(chan struct{})}
	lines := bufio.NewScanner(got.Body)
	lines.Buffer(nil, 1<<20)
	if lines.Scan() {
		s.first = lines.Text()
	}
	go s.read(lines, got.Body)
	return s, nil
}

// refusal is the answer of a server that opens no stream.
type refusal struct {
	status int
	code   memory.ErrorKind
	header http.Header
}

// Error returns the answer.
func (e *refusal) Error() string {
	return fmt.Sprintf("GET /ump/subscribe answered %d %s", e.status, e.code)
}

func refusedStream(got *http.Response) error {
	defer func() { _ = got.Body.Close() }() // the body is not needed further
	body, _ := io.ReadAll(io.LimitReader(got.Body, 1<<16))
	v, _ := canon.Parse(body, canon.Options{})
	return &refusal{got.StatusCode, memory.ErrorKind(v.Get("error").Get("code").Text()), got.Header}
}

// read turns lines into events until the stream ends.
func (s *stream) read(lines *bufio.Scanner, body io.Closer) {
	defer close(s.ended)
	defer func() { _ = body.Close() }() // the stream has ended
	var e event
	for lines.Scan() {
		line := lines.Text()
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "" && e.raw != "":
			e.data, _ = canon.Parse([]byte(e.raw), canon.Options{Bytes: 1 << 20, Inexact: true})
			select {
			case s.events <- e:
			default: // no row asks for more
			}
			e = event{}
		case line != "" && name == "": // a comment
			select {
			case s.beat <- struct{}{}:
			default:
			}
		case name == "id":
			e.id = value
		case name == "event":
			e.name = value
		case name == "data":
			e.raw += value
		}
	}
}

// next returns the next event.
func (r *run) next(s *stream) (event, error) {
	ctx, done := context.WithTimeout(r.ctx, r.Patience)
	defer done()
	select {
	case e := <-s.events:
		return e, nil
	case <-s.ended:
		return event{}, errors.New("the stream ended")
	case <-ctx.Done():
		return event{}, fmt.Errorf("no event came within %v", r.Patience)
	}
}

// number returns the sequence number of an event, or -1.
func (e event) number() int64 {
	n, err := strconv.ParseInt(e.id, 10, 64)
	if err != nil {
		return -1
	}
	return n
}
