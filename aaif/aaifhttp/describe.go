package aaifhttp

import (
	_ "embed"
	"encoding/json"
	"net/http"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/handoff"
	"github.com/satchel-memory/satchel/internal/httpkit"
)

// ownSchemas are those of answers that the specification leaves to a platform.
//
//go:embed schema/http.json
var ownSchemas []byte

// Describe describes the routes that the handler offers.
func (h *Handler) Describe() httpkit.Description {
	return httpkit.Description{
		Name: "aaif", Title: "Agents as documents", Text: "Definitions of agents, their states and runs. AAIF, SC-006 3.4, sections 4, 7 and 8.",
		Routes: h.routes.Offered(h), Schemas: schemas(),
		Errors: httpkit.Errors{Media: jsonType, Schema: "AaifError", Code: []string{"code"}, Codes: codes(), Always: []int{401, 403, 429, 500, 501, 503}},
	}
}

func schemas() map[string]json.RawMessage {
	all := httpkit.Schemas(ownSchemas)
	for name, kind := range map[string]aaif.Kind{"AaifAgent": aaif.AgentKind, "AaifState": aaif.StateKind, "AaifManifest": aaif.ManifestKind, "AaifReport": aaif.ReportKind} {
		all[name] = aaif.Schema(kind)
	}
	all["AaifFrame"] = handoff.Schema()
	return all
}

// codes returns the codes of refusals by status. What is wrong with a document, status 422,
// has codes of the specification and of its registries, which are not listed.
func codes() map[int][]string {
	all := map[int][]string{
		http.StatusBadRequest: {string(invalidQuery), string(cutOff)}, http.StatusUnauthorized: {string(unauthorized)}, http.StatusForbidden: {string(forbidden)},
		http.StatusNotFound: {string(notFound)}, http.StatusMethodNotAllowed: {string(methodNotAllowed)}, http.StatusNotAcceptable: {string(notAcceptable)},
		http.StatusRequestTimeout: {string(timeOut)}, http.StatusUnsupportedMediaType: {string(unsupportedMedia)}, http.StatusUpgradeRequired: {string(TLSRequired)},
		http.StatusTooManyRequests: {string(rateLimited)}, http.StatusInternalServerError: {string(internal)}, http.StatusNotImplemented: {string(notOffered)},
		http.StatusServiceUnavailable: {string(unavailable)},
	}
	for _, c := range []aaif.Code{aaif.TooLarge, aaif.FrameTooLarge, aaif.UnsatisfiedCapabilities, aaif.AgentDeprecated, aaif.SignerChanged, aaif.TokenReplayed,
		aaif.StateLeft, aaif.StateTransition, RunHeld, RunExists, RunCopied, aaif.ApprovalMismatch, aaif.ApprovalTimeout, aaif.ConcurrencyLimit, aaif.AuditUnavailable,
		aaif.TokenInvalid, aaif.TokenExpired, aaif.TokenBinding, aaif.TokenAudience, aaif.PrincipalMismatch, aaif.AgentUnknown, aaif.BadFrame, aaif.ProtocolError} {
		all[statusOf(c)] = append(all[statusOf(c)], string(c))
	}
	return all
}
