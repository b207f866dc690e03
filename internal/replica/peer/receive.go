package peer

import (
	"errors"
	"net/http"
	"time"

	"github.com/satchel-memory/satchel/internal/httpkit"
	"github.com/satchel-memory/satchel/internal/replica"
)

// The bounds of a pack that arrives, in bytes. A small one is read at once, so that slow
// senders of large ones do not delay it.
const (
	maxPack  = 12 << 20
	maxSmall = 256 << 10
)

// Receive reads the pack of a request. A large one waits for a turn, which lasts until leave
// is called. The errors are those of turn, [replica.ErrTooLarge] and a [*httpkit.BodyError].
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
