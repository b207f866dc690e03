package aimemhttp

import (
	"encoding/json"
	"net/http"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/internal/httpkit"
	"github.com/satchel-memory/satchel/memory"
)

// publicKey serves the key by which exports are verified (AIMEM-5.3-6). It needs no
// credentials and has no rights.
func (h *Handler) publicKey(w http.ResponseWriter, _ *http.Request, _ memory.Caller) error {
	key := h.options.PublicKey()
	if len(key) == 0 {
		return &memory.Error{Kind: memory.NotFound, Message: "exports of this server are not signed"}
	}
	w.Header().Set("Cache-Control", "public, max-age=300")
	httpkit.Send(w, http.StatusOK, aimem.KeyMediaType, key)
	return nil
}

// Spec describes the server to clients that exchange bundles with it.
type Spec struct {
	Specification string        `json:"specification"`
	Role          string        `json:"role"` // one of the three of section 4
	Versions      []string      `json:"versions"`
	Formats       []string      `json:"formats"` // that are read; the first is written
	Producer      string        `json:"producer"`
	Server        string        `json:"server,omitempty"`
	Scopes        []aimem.Scope `json:"scopes"`
	MediaTypes    []string      `json:"media_types"`
	Limits        SpecLimits    `json:"limits"`
	Reimport      SpecReimport  `json:"reimport"`
	Signatures    SpecSignature `json:"signatures"`
	Endpoints     SpecEndpoints `json:"endpoints"`
}

// SpecLimits are the limits that a bundle has to keep.
type SpecLimits struct {
	DocumentBytes     int64 `json:"document_bytes"`
	RecordBytes       int64 `json:"record_bytes"`
	ContentCodepoints int   `json:"content_codepoints"`
	Depth             int   `json:"depth"`
}

// SpecReimport says how an import treats stored chunks (AIMEM-2.9-5).
type SpecReimport struct {
	Newer        aimem.OnNewer   `json:"newer"`
	NewerOptions []aimem.OnNewer `json:"newer_options"` // of the parameter on_newer
	Older        string          `json:"older"`
	Deleted      string          `json:"deleted"` // of the parameter restore
}

// SpecSignature says how the server makes and checks signatures.
type SpecSignature struct {
	Policy aimem.Policy `json:"policy"`
	Signed bool         `json:"exports_signed"`
	Key    string       `json:"key,omitempty"`
}

// SpecEndpoints has the paths of the operations.
type SpecEndpoints struct {
	Export string `json:"export"`
	Stream string `json:"export_stream"`
	Import string `json:"import"`
	Erase  string `json:"erase"`
}

// spec serves the description (AIMEM-0-3). It contains no private data.
func (h *Handler) spec(w http.ResponseWriter, _ *http.Request, _ memory.Caller) error {
	body, err := json.Marshal(h.description())
	if err != nil {
		return &memory.Error{Kind: memory.Internal, Op: "spec", Err: err}
	}
	w.Header().Set("Cache-Control", "public, max-age=300")
	httpkit.Send(w, http.StatusOK, "application/json", body)
	return nil
}

func (h *Handler) description() Spec {
	limits := h.limits()
	s := Spec{
		Specification: "draft-vu-aimem-bundle-00", Role: "Bidirectional", Versions: []string{aimem.Version},
		Formats: []string{aimem.FormatName, aimem.LegacyFormat}, Producer: h.options.Producer, Server: h.options.Release,
		Scopes:     []aimem.Scope{aimem.Full, aimem.DNAOnly, aimem.Since},
		MediaTypes: []string{aimem.MediaType, aimem.StreamMediaType},
		Limits:     SpecLimits{limits.Document, limits.Record, aimem.MaxContent, limits.Depth},
		Reimport: SpecReimport{Newer: aimem.RejectNewer, NewerOptions: []aimem.OnNewer{aimem.RejectNewer, aimem.UpdateNewer},
			Older: "reject", Deleted: "skip"},
		Signatures: SpecSignature{Policy: h.options.Policy, Signed: h.options.Sign != nil},
		Endpoints:  SpecEndpoints{exportPath, streamPath, importPath, brainPath},
	}
	if len(h.options.PublicKey()) > 0 {
		s.Signatures.Key = keyPath
	}
	return s
}
