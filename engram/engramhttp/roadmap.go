package engramhttp

import (
	"net/http"
	"net/url"

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

// laterEndpoints returns the endpoints that discovery lists besides those of the first
// edition.
func (h *Handler) laterEndpoints() []canon.Member {
	var offered []canon.Member
	for _, o := range [][2]string{{"constrain", constrainPath}, {"correct_batch", batchPath}, {"subscribe", subscribePath}, {"jwks", jwksPath}} {
		if h.routes.Has(h, o[1]) {
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
