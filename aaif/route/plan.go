package route

import "iter"

// The codes of a plan without a route, as runs report them.
const (
	ModelUnavailable     = "MODEL_UNAVAILABLE"
	ResidencyUnsatisfied = "RESIDENCY_UNSATISFIED"
	ProviderUnconfigured = "PROVIDER_UNCONFIGURED"
	EgressDenied         = "EGRESS_DENIED"
)

// Route is a candidate and the decision about it.
type Route struct {
	Candidate
	Declared int    // its place in the chain; the primary route is 0
	StandsIn Target // the target that it replaces; zero for a declared route
	Skipped  Reason // empty: it may be tried
}

// Plan says where a run goes.
type Plan struct {
	Request Request
	Order   []Route // the routes to try, in order
	Routes  []Route // all routes as declared, each substitute behind its original
	Code    string  // why Order is empty; "" if it is not
}

// Decide plans the routes of a call. It is a pure function: equal arguments give equal
// plans. observed is keyed by declared targets.
func Decide(r Request, o Operator, observed map[Target]Health) Plan {
	p := Plan{Request: r}
	for i, c := range r.Chain {
		route := Route{Candidate: c, Declared: i, Skipped: o.check(c, r, observed)}
		p.Routes = append(p.Routes, route)
		if to, ok := o.Substitutes[c.Target]; ok {
			p.Routes = append(p.Routes, o.substitute(route, to, r, observed))
		}
	}
	var open []Route
	for _, route := range p.Routes {
		if route.Skipped == noReason {
			open = append(open, route)
		}
	}
	p.Order = o.order(open, r, observed)
	if len(p.Order) == 0 {
		p.Code = code(p.Routes)
	}
	return p
}

// substitute returns a route to a replacement for another route, with the same ceiling
// and the same checks (AAIF-3-1, 3-2).
func (o Operator) substitute(of Route, to Target, r Request, observed map[Target]Health) Route {
	route := Route{Candidate: Candidate{Target: to, MaxCost: of.MaxCost}, Declared: of.Declared, StandsIn: of.Target}
	route.Skipped = o.check(route.Candidate, r, observed)
	if route.Skipped == noReason && !of.Skipped.temporary() {
		route.Skipped = NotNeeded
	}
	return route
}

// code says why no route is open: none lies in the region and one is known to lie
// outside, none is set up, none may be contacted, or another reason (AAIF-4.9-4,
// AAIF-4.2-16). The region of a route that is not set up or not allowed is unknown
// (AAIF-4.9-5).
func code(routes []Route) string {
	inside, outside, configured, let := false, false, false, false
	for _, r := range routes {
		if r.Skipped != NotNeeded {
			inside = inside || r.Skipped.knownInRegion()
			outside = outside || r.Skipped.aboutResidency()
			configured = configured || r.Skipped != Unconfigured
			let = let || r.Skipped != Denied
		}
	}
	switch {
	case outside && !inside:
		return ResidencyUnsatisfied
	case len(routes) > 0 && !configured:
		return ProviderUnconfigured
	case len(routes) > 0 && !let:
		return EgressDenied
	}
	return ModelUnavailable
}

// Attempts yields the routes of a call whose attempts all fail: the whole order, then the
// whole order again per retry, with the number of the pass from 0 (AAIF-4.2-26). The
// caller waits between passes.
func (p Plan) Attempts(retries int) iter.Seq2[int, Route] {
	return func(yield func(int, Route) bool) {
		for pass := range max(retries, 0) + 1 {
			for _, r := range p.Order {
				if !yield(pass, r) {
					return
				}
			}
		}
	}
}
