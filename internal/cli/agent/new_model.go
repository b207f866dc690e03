package agent

import (
	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/internal/cli"
)

// model returns the agent's model. A provider that the registry does not allow becomes
// custom, with its name as provider_id and a warning (AAIF-10-5).
func (c *agentNewCmd) model(a *cli.App) (canon.Value, error) {
	if c.Provider == "" {
		return canon.Value{}, nil
	}
	registries, err := c.registries(a)
	if err != nil {
		return canon.Value{}, err
	}
	model := objectOf("provider", canon.String(c.Provider))
	known := registries[aaif.Providers]
	switch e, ok := known.Entry(c.Provider); {
	case ok && (e.Status == aaif.StandardEntry || e.Status == aaif.DeprecatedEntry):
	case ok:
		a.Say("%s is %s in the registry, and as long as it is it is written as custom, with its name as provider_id", cli.OneLine(c.Provider, 80), cli.Clean(string(e.Status)))
		model = customProvider(c.Provider)
	default:
		var ids []string
		for _, e := range known.Entries {
			ids = append(ids, e.ID)
		}
		meant := codec.ClosestWord(c.Provider, ids)
		if meant != "" {
			meant = "; did you mean " + cli.Clean(meant) + "?"
		}
		a.Warn("%s is no provider of the registry, and becomes custom, with its name as provider_id%s", cli.OneLine(c.Provider, 80), meant)
		model = customProvider(c.Provider)
	}
	if c.Model != "" {
		model = model.With("preferred", canon.String(c.Model))
	}
	return model, nil
}

func customProvider(name string) canon.Value {
	return objectOf("provider", canon.String(aaif.CustomProvider), "provider_id", canon.String(name))
}
