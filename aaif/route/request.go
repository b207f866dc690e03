package route

import "time"

// Strategy says which of several models that could answer is asked first.
type Strategy string

// The strategies.
const (
	PreferredFirst Strategy = "preferred_first"
	Cost           Strategy = "cost"
	Latency        Strategy = "latency"
	Quality        Strategy = "quality"
	RoundRobin     Strategy = "round_robin"
)

// Global is the residency that any region satisfies, and so is "".
const Global = "global"

// Custom is the residency whose region only the operator knows, and the
// provider that is known by its provider_id.
const Custom = "custom"

// Target is a model at a provider.
type Target struct {
	Provider string // as the definition has it; provider_id where that is custom
	Model    string // as the provider names it
}

// String returns provider/model.
func (t Target) String() string { return t.Provider + "/" + t.Model }

// Candidate is a route that a definition declares.
type Candidate struct {
	Target
	BaseURL string   // that the definition names; untrusted, and asked instead of the operator's
	MaxCost *float64 // USD per 1,000 tokens, the dearer of input and output; nil: no ceiling
}

// Request is what a definition asks, and when.
type Request struct {
	Chain      []Candidate // the primary route, then the fallbacks in their order
	Strategy   Strategy    // "": PreferredFirst
	MinContext int         // tokens; 0: any
	Residency  string      // compliance.data_residency
	Also       []string    // further ones that hold as well: of agents that it works for (AAIF-4.3-26)
	Turn       int         // how many decisions went before, for RoundRobin
	Now        time.Time   // cool-downs end by it
}

// Provider is an endpoint that the operator has set up.
type Provider struct {
	Name    string
	Regions []string // where it keeps data: EU, US, UK, APAC, or a name of the operator's; none: not known
	BaseURL string   // where it is asked; a definition that names the same address means this provider
}

// Model is what the operator knows of a model.
type Model struct {
	Target
	Context int      // tokens; 0: not known
	Input   *float64 // USD per 1,000 tokens; nil: not known
	Output  *float64 // USD per 1,000 tokens; nil: not known
	Quality *float64 // in the operator's ranking, higher is better; nil: not ranked
}

// Operator is what there is to route to. It never comes from a definition.
type Operator struct {
	Providers    []Provider
	Models       []Model
	Substitutes  map[Target]Target // what may stand in for a model that is not available
	CustomRegion string            // the region that the residency custom means; "": none
	Egress       []string          // the hosts that a definition may name; nil: any on the Internet
}

// provider returns the endpoint of a name.
func (o Operator) provider(name string) (Provider, bool) {
	for _, p := range o.Providers {
		if p.Name == name {
			return p, true
		}
	}
	return Provider{}, false
}

// model returns what is known of a model.
func (o Operator) model(t Target) Model {
	for _, m := range o.Models {
		if m.Target == t {
			return m
		}
	}
	return Model{Target: t}
}

// Price returns USD per 1,000 tokens, the dearer of input and output, and false
// where one of them is not known.
func (m Model) Price() (float64, bool) {
	if m.Input == nil || m.Output == nil {
		return 0, false
	}
	return max(*m.Input, *m.Output), true
}
