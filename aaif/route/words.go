package route

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/satchel-memory/satchel/canon"
)

// words describes a reason.
func (r Reason) words() string {
	switch r {
	case NoModel:
		return "the definition names no provider or no model"
	case Unconfigured:
		return "the operator has not set up this provider"
	case WrongRegion:
		return "the provider keeps data outside of the declared region"
	case RegionUnknown:
		return "no region is known of where it is asked"
	case RegionUnmapped:
		return "the residency is custom, and the operator has not said which region that means"
	case Denied:
		return "nothing may go to the address that the definition names"
	case ContextTooSmall:
		return "its context is smaller than min_context_tokens"
	case ContextUnknown:
		return "its context is not known, and min_context_tokens asks for one"
	case TooDear:
		return "it costs more than max_cost_usd_per_1k_tokens"
	case PriceUnknown:
		return "its price is not known, and there is a ceiling"
	case Unavailable:
		return "it is not available"
	case RateLimited:
		return "it is rate-limited and rests"
	case NotNeeded:
		return "what it would stand in for is not away"
	}
	return string(r)
}

// Words explains the plan in lines of text: which routes are tried in which order and
// why, and why the others are not.
func (p Plan) Words() []string {
	var lines []string
	for i, r := range p.Order {
		line := fmt.Sprintf("%d. %s%s", i+1, r.Target, r.at())
		if i == 0 {
			line += ": " + p.why()
		}
		if r.StandsIn != (Target{}) {
			line += fmt.Sprintf(" (stands in for %s)", r.StandsIn)
		}
		lines = append(lines, line)
	}
	for _, r := range p.Routes {
		if r.Skipped != noReason {
			lines = append(lines, fmt.Sprintf("not %s%s: %s", r.Target, r.at(), r.Skipped.words()))
		}
	}
	if p.Code != "" {
		lines = append(lines, fmt.Sprintf("no route: %s", p.Code))
	}
	return lines
}

// at says where a route leads if the definition names the address.
func (c Candidate) at() string {
	if c.BaseURL == "" {
		return ""
	}
	return " at " + cmp.Or(address(c.BaseURL), "an address that is none")
}

// why says which route the strategy prefers.
func (p Plan) why() string {
	switch p.Request.Strategy {
	case Cost:
		return "the cheapest of those whose price is known"
	case Latency:
		return "the fastest by observed median"
	case Quality:
		return "the highest in the operator's ranking"
	case RoundRobin:
		return "its turn"
	}
	return "the first that may be tried, as declared"
}

// Value returns the plan as data: the strategy, a code if there is no route, and the
// declared routes with reason or position, also in words. It serves explanations and the
// details of a failed run (AAIF-4.2-16).
func (p Plan) Value() canon.Value {
	strategy := p.Request.Strategy
	if strategy == "" {
		strategy = PreferredFirst
	}
	members := []canon.Member{{Name: "strategy", Value: canon.String(string(strategy))}}
	if p.Code != "" {
		members = append(members, canon.Member{Name: "code", Value: canon.String(p.Code)})
	}
	var routes []canon.Value
	for _, r := range p.Routes {
		routes = append(routes, p.value(r))
	}
	return canon.Object(append(members, canon.Member{Name: "routes", Value: canon.Array(routes...)})...)
}

func (p Plan) value(r Route) canon.Value {
	members := []canon.Member{
		{Name: "provider", Value: canon.String(r.Provider)},
		{Name: "model", Value: canon.String(r.Model)},
	}
	if r.BaseURL != "" {
		members = append(members, canon.Member{Name: "base_url", Value: canon.String(address(r.BaseURL))})
	}
	if r.StandsIn != (Target{}) {
		members = append(members, canon.Member{Name: "substitution_for", Value: canon.String(r.StandsIn.String())})
	}
	if r.Skipped != noReason {
		members = append(members, canon.Member{Name: "reason", Value: canon.String(string(r.Skipped))}, canon.Member{Name: "message", Value: canon.String(r.Skipped.words())})
	}
	for i, tried := range p.Order {
		if tried.Declared == r.Declared && tried.StandsIn == r.StandsIn {
			why := "tried where those before it fail"
			if i == 0 {
				why = p.why()
			}
			members = append(members, canon.Member{Name: "position", Value: canon.Int(int64(i + 1))}, canon.Member{Name: "message", Value: canon.String(why)})
		}
	}
	return canon.Object(members...)
}

// String returns the words as one text.
func (p Plan) String() string { return strings.Join(p.Words(), "\n") }
