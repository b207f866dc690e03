package umphttp

import (
	"context"
	"net/http"
	"time"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// publicTime is the longest time for one read of a public document. The reader is
// anonymous, and during the read the store may have to keep records that the owner
// erased.
const publicTime = 2 * time.Minute

// PublicDocuments returns the addresses of the public memories, relative to the
// manifest.
func PublicDocuments() []Export {
	return []Export{
		{URL: "ump/public.ump.json", Format: "ump.json"},
		{URL: "ump/public.ndjson", Format: "ndjson"},
	}
}

// public serves the public memories to everybody (UMP 4.3, decision UD-29).
func public(d document) func(*Handler, http.ResponseWriter, *http.Request, memory.Caller) error {
	return func(h *Handler, w http.ResponseWriter, r *http.Request, _ memory.Caller) error {
		ctx, done := context.WithTimeout(r.Context(), publicTime)
		defer done()
		r = r.WithContext(ctx)
		if r.Method == http.MethodHead {
			return h.send(w, r, d, h.published)
		}
		e, err := h.edition(ctx, d)
		if err != nil {
			return err
		}
		if e != nil {
			defer h.editions.release(e)
		}
		if e != nil && !e.large {
			return h.sendEdition(w, r, d, e)
		}
		return h.read(w, r, d)
	}
}

// read serves a public document from the store, to one reader.
func (h *Handler) read(w http.ResponseWriter, r *http.Request, d document) error {
	leave, ok := h.options.Slots(r)
	if !ok {
		return busyError("others are reading this; wait as long as Retry-After says")
	}
	defer leave()
	return h.send(w, r, d, h.published)
}

// published yields the public records. It reports no losses.
func (h *Handler) published(ctx context.Context, yield func(memory.Record) error) ([]codec.Loss, error) {
	return nil, h.options.Public(ctx, yield)
}

// busyError is the error for a request that has no slot or no turn.
func busyError(message string) error {
	return &statusError{http.StatusTooManyRequests, http.Header{"Retry-After": {"5"}},
		&memory.Error{Kind: memory.RateLimited, Rule: "UMP-3.7-5", Message: message}}
}

// exports returns all documents that the manifest names.
func (h *Handler) exports() []Export {
	if h.options.Public == nil {
		return h.options.Exports
	}
	return append(PublicDocuments(), h.options.Exports...)
}
