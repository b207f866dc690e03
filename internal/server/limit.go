package server

import (
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/satchel-memory/satchel/aaif/aaifhttp"
	"github.com/satchel-memory/satchel/internal/oauth"
	"github.com/satchel-memory/satchel/internal/pages"
	"github.com/satchel-memory/satchel/memory"
)

// limit refuses requests beyond the rates of the options (UMP-3.7-5). It counts for the
// owner, for each capability token, and for each address without either. Addresses that a proxy
// names also share a rate. Invalid credentials have a smaller rate of their own for each address:
// it slows down guessing, and costs nothing to a client with a valid token at the same address.
// An owner other than the server's can make any number of tokens, so all tokens of one such owner
// also share a rate.
func limit(o Options, m *metrics, next http.Handler) http.Handler {
	all := newAllowances(o)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		failed := identityOf(r).failed()
		for _, p := range rateKeys(r, o) {
			wait, ok := all[p.kind].take(r.Context(), p)
			if ok {
				continue
			}
			m.limit(p.kind)
			w.Header().Set("Retry-After", strconv.Itoa(max(1, int(math.Ceil(wait.Seconds())))))
			if failed {
				w.Header().Set("Connection", "close")
			}
			refuse(w, r, &memory.Error{Kind: memory.RateLimited, Rule: "UMP-3.7-5", Message: "too many requests; wait as long as Retry-After says"})
			return
		}
		if failed {
			m.deny()
			o.recordRefusal(r.Context(), memory.Unauthorized, routeOf(r.URL.Path))
		}
		next.ServeHTTP(w, r)
	})
}

// The kinds of rate keys. No kind can use up the buckets of another.
const (
	owners    = "owner"
	tokens    = "token"
	together  = "tokens" // all tokens of one owner
	addresses = "address"
	contexts  = "context" // a token's requests for contexts
	arrivals  = "arrival" // senders of a state, who have a migration token only
	entries   = "entry"   // browsers that ask to be let in, which may be guessing; see newGuesses
	failures  = "failed"
	clients   = "client" // remote assistants that register, or whose document has to be had
)

// many is how many times the rate of one token all tokens of an owner share, and how many times
// the rate of one address all addresses share.
const many = 8

// ofAll ends the kinds of rate keys that all addresses share. Requests that a proxy passes on
// count there, and browsers that ask to be let in, since the store keeps each question.
const ofAll = " of all"

// clientShare divides the allowance for wrong credentials: remote assistants that register have
// this part of it.
const clientShare = 5

// rateKey names the allowance that a request uses.
type rateKey struct {
	kind  string
	owner memory.DID // the bucket belongs to this owner
	name  string     // among the keys of the kind and owner
}

// String names a key among those of the same owner.
func (p rateKey) String() string {
	if p.name == "" {
		return p.kind
	}
	return p.kind + " " + p.name
}

// identityKeys names the allowances that a request's identity uses. home is the server's
// owner, who also holds the buckets that belong to no owner.
func identityKeys(a *identity, home memory.DID) []rateKey {
	switch {
	case a.failed():
		return []rateKey{{failures, home, a.address}}
	case a.err != nil:
		return []rateKey{{addresses, home, a.address}}
	case a.credential != capabilityToken:
		return []rateKey{{owners, home, ""}}
	case a.caller.Owner == home:
		return []rateKey{{tokens, home, tokenID(a.caller)}}
	}
	return []rateKey{{tokens, a.caller.Owner, tokenID(a.caller)}, {together, a.caller.Owner, ""}}
}

// rateKeys names the allowances that a request uses: those of its identity, or of its visit
// to the pages; one more for contexts (decision E-36), one more for a browser that asks to
// be let in, and one more for a state that arrives. The last is as small as that of invalid
// credentials.
func rateKeys(r *http.Request, o Options) []rateKey {
	a, home := identityOf(r), o.Owner
	if r.URL.Path == "/healthz" && !a.failed() {
		return nil // it reads nothing, and a flood of requests must not make the server look dead
	}
	all := identityKeys(a, home)
	if a.credential == noCredential && pages.Has(r.URL.Path) {
		if readsNothing(r) || r.Method == http.MethodPost && r.URL.Path == pages.EnterPath {
			return nil // an owner with a link gets in, whatever strangers do; see newGuesses
		}
		if visit, known := o.Pages.known.of(r); known {
			all = []rateKey{{owners, home, visit}}
		}
	}
	if a.err == nil && a.credential == capabilityToken && isContextPath(r.URL.Path) {
		all = append(all, rateKey{contexts, a.caller.Owner, tokenID(a.caller)})
	}
	if r.Method == http.MethodPost && slices.Contains([]string{pages.ExchangePath, pages.AskPath}, r.URL.Path) {
		all = append(all, rateKey{entries, home, a.address})
	}
	if o.oauth != nil && oauth.Costs(r) {
		all = append(all, rateKey{clients, home, a.address})
	}
	if a.credential == noCredential && (aaifhttp.BringsState(r) || aaifhttp.BringsEvent(r)) {
		all = append(all, rateKey{arrivals, home, a.address})
	}
	for _, p := range all {
		if p.name == a.address && (a.proxied || p.kind == entries) {
			all = append(all, rateKey{p.kind + ofAll, home, ""})
		}
	}
	return all
}

// readsNothing reports whether a request to the pages needs nothing from the store: it is for
// the page that lets browsers in, or for a static file.
func readsNothing(r *http.Request) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	return r.URL.Path == pages.EnterPath || strings.HasPrefix(r.URL.Path, pages.Root+"static/")
}

// newAllowances returns the allowances of every kind.
func newAllowances(o Options) map[string]*allowance {
	shared, _ := o.Backend.(sharedLimiter)
	with := &peers{shared: shared, log: o.Log}
	all := map[string]*allowance{
		contexts: newAllowance(o.Contexts.Rate/60, int(o.Contexts.Rate), with),
		owners:   newAllowance(o.Rate, o.Burst, with), tokens: newAllowance(o.Rate, o.Burst, with),
		together: newAllowance(o.Rate*many, o.Burst*many, with),
	}
	for kind, share := range map[string]int{failures: 1, arrivals: 1, entries: 1, clients: clientShare} {
		all[kind] = newAllowance(o.FailRate/float64(share), o.FailBurst/share, with)
		all[kind+ofAll] = newAllowance(o.FailRate*many/float64(share), o.FailBurst*many/share, with)
	}
	all[addresses] = newAllowance(o.Rate, o.Burst, with)
	all[addresses+ofAll] = newAllowance(o.Rate*many, o.Burst*many, with)
	return all
}
