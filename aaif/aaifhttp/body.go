package aaifhttp

import (
	"errors"
	"net/http"

	"github.com/satchel-memory/satchel/internal/httpkit"
	"github.com/satchel-memory/satchel/memory"
)

// body reads a document up to a number of bytes.
func (h *Handler) body(w http.ResponseWriter, r *http.Request, most int64) ([]byte, error) {
	raw, err := h.limitedBody(w, r, most).Bytes()
	if err != nil {
		return nil, bodyError(err, most)
	}
	return raw, nil
}

// jsonBody returns a body in JSON, and the caller as the credentials say once the body is here.
func (h *Handler) jsonBody(w http.ResponseWriter, r *http.Request, c memory.Caller, most int64) ([]byte, memory.Caller, error) {
	if _, err := mediaOf(r, jsonType); err != nil {
		return nil, c, err
	}
	raw, err := h.body(w, r, most)
	if err != nil {
		return nil, c, err
	}
	c, err = h.recheckCaller(r, c)
	return raw, c, err
}

// limitedBody returns the body of a request, limited to a number of bytes.
func (h *Handler) limitedBody(w http.ResponseWriter, r *http.Request, most int64) *httpkit.Body {
	return httpkit.NewBody(r, most).Within(h.options.Patience, w, h.options.Now)
}

// bodyError says why a body could not be read.
func bodyError(err error, most int64) error {
	broken, ok := errors.AsType[*httpkit.BodyError](err)
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
