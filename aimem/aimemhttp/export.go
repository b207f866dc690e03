package aimemhttp

import (
	"context"
	"net/http"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/memory"
)

// form is one of the two forms of an export.
type form struct {
	media, file string
	lines       bool
}

func documentForm() form { return form{media: aimem.MediaType, file: "brain.aimem.json"} }

func streamForm() form {
	return form{media: aimem.StreamMediaType, file: "brain.aimem.ndjson", lines: true}
}

// export sends the exportable part of the caller's brain (section 3.1).
func export(f form) func(*Handler, http.ResponseWriter, *http.Request, memory.Caller) error {
	return func(h *Handler, w http.ResponseWriter, r *http.Request, c memory.Caller) error {
		if err := h.permit(r, c, memory.ExportVerb, "AIMEM-3.1-4"); err != nil {
			return err
		}
		q, err := exportQuery(r)
		if err != nil {
			return err
		}
		if !r.ProtoAtLeast(1, 1) { // a client of HTTP/1.0 cannot notice an incomplete export
			return &statusError{status: http.StatusHTTPVersionNotSupported, code: notOffered, detail: "an export needs HTTP/1.1 or newer"}
		}
		leave, ok := h.options.Exporting(r.Context(), c.Owner)
		if !ok {
			return busyError("other exports are under way; wait as long as Retry-After says")
		}
		defer leave()
		return h.whileValid(r, c, func(ctx context.Context) error { return h.send(ctx, w, r, f, c, q) })
	}
}

// send writes the export. An export that fails after its first byte ends without its last
// chunk, which every client reports as an error, and its checksum does not match (decision
// AD-21).
func (h *Handler) send(ctx context.Context, w http.ResponseWriter, r *http.Request, f form, c memory.Caller, q aimem.Export) error {
	out := &sentTracker{ResponseWriter: w, ctx: ctx}
	err := h.backend.ExportBrain(ctx, c, q, func(b aimem.Brain, _ aimem.ExportReport) error {
		if r.Method == http.MethodHead {
			f.announce(w.Header())
			return nil
		}
		return h.write(out, f, b)
	})
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if !out.sent {
		return err
	}
	h.options.Report(r, err)
	panic(http.ErrAbortHandler)
}

// write writes the headers and the bundle. It computes the checksum, and the signature if
// exports are signed, before the first byte.
func (h *Handler) write(out *sentTracker, f form, b aimem.Brain) error {
	sum, size, err := aimem.Measure(b)
	if err != nil {
		return err
	}
	if h.options.Sign != nil {
		signature, err := h.options.Sign(aimem.PayloadOf(b, size))
		if err != nil {
			return err
		}
		out.Header().Set(aimem.SignatureHeader, aimem.FormatHeader(signature))
	}
	f.announce(out.Header())
	if f.lines {
		return aimem.WriteStream(out, b, sum)
	}
	return aimem.Write(out, b, sum)
}

func (f form) announce(header http.Header) {
	header.Set("Content-Type", f.media)
	header.Set("Content-Disposition", `attachment; filename="`+f.file+`"`)
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
}

// sentTracker notes whether any byte was sent, and sends nothing after ctx ends.
type sentTracker struct {
	http.ResponseWriter
	ctx  context.Context
	sent bool
}

// Write sends p.
func (o *sentTracker) Write(p []byte) (int, error) {
	if err := context.Cause(o.ctx); err != nil {
		return 0, err
	}
	o.sent = o.sent || len(p) > 0
	return o.ResponseWriter.Write(p)
}
