package aimemhttp

import (
	"encoding/json"
	"net/http"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/httpkit"
	"github.com/satchel-memory/satchel/memory"
)

// importBundle imports a bundle (section 3.2). It authorizes the caller first, and then refuses in
// the order of decision AD-3.
func (h *Handler) importBundle(w http.ResponseWriter, r *http.Request, c memory.Caller) error {
	if err := h.permit(r, c, memory.WriteVerb, "AIMEM-3.2-7"); err != nil {
		return err
	}
	if g := c.Grant; g != nil && (!g.EveryProject() || g.Scope.Agent != "") {
		return h.forbid(r, "AIMEM-3.2-7", "the token is for some projects or one agent, and a bundle is of a whole brain; ask its owner for one without that limit")
	}
	stream, err := mediaOf(r)
	if err != nil {
		return err
	}
	how, err := importQuery(r)
	if err != nil {
		return err
	}
	leave, ok := h.options.Importing(r.Context(), c.Owner)
	if !ok {
		return busyError("other imports are under way; wait as long as Retry-After says")
	}
	defer leave()
	spool, err := h.options.Spool()
	if err != nil {
		return err
	}
	defer func() { _ = spool.Close() }() // the system removes the rest
	size, err := h.receive(w, r, spool)
	if err != nil {
		return err
	}
	if err := h.recheck(r, c); err != nil { // the token may have ended while the body arrived slowly
		return err
	}
	source := codec.Source{Name: "request", File: spool, Size: size}
	return h.openAndImport(w, r, c, source, how, h.openOptions(r, c, stream, how))
}

// openOptions returns the options for opening the document. The trusted keys come from the
// owner, never from the document; our own key is trusted as well.
func (h *Handler) openOptions(r *http.Request, c memory.Caller, stream bool, how aimem.Import) aimem.Options {
	o := aimem.Options{ForeignIDs: how.ForeignIDs, Policy: h.options.Policy, Stream: aimem.Single, Limits: h.limits()}
	o.Signature, o.SignatureFault = aimem.ParseHeader(r.Header.Values(aimem.SignatureHeader)) // only the header has a signature, never the body (AIMEM-5.3-2)
	if stream {
		o.Stream = aimem.Lines
	}
	o.Trusted = func(producer string) ([]aimem.Key, error) {
		known, err := h.backend.Trusted(r.Context(), c, producer)
		if err == nil && producer == h.options.Producer {
			known = append(known[:len(known):len(known)], h.options.Own()...)
		}
		return known, err
	}
	return o
}

// openAndImport opens the document, which verifies all of it, and passes it to the service.
func (h *Handler) openAndImport(w http.ResponseWriter, r *http.Request, c memory.Caller, source codec.Source, how aimem.Import, o aimem.Options) error {
	bundle, err := aimem.Open(source, o)
	if err != nil {
		return err
	}
	defer func() { _ = bundle.Close() }() // it was read only
	how.Signature, _ = bundle.Signature()
	report, err := h.backend.ImportBrain(r.Context(), c, bundle, how)
	if err != nil {
		return err
	}
	body, err := json.Marshal(report)
	if err != nil {
		return &memory.Error{Kind: memory.Internal, Op: "import", Err: err}
	}
	httpkit.Send(w, http.StatusOK, "application/json", body)
	return nil
}
