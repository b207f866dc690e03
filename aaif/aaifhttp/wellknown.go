package aaifhttp

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
)

// forAMinute lets others keep what is the same for all, but not for long: what is in
// force may change.
const forAMinute = "public, max-age=60"

// manifest serves what the platform can do (AAIF-7-13). It holds nothing of anybody's.
// One that claims no level is none to show.
func (h *Handler) manifest(w http.ResponseWriter, r *http.Request, _ memory.Caller) error {
	m, err := h.backend.Manifest(r.Context())
	if err != nil {
		return err
	}
	if m.Publishable() != nil {
		return nothingToShow("a manifest")
	}
	publish(w, r, m.Document())
	return nil
}

// report serves what the platform claims, and the runs that show it (section 6).
func (h *Handler) report(w http.ResponseWriter, r *http.Request, _ memory.Caller) error {
	m, err := h.backend.Report(r.Context())
	if err != nil {
		return err
	}
	if m.Publishable() != nil {
		return nothingToShow("a report")
	}
	publish(w, r, m.Document())
	return nil
}

func nothingToShow(what string) error {
	return &memory.Error{Kind: memory.NotFound, Message: "this platform was not shown to reach a level of conformance, and does not publish " + what}
}

// publish answers with a document that anybody may have.
func publish(w http.ResponseWriter, r *http.Request, v canon.Value) {
	body := v.Append(nil)
	sum := sha256.Sum256(body)
	w.Header().Set("Cache-Control", forAMinute)
	sendTagged(w, r, jsonType, body, hex.EncodeToString(sum[:16]))
}
