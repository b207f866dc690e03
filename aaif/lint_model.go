package aaif

import (
	"slices"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// fallbacks refuses fallback providers that could not be the first provider. The schema
// accepts any word there (AAIF-10-5, decision 2.3).
func (r Registries) fallbacks(d Definition) []*codec.ParseError {
	var found []*codec.ParseError
	for i, f := range d.Agent.Model.Fallbacks {
		at := item("/agent/model/fallbacks", i) + "/provider"
		switch e, ok := r[Providers].Entry(f.Provider); {
		case f.Provider == "" && f.Value.Get("provider").Type() != canon.TypeString:
		case e.Status == StandardEntry, e.Status == ProvisionalEntry && inEdition(Providers, f.Provider):
			if !inEdition(Providers, f.Provider) {
				found = append(found, warning(RegisteredOnly, "10-4", at, "standard in %s, but not in the schema of edition %s", Providers, Version))
			}
		case !ok:
			found = append(found, fault(Unregistered, "10-5", at, "in no registry%s%s", didYouMean(f.Provider, r[Providers].ids(), len(found)), asCustom(d.Agent.Model, f.Provider)))
		case e.Status == DeprecatedEntry:
			found = append(found, warning(RegistryDeprecated, "10-6", at, "deprecated in %s", Providers))
		default:
			found = append(found, fault(Unregistered, "10-6", at, "%s in %s, and not standard yet%s", e.Status, Providers, asCustom(d.Agent.Model, f.Provider)))
		}
	}
	return found
}

// asCustom says how to write a fallback whose provider is in no schema: as custom. That
// stands for the one name that model.provider_id has room for (decisions 2.3, R40).
func asCustom(m Model, name string) string {
	switch m.ProviderID {
	case "":
		return `; write "custom" here, and its name at /agent/model/provider_id, for which custom stands`
	case name:
		return `; write "custom", which stands for /agent/model/provider_id`
	}
	return `; custom stands for /agent/model/provider_id, which names another already: a definition has room for one such provider`
}

func lintModel(a Agent) []*codec.ParseError {
	var found []*codec.ParseError
	if a.Model.ResponseFormat == "json_schema" && a.IO.Output.Type() == canon.TypeUndefined {
		found = append(found, warning(Incomplete, "4-14", "/agent/model/response_format", "json_schema wants an io.output_schema"))
	}
	for i, f := range a.Model.Fallbacks {
		if f.MaxCost != nil && *f.MaxCost < 0 {
			found = append(found, fault(WrongForm, "4.2-5", item("/agent/model/fallbacks", i)+"/max_cost_usd_per_1k_tokens", "is less than 0"))
		}
	}
	return slices.Concat(found, lintAddress(a.Model.BaseURL, "4.2-18", "/agent/model/base_url"), lintCustom(a.Model), lintExtended(a.Model.Params))
}

// lintCustom reports a custom provider without a name, which no operator could know.
func lintCustom(m Model) []*codec.ParseError {
	switch {
	case m.ProviderID != "":
		return nil
	case m.Provider == CustomProvider && m.Value.Has("provider_id"):
		return []*codec.ParseError{fault(Empty, "4.2-18", "/agent/model/provider_id", "must not be empty: the provider custom is known by it")}
	case m.Provider == CustomProvider: // the schema reports it
		return nil
	}
	var found []*codec.ParseError
	for i, f := range m.Fallbacks {
		if f.Provider == CustomProvider {
			found = append(found, fault(Incomplete, "10-5", item("/agent/model/fallbacks", i)+"/provider", "custom stands for /agent/model/provider_id, which is missing: name the provider there"))
		}
	}
	return found
}

// lintExtended warns of parameters that the runtime sets itself, whatever a definition
// passes on (AAIF-4.2-24, decision R12a).
func lintExtended(p Parameters) []*codec.ParseError {
	var found []*codec.ParseError
	for _, name := range []string{"messages", "tools", "model", "stream"} {
		if p.Extended.Has(name) {
			found = append(found, warning(ExtendedCollision, "4.2-24", "/agent/model/params/extended/"+name, "is set by whoever runs the agent, and not passed on"))
		}
	}
	return found
}
