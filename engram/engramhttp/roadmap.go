package engramhttp

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
)

// Next selects what to offer of later editions and of the roadmap (section 12). A feature
// that is off has no route and is not advertised.
type Next struct {
	// Batch accepts many corrections in one request (section 12.4).
	Batch bool
	// JWKS also lists the issuer's keys as a JWK set (ENGRAM-3.8-32).
	JWKS bool
	// Accounts are the accounts whose memory this store holds, such as
	// acct:ana@memory.example. The store answers requests for their address (section 12.2).
	Accounts []string
	// Subscriptions notifies runtimes of changes (section 12.5).
	Subscriptions bool
}

// The routes of edition 0.1.2 and of the roadmap.
const (
	constrainPath     = "/v1/context/constrain"
	constraintsPath   = "/v1/context/constraints"
	batchPath         = "/v1/context/correct/batch"
	subscribePath     = "/v1/context/subscribe"
	jwksPath          = "/.well-known/jwks.json"
	webFingerPath     = "/.well-known/webfinger"
	constraintPrefix  = constrainPath + "/"
	constraintsPrefix = constraintsPath + "/"
	subscribePrefix   = subscribePath + "/"
)

// RouteOf returns the route of a path with an id, with {id} in its place.
func RouteOf(path string) (route string, ok bool) {
	if _, decision, ok := decisionIn(path); ok {
		return CorrectionPath + "{id}/" + decision, true
	}
	if _, decision, ok := decisionBelow(path, constraintsPrefix); ok {
		return constraintsPrefix + "{id}/" + decision, true
	}
	for _, prefix := range []string{constraintPrefix, subscribePrefix} {
		if _, ok := idBelow(path, prefix); ok {
			return prefix + "{id}", true
		}
	}
	return "", false
}

// idBelow returns the id that follows a prefix.
func idBelow(path, prefix string) (id string, ok bool) {
	id, ok = strings.CutPrefix(path, prefix)
	return id, ok && id != "" && !strings.Contains(id, "/")
}

// decisionBelow returns the id and the decision that follow a prefix.
func decisionBelow(path, prefix string) (id, decision string, ok bool) {
	rest, below := strings.CutPrefix(path, prefix)
	at := strings.LastIndexByte(rest, '/')
	if !below || at < 1 {
		return "", "", false
	}
	id, decision = rest[:at], rest[at+1:]
	return id, decision, decision == confirm || decision == reject
}

// laterRoute returns the route of a path that the first edition lacks.
func (h *Handler) laterRoute(path string) (route, bool) {
	read, write := []string{http.MethodGet, http.MethodHead}, []string{http.MethodPost}
	remove := []string{http.MethodDelete}
	rules := h.constrains != nil && h.options.Constraints
	hooks := h.subscribes != nil && h.options.Next.Subscriptions
	switch path {
	case constrainPath:
		return route{write, h.constrain}, rules
	case constraintsPath:
		return route{read, h.constraints}, h.constrains != nil
	case batchPath:
		return route{write, h.batch}, h.batches != nil && h.options.Next.Batch
	case subscribePath:
		return route{append(write, read...), h.subscribe}, hooks
	case jwksPath:
		return route{read, h.jwks}, h.options.Next.JWKS
	case webFingerPath:
		return route{read, h.webFinger}, len(h.options.Next.Accounts) > 0
	}
	if _, ok := idBelow(path, constraintPrefix); ok {
		return route{remove, h.unconstrain}, rules
	}
	if _, ok := idBelow(path, subscribePrefix); ok {
		return route{remove, h.unsubscribe}, hooks
	}
	_, _, ok := decisionBelow(path, constraintsPrefix)
	return route{write, h.decideConstraint}, ok && rules
}

// laterEndpoints returns the endpoints that discovery lists besides those of the first
// edition.
func (h *Handler) laterEndpoints() []canon.Member {
	var offered []canon.Member
	for _, o := range [][2]string{{"constrain", constrainPath}, {"correct_batch", batchPath}, {"subscribe", subscribePath}, {"jwks", jwksPath}} {
		if _, ok := h.laterRoute(o[1]); ok {
			offered = append(offered, member(o[0], o[1]))
		}
	}
	return offered
}

// forOwner refuses everybody but the owner in person (ENGRAM-3.9-CORR-21), and returns the
// parameters as [parametersOf] does.
func (h *Handler) forOwner(r *http.Request, c memory.Caller, what string, known ...string) (url.Values, error) {
	if c.Role != memory.Owner {
		return nil, h.deny(r, "only the owner "+what)
	}
	return parametersOf(r, known...)
}
