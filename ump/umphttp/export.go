package umphttp

import (
	"net/http"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// export streams all that may leave as one UMP document (decision UD-24).
//
// Nothing can be taken back once it is sent. An export that breaks off
// therefore ends without its last chunk, which every HTTP client reports as an
// error; a client of HTTP/1.0 could not tell and is refused.
//
// The backend sees one state of the memory for as long as the client reads, and
// may hold a snapshot that long. What bounds it is the server's time to write: a
// client that takes no piece of the answer within it is cut off.
func (h *Handler) export(w http.ResponseWriter, r *http.Request, c memory.Caller) error {
	if c.Role < memory.Owner {
		return &memory.Error{Kind: memory.ForbiddenScope, Op: "export", Message: "only the owner exports"}
	}
	if !r.ProtoAtLeast(1, 1) {
		return &memory.Error{Kind: memory.Unsupported, Op: "export", Message: "an export needs HTTP/1.1 or newer"}
	}
	lines, err := wantLines(r)
	if err != nil {
		return err
	}
	announce(w.Header(), lines)
	if r.Method == http.MethodHead {
		return nil
	}
	out := &outgoing{ResponseWriter: w}
	if err := h.write(r, c, out, lines); err != nil {
		if !out.begun {
			unannounce(w.Header())
			return err
		}
		h.options.Report(r, err)
		panic(http.ErrAbortHandler)
	}
	return nil
}

// wantLines reports whether the request asks for one record per line.
func wantLines(r *http.Request) (bool, error) {
	switch r.URL.Query().Get("format") {
	case "", "json":
		return false, nil
	case "ndjson":
		return true, nil
	}
	return false, &memory.Error{Kind: memory.InvalidRecord, Op: "export", Message: "format is json or ndjson"}
}

func (h *Handler) write(r *http.Request, c memory.Caller, out http.ResponseWriter, lines bool) error {
	document, err := ump.Format().Create(out, codec.Options{NDJSON: lines})
	if err != nil {
		return err
	}
	if err := h.backend.Export(r.Context(), c, document.Write); err != nil {
		return err
	}
	return document.Close()
}

func announce(header http.Header, lines bool) {
	media, name := "application/json", "memories.ump.json"
	if lines {
		media, name = "application/x-ndjson", "memories.ump.ndjson"
	}
	header.Set("Content-Type", media)
	header.Set("Content-Disposition", `attachment; filename="`+name+`"`)
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
}

func unannounce(header http.Header) { header.Del("Content-Disposition") }

// outgoing remembers whether anything has been sent.
type outgoing struct {
	http.ResponseWriter
	begun bool
}

// Write sends p.
func (o *outgoing) Write(p []byte) (int, error) {
	o.begun = o.begun || len(p) > 0
	return o.ResponseWriter.Write(p)
}
