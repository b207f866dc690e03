package umphttp

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/satchel-memory/satchel/memory"
)

// maxKey is the most bytes of an Idempotency-Key.
const maxKey = 255

// idempotencyKey returns the Idempotency-Key of a request, or "" if it has none.
func idempotencyKey(r *http.Request) (string, error) {
	keys := r.Header.Values("Idempotency-Key")
	switch {
	case len(keys) == 0:
		return "", nil
	case len(keys) > 1:
		return "", &memory.Error{Kind: memory.InvalidRecord, Message: "send one Idempotency-Key, not several"}
	case keys[0] == "" || len(keys[0]) > maxKey:
		return "", &memory.Error{Kind: memory.InvalidRecord, Message: "an Idempotency-Key has 1 to 255 bytes"}
	}
	return keys[0], nil
}

// body reads the request's body within its limit. ump.Dispatch checks that it is JSON,
// and its depth.
func (h *Handler) body(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if err := wantJSON(r); err != nil {
		return nil, err
	}
	if r.ContentLength > h.options.MaxBody {
		return nil, tooLarge()
	}
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, h.options.MaxBody))
	if _, over := errors.AsType[*http.MaxBytesError](err); over {
		return nil, tooLarge()
	}
	if err != nil {
		return nil, &memory.Error{Kind: memory.InvalidRecord, Message: "the body did not arrive whole; send it again", Err: err}
	}
	return data, nil
}

// wantJSON refuses a body with another Content-Type than JSON. It accepts a body
// without one.
func wantJSON(r *http.Request) error {
	if coding := r.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return notJSON("send the body without Content-Encoding")
	}
	said := r.Header.Get("Content-Type")
	if said == "" {
		return nil
	}
	media, _, err := mime.ParseMediaType(said)
	if err != nil || (media != "application/json" && !strings.HasSuffix(media, "+json")) {
		return notJSON("send the body as application/json")
	}
	return nil
}

func notJSON(what string) error {
	return &statusError{http.StatusUnsupportedMediaType, nil, &memory.Error{Kind: memory.Unsupported, Message: what}}
}

func tooLarge() error {
	return &statusError{http.StatusRequestEntityTooLarge, http.Header{"Connection": {"close"}}, &memory.Error{Kind: memory.InvalidRecord, Message: "the body is too large; send fewer or smaller records"}}
}
