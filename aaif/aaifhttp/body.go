package aaifhttp

import (
	"errors"
	"net/http"

	"github.com/satchel-memory/satchel/internal/httpkit"
	"github.com/satchel-memory/satchel/memory"
)

// body reads a document of at most so many bytes.
func (h *Handler) body(w http.ResponseWriter, r *http.Request, most int64) ([]byte, error) {
	raw, err := h.arriving(w, r, most).Bytes()
	if err != nil {
		return nil, notWhole(err, most)
	}
	return raw, nil
}

// arriving returns the body of a request, of at most so many bytes.
func (h *Handler) arriving(w http.ResponseWriter, r *http.Request, most int64) *httpkit.Body {
	return httpkit.NewBody(r, most).Within(h.options.Patience, w, h.options.Now)
}

// notWhole says why a body is not there.
func notWhole(err error, most int64) error {
	broken, ok := errors.AsType[*httpkit.Broken](err)
	switch {
	case errors.Is(err, httpkit.ErrTooLarge):
		return tooLarge(most)
	case !ok:
		return &memory.Error{Kind: memory.Internal, Op: "receive", Err: err}
	}
	refusal := &answer{status: http.StatusBadRequest, code: cutOff, err: broken, header: http.Header{"Connection": {"close"}},
		detail: "the body did not arrive whole; nothing of it was kept"}
	if broken.Late {
		refusal.status, refusal.code, refusal.detail = http.StatusRequestTimeout, timeOut, "the body came too slowly; nothing of it was kept"
	}
	return refusal
}
