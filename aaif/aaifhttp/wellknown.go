package aaifhttp

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/httpkit"
	"github.com/satchel-memory/satchel/memory"
)

// publicCache lets caches keep public documents briefly: settings may change.
const publicCache = "public, max-age=60"

// manifest serves the manifest (AAIF-7-13), which holds no personal data. It hides one
// that claims no level.
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

// report serves the conformance report, with the runs that prove it (section 6).
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

// publish answers with a public document.
func publish(w http.ResponseWriter, r *http.Request, v canon.Value) {
	body := v.Append(nil)
	sum := sha256.Sum256(body)
	w.Header().Set("Cache-Control", publicCache)
	httpkit.SendTagged(w, r, jsonType, body, hex.EncodeToString(sum[:16]))
}
