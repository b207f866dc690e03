package aimemhttp

import (
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/memory"
)

// leastRate is the fewest bytes a second of a body, apart from the first patience:
// who sends less is cut off, and holds up nobody's place.
const leastRate = 16 << 10

// receive copies the body of a request to a spool, within the limit, and returns
// its size. The time to send it grows with what arrives.
func (h *Handler) receive(w http.ResponseWriter, r *http.Request, to io.Writer) (int64, error) {
	if r.ContentLength > h.options.MaxBundle {
		return 0, tooLarge()
	}
	in := &incoming{body: r.Body, control: http.NewResponseController(w), now: h.options.Now, patience: h.options.Patience, began: h.options.Now()}
	size, err := io.Copy(struct{ io.Writer }{to}, io.LimitReader(in, h.options.MaxBundle+1))
	switch {
	case in.err != nil:
		return 0, &answer{status: http.StatusBadRequest, code: refusedCode, err: in.err, header: http.Header{"Connection": {"close"}},
			detail: "the body did not arrive whole and in time; send it again"}
	case err != nil:
		return 0, &memory.Error{Kind: memory.Internal, Op: "import", Message: "there is no room for the bundle here; the log says why", Err: err}
	case size > h.options.MaxBundle:
		return 0, tooLarge()
	}
	in.rest()
	return size, nil
}

func tooLarge() error {
	return &aimem.Fault{Code: aimem.BodyTooLarge, Rule: "AIMEM-3.2-1", Detail: "the bundle is larger than this server takes; its limits are in " + specPath}
}

// incoming is a body on its way. Its reader has so much time for each piece, and
// for all of it so much more as has arrived.
type incoming struct {
	body     io.Reader
	control  *http.ResponseController
	now      func() time.Time
	patience time.Duration
	began    time.Time
	bytes    int64
	err      error // that ended it, but its end
}

// Read reads a piece of the body.
func (i *incoming) Read(p []byte) (int, error) {
	if now := i.now(); !now.IsZero() {
		piece := now.Add(i.patience)
		all := i.began.Add(i.patience + time.Duration(i.bytes/leastRate)*time.Second)
		if all.Before(piece) {
			piece = all
		}
		_ = i.control.SetReadDeadline(piece) // a reader without deadlines, as in tests, has none
	}
	n, err := i.body.Read(p)
	i.bytes += int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		i.err = err
	}
	return n, err
}

// rest ends the deadline: what is left of the request takes as long as it takes.
func (i *incoming) rest() { _ = i.control.SetReadDeadline(time.Time{}) }
