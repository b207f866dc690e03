package pages

import (
	"io"
	"net/http"
)

// download is a file that a browser saves. Its head is sent with its first byte.
type download struct {
	http.ResponseWriter
	kind, file string
	begun      bool
}

// Write sends a piece of the file.
func (d *download) Write(p []byte) (int, error) {
	if !d.begun {
		d.begun = true
		d.Header().Set("Content-Type", d.kind)
		d.Header().Set("Content-Disposition", `attachment; filename="`+d.file+`"`)
	}
	return d.ResponseWriter.Write(p)
}

// send sends a file of a media type that write makes. A file that fails after its first byte
// is cut off, so that nobody takes a part for the whole. It reports whether anything was sent.
func (h *Handler) send(w http.ResponseWriter, r *http.Request, v visitor, kind, file string, write func(io.Writer) error) bool {
	out := &download{ResponseWriter: w, kind: kind, file: file}
	err := write(out)
	switch {
	case err != nil && !out.begun:
		h.fail(w, r, v, err)
		return true
	case err != nil:
		h.options.Report(r, err)
		panic(http.ErrAbortHandler)
	}
	return out.begun
}
