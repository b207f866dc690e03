package aimemhttp

import (
	"errors"
	"io"
	"net/http"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/internal/httpkit"
	"github.com/satchel-memory/satchel/memory"
)

// receive copies the body of a request to a spool, within the limit, and returns its
// size. The time to send it grows with what arrives.
func (h *Handler) receive(w http.ResponseWriter, r *http.Request, to io.Writer) (int64, error) {
	size, err := httpkit.NewBody(r, h.options.MaxBundle).Within(h.options.Patience, w, h.options.Now).CopyTo(to)
	_, broken := errors.AsType[*httpkit.BodyError](err)
	switch {
	case err == nil:
		return size, nil
	case errors.Is(err, httpkit.ErrTooLarge):
		return 0, &aimem.Fault{Code: aimem.BodyTooLarge, Rule: "AIMEM-3.2-1", Detail: "the bundle is larger than this server takes; its limits are in " + specPath}
	case broken:
		return 0, &statusError{status: http.StatusBadRequest, code: refusedCode, err: err, header: http.Header{"Connection": {"close"}},
			detail: "the body did not arrive whole and in time; send it again"}
	}
	return 0, &memory.Error{Kind: memory.Internal, Op: "import", Message: "there is no room for the bundle here; the log says why", Err: err}
}
