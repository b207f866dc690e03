package route

import "slices"

// Reason says why a route is not tried.
type Reason string

// The reasons.
const (
	NoModel         Reason = "no_model"          // the definition names no model
	Unconfigured    Reason = "unconfigured"      // the operator has not set up the provider
	WrongRegion     Reason = "residency"         // outside of the declared region
	RegionUnknown   Reason = "residency_unknown" // the region of the endpoint is unknown
	RegionUnmapped  Reason = "residency_unmapped"
	Denied          Reason = "egress_denied" // the base_url must not be contacted
	ContextTooSmall Reason = "context"
	ContextUnknown  Reason = "context_unknown"
	TooDear         Reason = "cost"
	PriceUnknown    Reason = "price_unknown"
	Unavailable     Reason = "unavailable"
	RateLimited     Reason = "rate_limited"
	NotNeeded       Reason = "not_needed" // the model that it would replace is available
	noReason        Reason = ""
)

// aboutResidency reports whether a reason is about residency.
func (r Reason) aboutResidency() bool {
	return r == WrongRegion || r == RegionUnknown || r == RegionUnmapped
}

// knownInRegion reports whether a route that is skipped for this reason is known to lie
// in the region: the check of residency comes before.
func (r Reason) knownInRegion() bool {
	return !r.aboutResidency() && r != NoModel && r != Unconfigured && r != Denied
}

// temporary reports whether a reason is a passing state of the provider.
func (r Reason) temporary() bool { return r == Unavailable || r == RateLimited }

// Resident says why a provider must not see data of a residency, or returns ""
// (AAIF-4.9-4, 4.9-5). It holds for every receiver of data: models, judges, embeddings,
// collectors.
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

// check says why a route is not tried. Permanent reasons come first.
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
