package route

import "slices"

// Reason is why a route is not tried.
type Reason string

// The reasons.
const (
	NoModel         Reason = "no_model"          // the definition names none
	Unconfigured    Reason = "unconfigured"      // the operator has no such provider
	WrongRegion     Reason = "residency"         // outside of the declared region
	RegionUnknown   Reason = "residency_unknown" // no region is known of the endpoint
	RegionUnmapped  Reason = "residency_unmapped"
	Denied          Reason = "egress_denied" // a base_url that nothing may go to
	ContextTooSmall Reason = "context"
	ContextUnknown  Reason = "context_unknown"
	TooDear         Reason = "cost"
	PriceUnknown    Reason = "price_unknown"
	Unavailable     Reason = "unavailable"
	RateLimited     Reason = "rate_limited"
	NotNeeded       Reason = "not_needed" // a substitute whose model is available
	noReason        Reason = ""
)

// resident reports whether a reason is about residency.
func (r Reason) resident() bool {
	return r == WrongRegion || r == RegionUnknown || r == RegionUnmapped
}

// inside reports whether a route that is not tried for this reason lies in the region all
// the same: whether it got as far as that.
func (r Reason) inside() bool {
	return !r.resident() && r != NoModel && r != Unconfigured && r != Denied
}

// away reports whether a reason lies in the state of the provider, and passes.
func (r Reason) away() bool { return r == Unavailable || r == RateLimited }

// Resident says why a provider may not see data of a residency, "" where it may
// (AAIF-4.9-4, 4.9-5). It holds for whatever data goes to: models, judges,
// embeddings, collectors.
func (o Operator) Resident(p Provider, residency string) Reason {
	region := residency
	switch residency {
	case "", Global:
		return noReason
	case Custom:
		if region = o.CustomRegion; region == "" {
			return RegionUnmapped
		}
	}
	switch {
	case len(p.Regions) == 0:
		return RegionUnknown
	case !slices.Contains(p.Regions, region):
		return WrongRegion
	}
	return noReason
}

// check says why a route is not tried, first of all what no time will mend.
func (o Operator) check(c Candidate, r Request, observed map[Target]Health) Reason {
	if c.Model == "" || c.Provider == "" {
		return NoModel
	}
	p, ok, denied := o.endpoint(c)
	switch {
	case !ok:
		return Unconfigured
	case denied:
		return Denied
	}
	for _, residency := range append([]string{r.Residency}, r.Also...) {
		if reason := o.Resident(p, residency); reason != noReason {
			return reason
		}
	}
	m := o.model(c.Target)
	switch {
	case r.MinContext <= 0 || m.Context >= r.MinContext:
	case m.Context == 0:
		return ContextUnknown
	default:
		return ContextTooSmall
	}
	if c.MaxCost != nil {
		switch price, known := m.Price(); {
		case !known:
			return PriceUnknown
		case price > *c.MaxCost:
			return TooDear
		}
	}
	return observed[c.Target].reason(r.Now)
}
