package server

import (
	"math"
	"net/http"
	"strconv"

	"github.com/satchel-memory/satchel/aaif/aaifhttp"
	"github.com/satchel-memory/satchel/memory"
)

// limit refuses requests that come faster than the options allow (UMP-3.7-5),
// counted for the owner, for each capability token, and for each address where
// there is neither. Credentials that open nothing have an allowance of their own,
// smaller, for each address: it slows down who tries tokens, and takes nothing
// from who holds a good one and comes from the same address. An owner whose server
// this is not can make tokens at will; so all of them have one together, too.
func limit(o Options, m *metrics, next http.Handler) http.Handler {
	all := newAllowances(o)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		failed := false
		for _, p := range payersFor(r, o.Owner) {
			wait, ok := all[p.kind].take(r.Context(), p)
			failed = p.kind == failures
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
			o.tell(r.Context(), memory.Unauthorized, routeOf(r.URL.Path))
		}
		next.ServeHTTP(w, r)
	})
}

// The kinds of those who pay. No one of them can use up the buckets of another.
const (
	owners    = "owner"
	tokens    = "token"
	together  = "tokens" // all of one owner
	addresses = "address"
	contexts  = "context" // a token's, where an assistant starts from
	arrivals  = "arrival" // whoever brings a state, with nothing but its migration token
	failures  = "failed"
)

// manyTokens is how many times as much as one token all of an owner's have.
const manyTokens = 8

// payer is whose allowance a request uses.
type payer struct {
	kind  string
	owner memory.DID // with whom the bucket lies
	name  string     // among those of the kind and owner
}

// String names a payer beside the others who lie with the same owner.
func (p payer) String() string {
	if p.name == "" {
		return p.kind
	}
	return p.kind + " " + p.name
}

// payersOf names whose allowances a request uses. home is whose server this is; with
// that owner lies, too, what belongs to none.
func payersOf(a *asker, home memory.DID) []payer {
	switch {
	case a.failed():
		return []payer{{failures, home, a.address}}
	case a.err != nil:
		return []payer{{addresses, home, a.address}}
	case a.means != capability:
		return []payer{{owners, home, ""}}
	case a.caller.Owner == home:
		return []payer{{tokens, home, tokenID(a.caller)}}
	}
	return []payer{{tokens, a.caller.Owner, tokenID(a.caller)}, {together, a.caller.Owner, ""}}
}

// payersFor names whose allowances a request uses: those of whoever asks and, of a
// token, one for contexts besides (decision E-36), and of who brings a state, one
// besides that is as small as that of credentials which open nothing.
func payersFor(r *http.Request, home memory.DID) []payer {
	a := askerOf(r)
	if r.URL.Path == "/healthz" && !a.failed() {
		return nil // it reads nothing, and no flood of requests makes the server seem dead
	}
	all := payersOf(a, home)
	if a.err == nil && a.means == capability && ofContexts(r.URL.Path) {
		all = append(all, payer{contexts, a.caller.Owner, tokenID(a.caller)})
	}
	if a.means == nothing && aaifhttp.BringsState(r) {
		all = append(all, payer{arrivals, home, a.address})
	}
	return all
}

// newAllowances returns those of every kind.
func newAllowances(o Options) map[string]*allowance {
	shared, _ := o.Backend.(Shared)
	with := &others{shared: shared, log: o.Log}
	return map[string]*allowance{
		contexts: newAllowance(o.Contexts.Rate/60, int(o.Contexts.Rate), with),
		owners:   newAllowance(o.Rate, o.Burst, with), tokens: newAllowance(o.Rate, o.Burst, with),
		together:  newAllowance(o.Rate*manyTokens, o.Burst*manyTokens, with),
		addresses: newAllowance(o.Rate, o.Burst, with), failures: newAllowance(o.FailRate, o.FailBurst, with),
		arrivals: newAllowance(o.FailRate, o.FailBurst, with),
	}
}
