package umphttp

import (
	"context"
	"net/http"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// publicTime is how long one reading of a public document may take. Nobody
// stands behind it, and while it lasts the store may have to keep what the owner
// has erased.
const publicTime = 2 * time.Minute

// publicDocuments are where the public memories can be had, relative to the
// manifest.
func publicDocuments() []Export {
	return []Export{
		{URL: "ump/public.ump.json", Format: "ump.json"},
		{URL: "ump/public.ndjson", Format: "ndjson"},
	}
}

// document returns the form of the public document at a path.
func (h *Handler) document(path string) (document, bool) {
	if h.options.Public == nil {
		return document{}, false
	}
	for _, e := range publicDocuments() {
		if path == "/.well-known/"+e.URL {
			return document{lines: e.Format == "ndjson"}, true
		}
	}
	return document{}, false
}

// public serves the public memories to everybody (UMP 4.3, decision UD-29).
func (h *Handler) public(d document) func(http.ResponseWriter, *http.Request, memory.Caller) error {
	return func(w http.ResponseWriter, r *http.Request, _ memory.Caller) error {
		ctx, done := context.WithTimeout(r.Context(), publicTime)
		defer done()
		return h.send(w, r.WithContext(ctx), d, h.options.Public)
	}
}

// exports are all the documents that the manifest names.
func (h *Handler) exports() []Export {
	if h.options.Public == nil {
		return h.options.Exports
	}
	return append(publicDocuments(), h.options.Exports...)
}
