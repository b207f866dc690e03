package aaif

import (
	"slices"
	"strings"
	"sync"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/text/pattern"
)

// lintAgent checks a definition beyond its schema.
func (v *Validator) lintAgent(doc Document) []*codec.ParseError {
	d := ReadDefinition(doc.Value)
	found := slices.Concat(lintHead(d), v.registries.lintCapabilities(d), lintModel(d.Agent), lintTopology(d),
		lintTools(d), lintSchemas(d.Agent), lintEvents(d.Agent.Events), v.registries.lintMemory(d), lintEvaluation(d), lintConditions(d))
	if len(tooled(d)) == 0 && len(v.portable(d)) == 0 {
		found = append(found, hints(d)...)
	}
	return found
}

func lintHead(d Definition) []*codec.ParseError {
	var found []*codec.ParseError
	if a := d.Agent.Value; a.Has("goal") && strings.TrimSpace(d.Agent.Goal) == "" {
		found = append(found, fault(Empty, "4-8", "/agent/goal", "must not be empty"))
	}
	if e := d.Agent.Runtime.Value.Get("environment"); d.Status == Draft && (e.Type() == canon.TypeUndefined || e.Text() == "production") {
		found = append(found, warning(DraftInProduction, "4.1-9", "/status", "a draft that is to run in production, which is meant where runtime.environment is left out"))
	}
	if s := d.Provenance.Signature; d.Provenance.Value.Has("signature") && signatureBytes(s) == nil {
		found = append(found, fault(WrongForm, "12-16", "/provenance/signature", notSignature))
	}
	for i, c := range d.Agent.Constraints {
		if strings.TrimSpace(c) == "" {
			found = append(found, warning(Empty, "12-5", item("/agent/constraints", i), "a constraint that says nothing: there is nothing to enforce"))
		}
	}
	return append(found, lintOversight(d.Agent.Compliance.Oversight)...)
}

// lintOversight reports approval that comes too late or is never asked for.
func lintOversight(h Oversight) []*codec.ParseError {
	const at = "/agent/compliance/human_in_the_loop"
	var found []*codec.ParseError
	if h.Value.Has("timeout_seconds") && h.Timeout < 1 {
		found = append(found, fault(WrongForm, "4.9-11", at+"/timeout_seconds", "is less than 1"))
	}
	never := h.Trigger.Lang == Never || h.Trigger.Lang == JSONLogic && h.Trigger.Expr.Type() == canon.TypeBool && !h.Trigger.Expr.True()
	if h.Enabled && never {
		found = append(found, warning(NobodyAsked, "4.9-14", at+"/trigger", "nobody is ever asked, though enabled says so; leave trigger out to have every write approved"))
	}
	return found
}

// lintEvents reports triggers that never start a run.
func lintEvents(e Events) []*codec.ParseError {
	var found []*codec.ParseError
	for i, t := range e.Triggers {
		at := item("/agent/events/triggers", i) + "/schedule"
		if t.Value.Has("schedule") {
			if wrong := scheduleError(t.Schedule); wrong != "" {
				found = append(found, warning(WrongForm, "4-20", at, "%s", wrong))
			}
		} else if t.Type == "schedule" {
			found = append(found, warning(Incomplete, "4-20", at, "a trigger of type schedule wants one"))
		}
	}
	return found
}

func (r Registries) lintCapabilities(d Definition) []*codec.ParseError {
	var found []*codec.ParseError
	ids := r[Capabilities].ids()
	for i, id := range d.Agent.Capabilities {
		pointer := item("/agent/required_capabilities", i)
		if !namespaced(id) {
			found = append(found, warning(NotNamespaced, "2-3", pointer, "not of the form category.capability"))
		} else if !r.knowsCapability(capabilityName(id)) {
			found = append(found, warning(Unregistered, "7-3", pointer, "in no registry: no platform will satisfy it%s", didYouMean(id, ids, len(found))))
		}
	}
	return found
}

// isManifestName reports whether manifests, but no registry, name a capability
// (AAIF-7-4).
func isManifestName(id string) bool {
	group, name, _ := strings.Cut(id, ".")
	if group == "condition" {
		return slices.Contains(languages(), Language(name))
	}
	return manifestGroups().Get(group).Get("properties").Get(name).Get("type").Text() == "boolean"
}

// manifestGroups holds the capabilities that the schema of manifests names.
var manifestGroups = sync.OnceValue(func() canon.Value {
	groups, _ := mustParse(Schema(ManifestKind)).At("/properties/platform/properties/capabilities/properties")
	return groups
})

// envName is the form of names of environment variables.
var envName = pattern.New(`^[A-Za-z_][A-Za-z0-9_]*$`)

func lintTools(d Definition) []*codec.ParseError {
	var found []*codec.ParseError
	add := func(p *codec.ParseError) { found = append(found, p) }
	seen := map[string]bool{}
	for i, t := range d.Agent.Tools {
		at := item("/agent/tools", i)
		if seen[t.Name] {
			add(fault(Duplicated, "4.4-2", at+"/name", "there is such a tool already"))
		}
		seen[t.Name] = true
		if t.Endpoint == "" && t.Protocol != FunctionTool {
			add(fault(Incomplete, endpointRule(t.Protocol), at+"/endpoint", "a tool of protocol %s wants an endpoint", Shown(string(t.Protocol))))
		}
		found = append(found, lintEndpoint(t, at)...)
		if t.Auth.Type == "oauth2" && t.Auth.TokenURL == "" {
			add(fault(Incomplete, "4.4-16", at+"/auth/token_url", "oauth2 wants a token_url"))
		}
		found = append(found, lintAddress(t.Auth.TokenURL, "4.4-16", at+"/auth/token_url")...)
		if t.Auth.Type == "mtls" {
			add(warning(RegisteredOnly, "4.4-14", at+"/auth/type", "validators of edition %s do not know mtls", Version))
		}
		if t.Auth.EnvVar != "" && !envName.MatchString(t.Auth.EnvVar) {
			add(fault(WrongForm, "4.4-20", at+"/auth/env_var", "not the name of an environment variable"))
		}
	}
	return found
}

// endpointRule returns the requirement for an endpoint.
func endpointRule(p Protocol) string {
	switch p {
	case MCPTool:
		return "4.4-6"
	case OpenAPITool:
		return "4.4-11"
	}
	return "4.4-9"
}

func (r Registries) lintMemory(d Definition) []*codec.ParseError {
	var found []*codec.ParseError
	for i, m := range d.Agent.Memory {
		if e, _ := r[Backends].Entry(m.Backend); e.Value.Get("vector").True() && m.EmbeddingModel == "" {
			found = append(found, warning(NoEmbedding, "4.5-11", item("/agent/memory", i)+"/embedding_model", "a backend of vectors wants one"))
		}
	}
	return found
}

func lintEvaluation(d Definition) []*codec.ParseError {
	var found []*codec.ParseError
	for i, m := range d.Agent.Evaluation.Metrics {
		if m.Name == "custom" && m.Custom == "" {
			found = append(found, fault(Incomplete, "4.8-2", item("/agent/evaluation/metrics", i)+"/custom_name", "a custom metric wants a name"))
		}
	}
	seen := map[string]bool{}
	for i, c := range d.Agent.Evaluation.Cases {
		if seen[c.ID] {
			found = append(found, fault(Duplicated, "4.8-4", item("/agent/evaluation/test_cases", i)+"/id", "there is such a test case already"))
		}
		seen[c.ID] = true
	}
	return found
}
