package aimemhttp

import (
	"encoding/json"
	"net/http"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/httpkit"
	"github.com/satchel-memory/satchel/memory"
)

// take takes a bundle in (section 3.2). The order of refusals is that of decision
// AD-3; who asks comes first.
func (h *Handler) take(w http.ResponseWriter, r *http.Request, c memory.Caller) error {
	if err := h.permit(r, c, memory.WriteVerb, "AIMEM-3.2-7"); err != nil {
		return err
	}
	if g := c.Grant; g != nil && (g.Scope.Project != "" || g.Scope.Agent != "") {
		return h.turnAway(r, "AIMEM-3.2-7", "the token is for one project or agent, and a bundle is of a whole brain; ask its owner for one without that limit")
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
		return crowded("other imports are under way; wait as long as Retry-After says")
	}
	defer leave()
	spool, err := h.options.Spool()
	if err != nil {
		return err
	}
	defer func() { _ = spool.Close() }() // what is left of it is the system's to remove
	size, err := h.receive(w, r, spool)
	if err != nil {
		return err
	}
	if err := h.again(r, c); err != nil { // a token may have ended while its body trickled in
		return err
	}
	source := codec.Source{Name: "request", File: spool, Size: size}
	return h.admit(w, r, c, source, how, h.reading(r, c, stream, how))
}

// reading says how the document is to be opened. Whom the owner trusts comes from
// the owner, never from the document; our own key is known besides.
func (h *Handler) reading(r *http.Request, c memory.Caller, stream bool, how aimem.Import) aimem.Options {
	o := aimem.Options{ForeignIDs: how.ForeignIDs, Policy: h.options.Policy, Stream: aimem.Single, Limits: h.limits()}
	o.Signature, o.SignatureFault = aimem.ParseHeader(r.Header.Values(aimem.SignatureHeader)) // in a body nobody looks for one (AIMEM-5.3-2)
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

// admit opens the document, which verifies all of it, and gives it to the service.
func (h *Handler) admit(w http.ResponseWriter, r *http.Request, c memory.Caller, source codec.Source, how aimem.Import, o aimem.Options) error {
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
