package engramhttp

import (
	"errors"
	"net/http"
	"strings"
	"unicode"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/text/redact"
)

// The most bytes of the members of a proposal.
const (
	maxValue   = 16 << 10
	maxContext = 16 << 10
	maxRuntime = 256
	maxBelief  = 1024
)

// correct records a correction that a runtime proposes (section 3.9). It waits for the
// owner.
func (h *Handler) correct(w http.ResponseWriter, r *http.Request, c memory.Caller) error {
	body, err := h.bodyForWrite(r, c, h.options.MaxBody)
	if err != nil {
		return err
	}
	p, err := proposalOf(body)
	if err != nil {
		return err
	}
	masked := redact.Mask(&p.New, &p.Context)
	correction, err := h.backend.Propose(r.Context(), c, p)
	if err != nil {
		return unknownBelief(err, p.Belief)
	}
	send(w, http.StatusCreated, canon.Object(
		member("correction_id", correction.ID),
		member("belief_id", p.Belief),
		member("status", string(engram.Pending)),
		member("message", "Correction recorded. Awaiting user confirmation before becoming authoritative."+maskedNote(masked)),
	).Append(nil))
	return nil
}

// maskedNote returns what to add to a message about masked text.
func maskedNote(masked string) string {
	if masked == "" {
		return ""
	}
	return " " + masked + "."
}

func member(name, value string) canon.Member {
	return canon.Member{Name: name, Value: canon.String(value)}
}

// proposalOf reads the members of a proposal.
func proposalOf(body canon.Value) (p engram.Proposal, err error) {
	fields := []struct {
		to       *string
		name     string
		most     int
		required bool
		rule     string
	}{
		{&p.Belief, "belief_id", maxBelief, true, "ENGRAM-3.9-CORR-4"},
		{&p.New, "new_value", maxValue, true, "ENGRAM-3.9-CORR-5"},
		{&p.Context, "context", maxContext, false, "ENGRAM-3.9-CORR-6"},
		{&p.Runtime, "runtime_id", maxRuntime, true, "ENGRAM-3.9-CORR-7"},
	}
	for _, f := range fields {
		if *f.to, err = text(body, f.name, f.most, f.required, f.rule); err != nil {
			return p, err
		}
	}
	if strings.ContainsFunc(p.Runtime, unicode.IsControl) { // the owner sees it
		return p, invalid("ENGRAM-3.9-CORR-7", "runtime_id is one line")
	}
	at, ok := memory.ParseInstant(body.Get("timestamp").Text())
	if !ok {
		return p, invalid("ENGRAM-3.9-CORR-8", "timestamp is when the correction was observed, as an RFC 3339 time such as 2026-04-20T11:00:00Z")
	}
	p.ObservedAt = at.UTC()
	return p, nil
}

// unknownBelief says that this caller has no such belief (ENGRAM-3.9-ERR-12).
func unknownBelief(err error, id string) error {
	f, ok := errors.AsType[*engram.Fault](err)
	if memory.KindOf(err) == memory.NotFound || ok && f.Code == engram.BeliefNotFound {
		return &engram.Fault{Code: engram.BeliefNotFound, Rule: "ENGRAM-3.9-ERR-6", Detail: "No belief with id " + strings.Trim(quoted(id), `"`) + " exists for this user"}
	}
	return err
}
