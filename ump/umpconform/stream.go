package umpconform

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/satchel-memory/satchel/canon"
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

// stream is a subscription that is being read.
type stream struct {
	header http.Header
	first  string // line
	events chan event
	ended  chan struct{}
	leave  context.CancelFunc
}

// follow subscribes. last is the event to go on from, "" for none.
func (r *run) follow(token, query, last string) (*stream, error) {
	r.used["subscribe"] = true
	ctx, leave := context.WithCancel(r.ctx)
	header := []string{"Accept: text/event-stream"}
	if last != "" {
		header = append(header, "Last-Event-ID: "+last)
	}
	request, err := r.request(ctx, token, http.MethodGet, "/ump/subscribe"+query, nil, header...)
	if err != nil {
		leave()
		return nil, err
	}
	limit, done := context.WithTimeout(ctx, answerTime)
	defer done()
	begun := context.AfterFunc(limit, leave)
	got, err := r.Client.Do(request)
	if !begun() || err != nil {
		leave()
		return nil, first(err, fmt.Errorf("GET /ump/subscribe did not begin to answer within %v", answerTime))
	}
	if got.StatusCode != http.StatusOK {
		defer leave()
		return nil, refusedStream(got)
	}
	s := &stream{header: got.Header, events: make(chan event, 64), ended: make(chan struct{}), leave: leave}
	lines := bufio.NewScanner(got.Body)
	lines.Buffer(nil, 1<<20)
	opened := make(chan struct{})
	go func() {
		if lines.Scan() {
			s.first = lines.Text()
		}
		close(opened)
		s.read(lines, got.Body)
	}()
	select {
	case <-opened:
	case <-limit.Done():
		leave()
		return nil, errors.New("a stream has no first line")
	}
	return s, nil
}

// refusal is the answer of a server that does not stream.
type refusal struct {
	status int
	code   memory.ErrorKind
}

// Error says what was answered.
func (e *refusal) Error() string {
	return fmt.Sprintf("GET /ump/subscribe answered %d %s", e.status, e.code)
}

func refusedStream(got *http.Response) error {
	defer got.Body.Close() //nolint:errcheck // nothing more is wanted of it
	body, _ := io.ReadAll(io.LimitReader(got.Body, 1<<16))
	v, _ := canon.Parse(body, canon.Options{})
	return &refusal{got.StatusCode, memory.ErrorKind(v.Get("error").Get("code").Text())}
}

// read turns lines into events until the stream ends.
func (s *stream) read(lines *bufio.Scanner, body io.Closer) {
	defer close(s.ended)
	defer body.Close() //nolint:errcheck // the stream is over
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
			default: // more than any row asks for
			}
			e = event{}
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

// number returns the sequence number of an event, -1 for none.
func (e event) number() int64 {
	n, err := strconv.ParseInt(e.id, 10, 64)
	if err != nil {
		return -1
	}
	return n
}
