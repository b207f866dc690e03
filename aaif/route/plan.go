package route

import "iter"

// The codes of a plan without a route, as runs report them.
const (
	ModelUnavailable     = "MODEL_UNAVAILABLE"
	ResidencyUnsatisfied = "RESIDENCY_UNSATISFIED"
	ProviderUnconfigured = "PROVIDER_UNCONFIGURED"
	EgressDenied         = "EGRESS_DENIED"
)

// Route is a candidate and what was decided about it.
type Route struct {
	Candidate
	Declared int    // its place in the chain, the primary is 0
	StandsIn Target // what it stands in for; the zero Target where it was declared itself
	Skipped  Reason // "": it may be tried
}

// Plan is where a run goes.
type Plan struct {
	Request Request
	Order   []Route // to be tried, one after the other
	Routes  []Route // all there were, as declared, substitutes behind what they stand in for
	Code    string  // why Order is empty; "" where it is not
}

// Decide plans the routes of a call. It is a pure function: equal arguments have
// equal plans. Observed is keyed by the target as declared.
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

// substitute is a route to what may stand in for another one, under the same
// ceiling and the same checks (AAIF-3-1, 3-2).
func (o Operator) substitute(of Route, to Target, r Request, observed map[Target]Health) Route {
	route := Route{Candidate: Candidate{Target: to, MaxCost: of.MaxCost}, Declared: of.Declared, StandsIn: of.Target}
	route.Skipped = o.check(route.Candidate, r, observed)
	if route.Skipped == noReason && !of.Skipped.away() {
		route.Skipped = NotNeeded
	}
	return route
}

// code says why no route is open: none lies in the region and one is known to lie outside
// of it, none is set up, none may be asked, or else (AAIF-4.9-4, AAIF-4.2-16). Of what is
// not set up, or not let through, no region is known (AAIF-4.9-5).
func code(routes []Route) string {
	inside, outside, configured, let := false, false, false, false
	for _, r := range routes {
		if r.Skipped != NotNeeded {
			inside = inside || r.Skipped.inside()
			outside = outside || r.Skipped.resident()
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

// Attempts yields the routes of a call in which each fails for the moment: the
// whole order, then the whole order again for each retry, with the number of the
// pass, from 0 (AAIF-4.2-26). Waiting between passes is the caller's.
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
