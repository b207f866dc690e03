package engramhttp

import (
	"net/http"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/memory"
)

// storeRelation is the link relation from a person to the store of their memory (section
// 12.2).
const storeRelation = "https://engramspec.org/rel/store"

// webFinger returns the address of an account's memory (section 12.2, RFC 7033). It knows
// the accounts of this store only.
func (h *Handler) webFinger(w http.ResponseWriter, r *http.Request, _ memory.Caller) error {
	q := r.URL.Query()
	asked := q["resource"]
	if len(asked) != 1 || !strings.Contains(asked[0], ":") {
		return invalid("ENGRAM-12.2-1", "say of whom, once, as in resource=acct:ana@memory.example")
	}
	if !slices.ContainsFunc(h.options.Next.Accounts, func(a string) bool { return strings.EqualFold(a, asked[0]) }) {
		return &memory.Error{Kind: memory.NotFound, Message: "this store keeps nothing for such an account"}
	}
	issuer, err := h.options.Issuer()
	if err != nil {
		return err
	}
	links := []canon.Value{}
	if rel := q["rel"]; len(rel) == 0 || slices.Contains(rel, storeRelation) {
		links = append(links, canon.Object(member("rel", storeRelation), member("type", "application/json"), member("href", issuer.URL)))
	}
	w.Header().Set("Content-Type", "application/jrd+json")
	w.Header().Set("Cache-Control", forMinutes)
	send(w, http.StatusOK, canon.Object(member("subject", asked[0]), canon.Member{Name: "links", Value: canon.Array(links...)}).Append(nil))
	return nil
}

// jwks serves the issuer's keys as a JWK set (ENGRAM-3.8-32).
func (h *Handler) jwks(w http.ResponseWriter, _ *http.Request, _ memory.Caller) error {
	issuer, err := h.options.Issuer()
	if err != nil {
		return err
	}
	body := issuer.JWKS
	if len(body) == 0 {
		body = engram.JWKS(nil)
	}
	w.Header().Set("Content-Type", "application/jwk-set+json")
	w.Header().Set("Cache-Control", forAMinute)
	send(w, http.StatusOK, body)
	return nil
}
