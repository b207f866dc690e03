package peer

import (
	"errors"
	"net/http"
	"time"

	"github.com/satchel-memory/satchel/internal/httpkit"
	"github.com/satchel-memory/satchel/internal/replica"
)

// The bounds of a request's pack, in bytes. A small pack does not wait for a turn, so that slow
// senders of large packs do not delay it.
const (
	maxPack  = 12 << 20
	maxSmall = 256 << 10
)

// Receive reads the pack of a request within patience. It calls turn before it reads a large
// pack; the turn lasts until the caller calls leave, which is never nil. Receive fails with
// the errors of turn, with [replica.ErrTooLarge] and with a [*httpkit.BodyError].
func Receive(w http.ResponseWriter, r *http.Request, patience time.Duration, turn func() (leave func(), err error)) (pack []byte, leave func(), err error) {
	leave = func() {}
	if r.ContentLength > maxPack {
		return nil, leave, replica.ErrTooLarge
	}
	if r.ContentLength < 0 || r.ContentLength > maxSmall {
		if leave, err = turn(); err != nil {
			return nil, func() {}, err
		}
	}
	pack, err = httpkit.NewBody(r, maxPack).Within(patience, w, time.Now).Bytes()
	if errors.Is(err, httpkit.ErrTooLarge) {
		err = replica.ErrTooLarge
	}
	return pack, leave, err
}
