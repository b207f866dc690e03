package host

import (
	"context"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/route"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/run/model"
	"github.com/satchel-memory/satchel/internal/run/policy"
	"github.com/satchel-memory/satchel/internal/run/tool"
)

// Settings are what the owner has set up for runs. No definition can add to them. The zero
// Settings has neither models nor tools.
type Settings struct {
	Models route.Operator
	// DefaultProviders: a run may also ask the providers of its definition that Models has not,
	// at their public addresses, where there is a key or none is needed.
	DefaultProviders bool
	Keys             model.Keys
	Tools            tool.Operator
	Rules            []policy.Rule
	Collectors       []Collector // to which definitions may have traces sent
	Exports          bool        // traces of runs go to a collector of the owner's
	Files            fs.FS       // what definitions may read as context; nil: nothing
	// Copies holds what lies at addresses, each at [shape.Path] of its address: documents that
	// schemas of definitions refer to, and what they name as context; nil: nothing.
	Copies fs.FS
	// Fetch reads what definitions name as context by its address; nil: over https, from the
	// Internet alone.
	Fetch  func(ctx context.Context, address string) (body []byte, media string, err error)
	Folder string     // of OpenAPI descriptions with relative paths; empty: none is read
	Limits run.Limits // zero members: [run.DefaultLimits]
	Env    func(name string) (string, bool)
	Vault  func(context.Context, aaif.VaultRef) (string, error)

	library *library // of Copies
}

// operator returns the table of models for an agent.
func (s Settings) operator(a aaif.Agent) route.Operator {
	o := s.Models
	if !s.DefaultProviders {
		return o
	}
	o.Providers = slices.Clip(o.Providers) // what is added is for this agent
	chain := run.Routes(aaif.Definition{Agent: a}, 0, time.Time{}).Chain
	if provider, _, found := strings.Cut(a.Evaluation.Judge, "/"); found && model.HasAddress(provider) {
		chain = append(chain, route.Candidate{Target: route.Target{Provider: provider}})
	}
	for _, c := range chain {
		known := slices.ContainsFunc(o.Providers, func(p route.Provider) bool { return p.Name == c.Provider })
		if known || c.Provider == "" || c.BaseURL != "" {
			continue
		}
		if _, err := s.Keys.Key(c.Provider); err == nil {
			o.Providers = append(o.Providers, route.Provider{Name: c.Provider})
		}
	}
	return o
}
