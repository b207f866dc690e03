package aaifhttp

import (
	"context"
	"net/http"
	"net/url"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
)

// The bounds of what a person says about a call.
const (
	mostDecision = 16 << 10
	mostWhy      = 4 << 10
)

// decide approves or rejects a call that a run waits for, exactly as it was shown
// (AAIF-4.9-18).
func (h *Handler) decide(w http.ResponseWriter, r *http.Request, c memory.Caller) error {
	if err := noQuery(r); err != nil {
		return err
	}
	raw, c, err := h.jsonBody(w, r, c, mostDecision)
	if err != nil {
		return err
	}
	d, err := readDecision(raw)
	if err != nil {
		return err
	}
	run, err := h.options.Runs.Decide(r.Context(), c, r.PathValue("id"), d)
	if err != nil {
		return err
	}
	send(w, http.StatusOK, runValue(run))
	return nil
}

func readDecision(raw []byte) (Decision, error) {
	v, err := objectOf(raw, "call", "digest", "decision", "why")
	if err != nil {
		return Decision{}, err
	}
	for _, name := range []string{"call", "digest", "decision", "why"} {
		if said := v.Get(name); said.Type() != canon.TypeUndefined && said.Type() != canon.TypeString {
			return Decision{}, wrongMember(name, "is a text")
		}
	}
	d := Decision{Call: v.Get("call").Text(), Digest: v.Get("digest").Text(), Why: v.Get("why").Text()}
	if len(d.Why) > mostWhy {
		return d, wrongMember("why", "is too long")
	}
	switch v.Get("decision").Text() {
	case "approve":
		if d.Approve = true; d.Digest == "" {
			return d, wrongMember("digest", "is missing: say what was approved, by the digest that the run shows with the call")
		}
	case "reject":
	default:
		return d, wrongMember("decision", "is approve or reject")
	}
	return d, nil
}

// change cancels or resumes a run. The body of such a request is empty.
func change(do func(Runs, context.Context, memory.Caller, string) (Run, error)) func(*Handler, http.ResponseWriter, *http.Request, memory.Caller) error {
	return func(h *Handler, w http.ResponseWriter, r *http.Request, c memory.Caller) error {
		if err := noQuery(r); err != nil {
			return err
		}
		run, err := do(h.options.Runs, r.Context(), c, r.PathValue("id"))
		if err != nil {
			return err
		}
		send(w, http.StatusOK, runValue(run))
		return nil
	}
}

// goOn starts the run of a checkpoint that came from another platform (section 8.2). It does
// so once.
func (h *Handler) goOn(w http.ResponseWriter, r *http.Request, c memory.Caller) error {
	if err := noQuery(r); err != nil {
		return err
	}
	run, err := h.options.Runs.GoOn(r.Context(), c, r.PathValue("id"))
	if err != nil {
		return err
	}
	w.Header().Set("Location", RunPath+url.PathEscape(run.RunID))
	send(w, http.StatusCreated, runValue(run))
	return nil
}
