package engramhttp

import (
	"errors"
	"mime"
	"net/http"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/httpkit"
	"github.com/satchel-memory/satchel/memory"
)

// bodyForWrite returns the object in the body of a request that writes, up to most bytes.
// It refuses callers who may not write (ENGRAM-3.9-AUTH-5).
func (h *Handler) bodyForWrite(r *http.Request, c memory.Caller, most int64) (canon.Value, error) {
	if err := h.permit(r, c, memory.WriteVerb); err != nil {
		return canon.Value{}, err
	}
	if _, err := parametersOf(r); err != nil {
		return canon.Value{}, err
	}
	return bodyUpTo(r, true, most)
}

// bodyOf reads the object in a request's body (ENGRAM-3.9-CORR-11). An optional body that
// is absent is an empty object.
func (h *Handler) bodyOf(r *http.Request, required bool) (canon.Value, error) {
	return bodyUpTo(r, required, h.options.MaxBody)
}

// bodyUpTo is bodyOf with its own limit.
func bodyUpTo(r *http.Request, required bool, limit int64) (canon.Value, error) {
	data, err := httpkit.NewBody(r, limit).Bytes()
	switch {
	case errors.Is(err, httpkit.ErrTooLarge):
		return canon.Value{}, &answer{status: http.StatusRequestEntityTooLarge, detail: "the body is larger than a correction can be"}
	case err != nil:
		return canon.Value{}, &answer{status: http.StatusBadRequest, detail: "the body did not arrive whole; send it again", err: err,
			header: http.Header{"Connection": {"close"}}}
	case len(data) == 0 && !required:
		return canon.Object(), nil
	}
	if err := checkJSON(r); err != nil {
		return canon.Value{}, err
	}
	v, err := canon.Parse(data, canon.Options{Bytes: limit, Depth: 16, Inexact: true})
	if err != nil || v.Type() != canon.TypeObject {
		return v, invalid("ENGRAM-3.9-CORR-11", "the body is not one JSON object in which every member stands once")
	}
	if v.Has(versionMember) {
		_, err = engram.CheckVersion(v.Get(versionMember).Text(), "")
	}
	return v, err
}

// checkJSON refuses a body of another content type (ENGRAM-3.9-CORR-11). It also refuses a
// body without one, which pages of other sites can send.
func checkJSON(r *http.Request) error {
	media, parameters, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	coding := r.Header.Get("Content-Encoding")
	charset, said := parameters["charset"]
	if err != nil || media != "application/json" || said && !strings.EqualFold(charset, "utf-8") ||
		coding != "" && !strings.EqualFold(coding, "identity") || len(r.Header.Values("Content-Type")) > 1 {
		return invalid("ENGRAM-3.9-CORR-11", "send the body as Content-Type: application/json, in UTF-8 and without Content-Encoding")
	}
	return nil
}

// text reads a text member of at most so many bytes. An absent or null member is empty,
// which only an optional member may be.
func text(body canon.Value, name string, most int, required bool, rule string) (string, error) {
	v := body.Get(name)
	switch said := v.Text(); {
	case !required && (!body.Has(name) || v.Type() == canon.TypeNull):
		return "", nil
	case v.Type() != canon.TypeString, required && strings.TrimSpace(said) == "":
		return "", invalid(rule, name+" is a text that says something")
	case len(said) > most:
		return "", invalid(rule, name+" is longer than this store takes")
	default:
		return said, nil
	}
}
