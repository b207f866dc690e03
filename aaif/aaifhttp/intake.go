package aaifhttp

import (
	"net/http"
	"net/url"
	"strconv"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
)

// intake accepts a definition in JSON or CBOR (AAIF-7-16, AAIF-9-8). The query may have
// deprecated=true, to accept a deprecated agent, keep=true, to keep one that cannot run
// here, and dry_run=true, to keep nothing.
func (h *Handler) intake(w http.ResponseWriter, r *http.Request, c memory.Caller) error {
	how, err := intakeOptions(r)
	if err != nil {
		return err
	}
	raw, err := h.documentOf(w, r, h.options.MaxAgent)
	if err != nil {
		return err
	}
	if c, err = h.recheckCaller(r, c); err != nil {
		return err
	}
	receipt, err := h.backend.Intake(r.Context(), c, raw, how)
	if err != nil {
		return err
	}
	status := http.StatusCreated
	if receipt.Unchanged || how.DryRun {
		status = http.StatusOK
	} else {
		w.Header().Set("Location", AgentPath+url.PathEscape(receipt.Kept.AgentID)+"?revision="+strconv.Itoa(receipt.Kept.Revision))
	}
	send(w, status, receiptValue(receipt))
	return nil
}

func intakeOptions(r *http.Request) (o aaif.IntakeOptions, err error) {
	p, err := parametersOf(r, "deprecated", "keep", "dry_run")
	for _, said := range []struct {
		name string
		to   *bool
	}{{"deprecated", &o.Deprecated}, {"keep", &o.Keep}, {"dry_run", &o.DryRun}} {
		if err == nil {
			*said.to, err = p.truth(said.name)
		}
	}
	return o, err
}

// recheckCaller authenticates the caller again: the credentials may have expired while a
// slow body arrived.
func (h *Handler) recheckCaller(r *http.Request, c memory.Caller) (memory.Caller, error) {
	if len(r.Header.Values("Authorization")) == 0 {
		return c, nil
	}
	return h.options.Authenticate(r)
}

// receiptValue describes the result of an intake.
func receiptValue(r aaif.Receipt) canon.Value {
	levels := make([]string, len(r.Level))
	for i, l := range r.Level {
		levels[i] = string(l)
	}
	return canon.Object(
		member("agent_id", r.Kept.AgentID),
		canon.Member{Name: "revision", Value: canon.Int(int64(r.Kept.Revision))},
		canon.Member{Name: "unchanged", Value: canon.Bool(r.Unchanged)},
		member("digest", r.Kept.Digest),
		texts("level", levels), texts("warnings", r.Warnings), texts("disabled", r.Disabled), some("cannot_run", r.Kept.CannotRun),
		canon.Member{Name: "negotiation", Value: r.Negotiation.Value()},
	)
}
