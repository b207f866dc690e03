package conformance

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/canon"
)

// Client sends requests to the tested server.
type Client struct {
	HTTP      *http.Client
	Base      string // address of the server, as [Base] returns it
	Now       func() time.Time
	MaxAnswer int64         // bytes read of an answer
	Timeout   time.Duration // for one answer
	Code      []string      // the path of members to an error's code
}

// Request is a request to the tested server.
type Request struct {
	Method, Path string // the path may have a query
	Name         string // for messages; empty: method and path
	Token        string // bearer token; empty: none is sent
	Type         string // Content-Type; empty: none is sent
	Body         []byte
	Stream       func() io.Reader // opens the body; replaces Body
	Length       int64            // of the stream; 0: unknown
	Header       http.Header      // replaces the headers above; a name without values removes one
}

// Headers reads lines such as "Accept: text/html". A line without a value removes a header.
func Headers(lines ...string) http.Header {
	h := http.Header{}
	for _, line := range lines {
		name, value, _ := strings.Cut(line, ": ")
		if name = http.CanonicalHeaderKey(name); value == "" {
			h[name] = nil
			continue
		}
		h.Add(name, value)
	}
	return h
}

// Answer is the answer to a request. Err is set if no answer arrived, or only half of one.
type Answer struct {
	Asked  string // the name of the request
	Status int
	Header http.Header
	Body   []byte
	Value  canon.Value // of the body; undefined unless the body is strict JSON
	Code   string      // of an error; empty for none
	Err    error
}

// Send sends a request, and repeats it as [Patiently] does. A non-nil look sees every
// answer, including those that throttle the request.
func (c *Client) Send(ctx context.Context, q Request, look func(Answer)) Answer {
	var a Answer
	err := Patiently(ctx, c.Now, func() (int, http.Header) {
		if a = c.Once(ctx, q); look != nil {
			look(a)
		}
		return a.Status, a.Header
	})
	if err != nil {
		return Answer{Asked: a.Asked, Err: fmt.Errorf("%s: %w", a.Asked, err)}
	}
	return a
}

// Once sends a request once. It may be called concurrently.
func (c *Client) Once(ctx context.Context, q Request) Answer {
	ctx, done := context.WithTimeout(ctx, c.Timeout)
	defer done()
	a := Answer{Asked: q.Name}
	if a.Asked == "" {
		a.Asked = q.Method + " " + q.Path
	}
	got, err := c.Open(ctx, q)
	if err != nil {
		a.Err = err
		return a
	}
	a.Status, a.Header = got.StatusCode, got.Header
	if a.Body, err = Body(got, c.MaxAnswer); err != nil {
		a.Err = fmt.Errorf("%s: %w", a.Asked, err)
		return a
	}
	a.Value, _ = canon.Parse(a.Body, canon.Options{Bytes: c.MaxAnswer, Inexact: true})
	code := a.Value
	for _, name := range c.Code {
		code = code.Get(name)
	}
	a.Code = code.Text()
	return a
}

// Open sends a request and returns the answer once it begins. The caller closes its body.
func (c *Client) Open(ctx context.Context, q Request) (*http.Response, error) {
	var body io.Reader = bytes.NewReader(q.Body)
	if q.Stream != nil {
		body = q.Stream()
	}
	request, err := http.NewRequestWithContext(ctx, q.Method, c.Base+q.Path, body)
	if err != nil {
		return nil, err
	}
	if q.Stream != nil && q.Length > 0 {
		request.ContentLength = q.Length
	}
	if q.Token != "" {
		request.Header.Set("Authorization", "Bearer "+q.Token)
	}
	if q.Type != "" {
		request.Header.Set("Content-Type", q.Type)
	}
	maps.Copy(request.Header, q.Header)
	return c.HTTP.Do(request)
}

// maxCode is the most bytes of an error's code that a message repeats.
const maxCode = 80

// Said describes an answer in a few words.
func (a Answer) Said() string {
	switch {
	case a.Err != nil:
		return a.Err.Error()
	case a.Code != "":
		return fmt.Sprintf("%d %s", a.Status, a.Code[:min(len(a.Code), maxCode)])
	}
	return strconv.Itoa(a.Status)
}

// Is is nil for an answer with one of the statuses.
func (a Answer) Is(statuses ...int) error {
	if a.Err != nil {
		return a.Err
	}
	var words []string
	for _, s := range statuses {
		if a.Status == s {
			return nil
		}
		words = append(words, strconv.Itoa(s))
	}
	return fmt.Errorf("%s answered %s, not %s", a.Asked, a.Said(), strings.Join(words, " or "))
}

// Object returns the value of an answer with status 200.
func (a Answer) Object() (canon.Value, error) {
	if err := a.Is(http.StatusOK); err != nil {
		return canon.Value{}, err
	}
	if a.Value.Type() != canon.TypeObject {
		return canon.Value{}, fmt.Errorf("%s answered with what is no JSON object", a.Asked)
	}
	return a.Value, nil
}

// maxWait is the longest wait before a throttled request is repeated.
const maxWait = 20 * time.Second

// RetryAfter returns the wait that an answer demands, in seconds or until a date. Without a
// demand it is one second; it is never longer than 20 seconds.
func RetryAfter(h http.Header, now time.Time) time.Duration {
	said := h.Get("Retry-After")
	wait := time.Second
	if seconds, err := strconv.ParseUint(said, 10, 31); err == nil {
		wait = time.Duration(seconds) * time.Second
	} else if at, err := http.ParseTime(said); err == nil {
		wait = max(at.Sub(now), 0)
	}
	return min(wait, maxWait)
}

// maxRetries is the most times a request is sent.
const maxRetries = 8

// Patiently calls once to send a request; once returns status and headers of the answer.
// While the server throttles the request, Patiently waits as told, at least a second, and
// repeats it. It fails if the server throttles every attempt.
func Patiently(ctx context.Context, now func() time.Time, once func() (int, http.Header)) error {
	for range maxRetries {
		status, header := once()
		if status != http.StatusTooManyRequests {
			return nil
		}
		Pause(ctx, max(RetryAfter(header, now()), time.Second))
	}
	return errors.New("the server throttles again and again")
}

// Body reads a whole answer, at most the given number of bytes, and closes it.
func Body(got *http.Response, most int64) ([]byte, error) {
	defer func() { _ = got.Body.Close() }() // the read bytes are enough
	body, err := io.ReadAll(io.LimitReader(got.Body, most))
	if err != nil {
		return body, fmt.Errorf("the answer breaks off: %w", err)
	}
	return body, nil
}
