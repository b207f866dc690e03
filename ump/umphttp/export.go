package umphttp

import (
	"context"
	"io"
	"net/http"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// source yields the records of a document. It stops at the first error of yield and
// returns it. The losses name the records that it leaves out.
type source func(ctx context.Context, yield func(memory.Record) error) ([]codec.Loss, error)

// export streams all records that the caller may export as one UMP document (decision
// UD-24).
func (h *Handler) export(w http.ResponseWriter, r *http.Request, c memory.Caller) error {
	if !c.Speaks() && !c.Grant.Allows(memory.ExportVerb) {
		return h.reportRefusal(r, &memory.Error{Kind: memory.ForbiddenScope, Op: "export", Rule: "UMP-5.2-5",
			Message: "the token does not grant export, and reading does not imply it; ask its owner for one that does"})
	}
	lines, err := wantLines(r)
	if err != nil {
		return err
	}
	leave, ok := h.options.Exporting(r.Context(), c.Owner)
	if !ok {
		return busyError("other exports are under way; wait as long as Retry-After says")
	}
	defer leave()
	return h.whileValid(r, c, func(ctx context.Context) error {
		return h.send(w, r.WithContext(ctx), document{lines, fileName(lines)}, func(ctx context.Context, yield func(memory.Record) error) ([]codec.Loss, error) {
			return h.backend.Export(ctx, c, yield)
		})
	})
}

// document is the form of an export.
type document struct {
	lines bool   // one record per line
	name  string // suggested file name; empty: none
}

func fileName(lines bool) string {
	if lines {
		return "memories.ump.ndjson"
	}
	return "memories.ump.json"
}

// send streams the records of a source.
//
// An export that fails after its first byte ends without its last chunk, which every
// HTTP client reports as an error. A client of HTTP/1.0 could not notice, so send
// refuses it.
//
// The source sees one state of the memory while the client reads, and may hold a
// snapshot that long. The server's write timeout limits that time: the server
// disconnects a client that reads no piece of the answer within it.
func (h *Handler) send(w http.ResponseWriter, r *http.Request, d document, records source) error {
	if !r.ProtoAtLeast(1, 1) {
		return &memory.Error{Kind: memory.Unsupported, Op: "export", Message: "an export needs HTTP/1.1 or newer"}
	}
	d.announce(w.Header())
	if r.Method == http.MethodHead {
		return nil
	}
	out := &sentTracker{ResponseWriter: w}
	losses, err := write(r.Context(), out, d.lines, records)
	if err != nil {
		if r.Context().Err() != nil {
			err = context.Cause(r.Context())
		}
		if !out.sent {
			w.Header().Del("Content-Disposition")
			w.Header().Del("Trailer")
			return err
		}
		h.options.Report(r, err)
		panic(http.ErrAbortHandler)
	}
	if len(losses) > 0 {
		w.Header().Set(lossesTrailer, lossesJSON(losses))
	}
	return nil
}

// lossesTrailer is the trailer that names the records that an export left out. The
// document is an array of records, so it cannot contain them, and they are known only
// at its end.
const lossesTrailer = "Ump-Losses"

// mostLosses is the most losses that the trailer names one by one.
const mostLosses = 20

// lossesJSON writes losses as one line of JSON: their number, and the first of them.
func lossesJSON(losses []codec.Loss) string {
	items := make([]canon.Value, 0, mostLosses)
	for _, l := range losses[:min(len(losses), mostLosses)] {
		items = append(items, canon.Object(
			canon.Member{Name: "id", Value: canon.String(string(l.ID))},
			canon.Member{Name: "path", Value: canon.String(l.Pointer)},
			canon.Member{Name: "message", Value: canon.String(l.Reason)}))
	}
	return string(canon.Object(
		canon.Member{Name: "count", Value: canon.Int(int64(len(losses)))},
		canon.Member{Name: "losses", Value: canon.Array(items...)}).Append(nil))
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

// write writes the records until ctx ends, and returns the losses.
func write(ctx context.Context, out io.Writer, lines bool, records source) ([]codec.Loss, error) {
	document, err := ump.Format().Create(out, codec.Options{NDJSON: lines})
	if err != nil {
		return nil, err
	}
	losses, err := records(ctx, func(record memory.Record) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return document.Write(record)
	})
	if err != nil {
		return nil, err
	}
	err = document.Close()
	return append(document.Losses(), losses...), err
}

func (d document) announce(header http.Header) {
	media := "application/json"
	if d.lines {
		media = "application/x-ndjson"
	}
	header.Set("Content-Type", media)
	if d.name != "" {
		header.Set("Content-Disposition", `attachment; filename="`+d.name+`"`)
		header.Set("Trailer", lossesTrailer)
	}
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
}

// sentTracker notes whether any byte was sent.
type sentTracker struct {
	http.ResponseWriter
	sent bool
}

// Write sends p.
func (o *sentTracker) Write(p []byte) (int, error) {
	o.sent = o.sent || len(p) > 0
	return o.ResponseWriter.Write(p)
}
