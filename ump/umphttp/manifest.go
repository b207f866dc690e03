package umphttp

import (
	"encoding/json"
	"net/http"

	"github.com/satchel-memory/satchel/internal/httpkit"
	"github.com/satchel-memory/satchel/memory"
)

// Manifest is /.well-known/ump.json, with which a site announces its memory and the
// address (UMP 4.3, decision UD-29). All of it is public.
type Manifest struct {
	UMP         string        `json:"ump"`
	Conformance string        `json:"conformance"`
	Bindings    []string      `json:"bindings"`
	Kinds       []memory.Kind `json:"kinds"`
	Signals     []string      `json:"retrieval_signals"`
	Endpoint    string        `json:"endpoint,omitempty"`
	Exports     []Export      `json:"exports"`
	Owner       memory.DID    `json:"owner,omitempty"`
}

// Export is a public document in a manifest.
type Export struct {
	URL    string `json:"url"`    // absolute, or relative to the manifest
	Format string `json:"format"` // "ump.json", "ump.md" or "ndjson"
}

// NewManifest returns the manifest of a server with capabilities c. It names the owner
// if c does.
func NewManifest(c memory.Capabilities, endpoint string, exports []Export) Manifest {
	return Manifest{
		UMP: c.UMP, Conformance: c.Conformance, Bindings: append([]string{}, c.Bindings...),
		Kinds: memory.Kinds(), Signals: memory.SignalNames(),
		Endpoint: endpoint, Exports: append([]Export{}, exports...), Owner: c.Owner,
	}
}

// manifest serves the manifest that strangers may see to every caller.
func (h *Handler) manifest(w http.ResponseWriter, r *http.Request, _ memory.Caller) error {
	offered, err := h.backend.Capabilities(r.Context(), memory.Caller{})
	if err != nil {
		return err
	}
	body, err := json.Marshal(NewManifest(offered, h.options.Endpoint, h.exports()))
	if err != nil {
		return &memory.Error{Kind: memory.Internal, Op: "manifest", Err: err}
	}
	w.Header().Set("Cache-Control", "public, max-age=300")
	httpkit.Send(w, http.StatusOK, "application/json", body)
	return nil
}
