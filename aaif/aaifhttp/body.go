package aaifhttp

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// leastRate is the fewest bytes a second of a body, apart from the first patience: who
// sends less is cut off, and holds up nobody's place.
const leastRate = 16 << 10

// body reads a document of at most so many bytes.
func (h *Handler) body(w http.ResponseWriter, r *http.Request, most int64) ([]byte, error) {
	if r.ContentLength > most {
		return nil, tooLarge(most)
	}
	in := h.arriving(w, r, most+1)
	var b bytes.Buffer
	_, err := b.ReadFrom(in)
	switch {
	case in.err != nil:
		return nil, in.broken()
	case err != nil:
		return nil, &memory.Error{Kind: memory.Internal, Op: "receive", Err: err}
	case int64(b.Len()) > most:
		return nil, tooLarge(most)
	}
	in.rest()
	return b.Bytes(), nil
}

// arriving is a body on its way. Its sender has so much time for each piece, and for
// all of it so much more as has arrived.
type arriving struct {
	body     io.Reader
	control  *http.ResponseController
	now      func() time.Time
	patience time.Duration
	began    time.Time
	set      time.Time // the deadline was set
	bytes    int64
	err      error // that ended it, but its end
}

// arriving returns at most so many bytes of a request's body.
func (h *Handler) arriving(w http.ResponseWriter, r *http.Request, most int64) *arriving {
	return &arriving{body: io.LimitReader(r.Body, most), control: http.NewResponseController(w), now: h.options.Now,
		patience: h.options.Patience, began: h.options.Now()}
}

// Read reads a piece of the body.
func (a *arriving) Read(p []byte) (int, error) {
	if now := a.now(); !now.IsZero() && now.Sub(a.set) >= a.patience/8 { // streams begin byte by byte
		a.set = now
		piece := now.Add(a.patience)
		all := a.began.Add(a.patience + time.Duration(a.bytes/leastRate)*time.Second)
		if all.Before(piece) {
			piece = all
		}
		_ = a.control.SetReadDeadline(piece) // a reader without deadlines, as in tests, has none
	}
	n, err := a.body.Read(p)
	a.bytes += int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		a.err = err
	}
	return n, err
}

// rest ends the deadline: what is left of the request takes as long as it takes.
func (a *arriving) rest() { _ = a.control.SetReadDeadline(time.Time{}) }

// broken says how a body broke off.
func (a *arriving) broken() error {
	a.rest()
	broken := &answer{status: http.StatusBadRequest, code: cutOff, err: a.err, header: http.Header{"Connection": {"close"}},
		detail: "the body did not arrive whole; nothing of it was kept"}
	if late, ok := errors.AsType[net.Error](a.err); ok && late.Timeout() {
		broken.status, broken.code, broken.detail = http.StatusRequestTimeout, timeOut, "the body came too slowly; nothing of it was kept"
	}
	return broken
}
