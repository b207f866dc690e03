package httpkit

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"time"
)

// Patience is how long bindings wait for a piece of a body by default.
const Patience = 30 * time.Second

// leastRate is the fewest bytes per second that a sender must send, apart from the first
// patience. A slower sender is cut off, so that it blocks nobody.
const leastRate = 16 << 10

// ErrTooLarge is the error of a body that exceeds the limit.
var ErrTooLarge = errors.New("the body is larger than is taken here")

// BodyError is the error of a body that did not arrive completely.
type BodyError struct {
	Late bool // it arrived too slowly
	Err  error
}

// Error says so.
func (b *BodyError) Error() string { return "the body did not arrive whole: " + b.Err.Error() }

// Unwrap returns the cause.
func (b *BodyError) Unwrap() error { return b.Err }

// Body is the body of a request while it arrives. It is for one goroutine.
type Body struct {
	in     io.Reader
	said   int64 // the length that its header says
	most   int64
	bytes  int64
	broken *BodyError
	pace   pace
}

// pace is the deadline of the next piece.
type pace struct {
	control  *http.ResponseController // nil: no deadline
	now      func() time.Time
	patience time.Duration
	began    time.Time
	set      time.Time // when the deadline was set
	counted  int64     // the bytes that it allows for
}

// NewBody returns the body of a request with a limit of most bytes. One more byte can be
// read, which shows that the body is larger.
func NewBody(r *http.Request, most int64) *Body {
	return &Body{in: io.LimitReader(r.Body, most+1), said: r.ContentLength, most: most}
}

// Within gives the sender patience time for each piece, and more for the whole in
// proportion to the bytes that have arrived. While now is the zero time there are no
// deadlines but the server's own.
func (b *Body) Within(patience time.Duration, w http.ResponseWriter, now func() time.Time) *Body {
	b.pace = pace{control: http.NewResponseController(w), now: now, patience: patience, began: now()}
	return b
}

// Read reads a piece of the body.
func (b *Body) Read(p []byte) (int, error) {
	b.pace.next(b.bytes)
	n, err := b.in.Read(p)
	b.bytes += int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		late, ok := errors.AsType[net.Error](err)
		b.broken = &BodyError{Late: ok && late.Timeout(), Err: err}
	}
	return n, err
}

// next sets the deadline of the next piece, unless it was set a moment ago: streams may
// come byte by byte.
func (p *pace) next(bytes int64) {
	if p.control == nil {
		return
	}
	now, moment := p.now(), p.patience/64
	if now.IsZero() || now.Sub(p.set) < moment && bytes-p.counted < leastRate {
		return
	}
	p.set, p.counted = now, bytes
	until := now.Add(p.patience)
	if all := p.began.Add(p.patience + time.Duration(bytes/leastRate)*time.Second); all.Before(until) {
		until = all
	}
	_ = p.control.SetReadDeadline(until.Add(moment)) // a reader in a test has no deadlines
}

// Broken returns a [*BodyError] if the body broke off, nil otherwise.
func (b *Body) Broken() error {
	if b.broken == nil {
		return nil
	}
	return b.broken
}

// Rest ends the deadline of a complete body: the rest of the request may take its time. A
// body that broke off keeps it, so that nobody waits for the rest.
func (b *Body) Rest() {
	if !b.pace.set.IsZero() {
		_ = b.pace.control.SetReadDeadline(time.Time{})
	}
}

// CopyTo copies the whole body and returns its size. The errors are [ErrTooLarge], a
// [*BodyError], and those of to.
func (b *Body) CopyTo(to io.Writer) (int64, error) {
	if b.said > b.most {
		return 0, ErrTooLarge
	}
	size, err := io.Copy(to, b)
	switch {
	case b.broken != nil:
		return 0, b.broken
	case err != nil:
		return 0, err
	case size > b.most:
		return 0, ErrTooLarge
	}
	b.Rest()
	return size, nil
}

// Bytes reads the whole body. The errors are [ErrTooLarge] and a [*BodyError].
func (b *Body) Bytes() ([]byte, error) {
	var all bytes.Buffer
	_, err := b.CopyTo(&all)
	return all.Bytes(), err
}
