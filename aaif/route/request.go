package route

import "time"

// Strategy says which of several available models to ask first.
type Strategy string

// The strategies.
const (
	PreferredFirst Strategy = "preferred_first"
	Cost           Strategy = "cost"
	Latency        Strategy = "latency"
	Quality        Strategy = "quality"
	RoundRobin     Strategy = "round_robin"
)

// Global is the residency that every region satisfies. "" means the same.
const Global = "global"

// Custom is the residency whose region only the operator knows, and the provider that
// provider_id names.
const Custom = "custom"

// Target is a model at a provider.
type Target struct {
	Provider string // as in the definition; the provider_id of a custom provider
	Model    string // in the provider's spelling
}

// String returns provider/model.
func (t Target) String() string { return t.Provider + "/" + t.Model }

// Candidate is a route that a definition declares.
type Candidate struct {
	Target
	BaseURL string   // from the definition; untrusted, and replaces the operator's address
	MaxCost *float64 // USD per 1,000 tokens, the higher of input and output; nil: no ceiling
}

// Request is what a definition asks of routing, and the time.
type Request struct {
	Chain      []Candidate // the primary route, then the fallbacks in order
	Strategy   Strategy    // "": PreferredFirst
	MinContext int         // tokens; 0: any
	Residency  string      // compliance.data_residency
	Also       []string    // residencies of the agents it works for, which hold as well (AAIF-4.3-26)
	Turn       int         // the number of earlier decisions, for RoundRobin
	Now        time.Time   // ends cool-downs
}

// Provider is an endpoint that the operator set up.
type Provider struct {
	Name    string
	Regions []string // where it keeps data: EU, US, UK, APAC, or the operator's own names; none: unknown
	BaseURL string   // its address; a definition with the same address means this provider
}

// Model is what the operator knows about a model.
type Model struct {
	Target
	Context int      // tokens; 0: unknown
	Input   *float64 // USD per 1,000 tokens; nil: unknown
	Output  *float64 // USD per 1,000 tokens; nil: unknown
	Quality *float64 // in the operator's ranking, higher is better; nil: not ranked
	// Pictures says whether the model takes pictures; nil: as its provider's models usually do.
	Pictures *bool
}

// Operator holds the providers and models to route to. It never comes from a definition.
type Operator struct {
	Providers    []Provider
	Models       []Model
	Substitutes  map[Target]Target // replacements of models that are unavailable
	CustomRegion string            // the region that the residency custom means; "": none
	Egress       []string          // the hosts that a definition may name; nil: any on the Internet
}

// provider returns the endpoint with a name.
func (o Operator) provider(name string) (Provider, bool) {
	for _, p := range o.Providers {
		if p.Name == name {
			return p, true
		}
	}
	return Provider{}, false
}

// model returns what the operator knows about a model.
func (o Operator) model(t Target) Model {
	for _, m := range o.Models {
		if m.Target == t {
			return m
		}
	}
	return Model{Target: t}
}

// Price returns USD per 1,000 tokens, the higher of input and output; false if one of
// them is unknown.
func (m Model) Price() (float64, bool) {
	if m.Input == nil || m.Output == nil {
		return 0, false
	}
	return max(*m.Input, *m.Output), true
}
