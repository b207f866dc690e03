package aaif_test

import (
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
)

// Models are preferences, for which others may stand in; how a tool is told who calls is
// a capability like others.
func TestModelsOfPlatforms(t *testing.T) {
	const providers = "/platform/capabilities/model/providers"
	for _, c := range []struct{ name, model, providers, lacks string }{
		{"the preferred one", `{"provider":"anthropic"}`, `["anthropic","openai"]`, ""},
		{"one to fall back to", `{"provider":"anthropic","fallbacks":[{"provider":"groq","model":"m"},{"provider":"openai","model":"m"}]}`, `["openai"]`, ""},
		{"none", `{"provider":"anthropic","fallbacks":[{"provider":"groq","model":"m"}]}`, `["openai","ollama"]`, "model.provider(anthropic)"},
		{"none of its own", `{"provider":"custom","provider_id":"litellm"}`, `["openai"]`, "model.provider(litellm)"},
		{"a custom one by its name", `{"provider":"custom","provider_id":"litellm"}`, `["litellm"]`, ""},
		{"any custom one", `{"provider":"custom","provider_id":"litellm"}`, `["custom"]`, ""},
		{"only others to fall back to", `{"fallbacks":[{"provider":"groq","model":"m"}]}`, `["openai"]`, "model.provider(groq)"},
		{"nothing said", `{"provider":"anthropic"}`, ``, ""},
		{"no provider asked for", `{"preferred":"m"}`, `["openai"]`, ""},
	} {
		for _, level := range levels {
			t.Run("AAIF-7-11 section 3 "+c.name+" at "+level, func(t *testing.T) {
				n := aaif.Negotiate(agentWith(t, level, "/agent/model", c.model), manifestWith(t, providers, c.providers), aaif.NegotiateOptions{})
				if c.lacks == "" {
					expect(t, n.Verdict, aaif.Accepted)
					return
				}
				outcome(t, n, level, aaif.Substituted)
				need := only(t, n)
				expect(t, need.Capability, c.lacks)
				expect(t, need.Implicit, true)
				expect(t, strings.Contains(n.Words()[0], "another model stands in"), true)
			})
		}
	}
	t.Run("AAIF-7-3 listed, it is a capability of no registry", func(t *testing.T) {
		d := agentWith(t, "strict", "/agent/required_capabilities", `["model.provider(acme)"]`, "/agent/model", `{"provider":"custom","provider_id":"acme"}`)
		outcome(t, aaif.Negotiate(d, manifestWith(t, providers, `["openai"]`), aaif.NegotiateOptions{}), "strict", aaif.Refusal)
	})
}

func TestAuthOfPlatforms(t *testing.T) {
	for _, kind := range []string{"bearer", "api_key", "basic", "oauth2", "aws_sigv4", "mtls"} {
		tool := `[{"name":"a","description":"b","auth":{"type":"` + kind + `"}},{"name":"c","description":"d","auth":{"type":"none"}}]`
		at := "/platform/capabilities/auth/" + kind
		for _, level := range levels {
			t.Run("AAIF-7-11 AAIF-4.4-14 "+kind+" at "+level, func(t *testing.T) {
				d := agentWith(t, level, "/agent/tools", tool)
				expect(t, aaif.Negotiate(d, manifestWith(t, at, "true"), aaif.NegotiateOptions{}).Verdict, aaif.Accepted)
				n := aaif.Negotiate(d, manifestWith(t, at, "false"), aaif.NegotiateOptions{})
				outcome(t, n, level, explicitEffect(level))
				expect(t, strings.Join(only(t, n).Pointers, " "), "/agent/tools/0/auth/type")
			})
		}
	}
}

func TestWithout(t *testing.T) {
	lacks := func(level string) aaif.Negotiation {
		d := agentWith(t, level, "/agent/required_capabilities", `["io.batch","state.restore"]`)
		return aaif.Negotiate(d, manifestWith(t, "/x-aaif-capabilities", "", "/platform/capabilities/state", ""), aaif.NegotiateOptions{})
	}
	for level, want := range map[string]string{
		"minimal": "the agent runs without these: io.batch, state.restore", "standard": "what depends on these is off: io.batch, state.restore", "strict": "",
	} {
		t.Run("AAIF-7-5 AAIF-7-6 "+level, func(t *testing.T) { expect(t, lacks(level).Without(), want) })
	}
	expect(t, aaif.Negotiation{}.Without(), "")
}

// Who has a name for a capability: a registry, or manifests alone.
func TestNamedBy(t *testing.T) {
	for id, want := range map[string]string{
		"tool.mcp": "aaif-capabilities", "compliance.human_in_the_loop": "aaif-capabilities", "condition.cel": "aaif-condition-languages",
		"auth.vault(1password)": "aaif-vault-providers", "memory.weaviate": "aaif-memory-backends", "memory.in_memory": "aaif-memory-backends",
		"compliance.pii_scrubbing": "manifest", "compliance.constraints": "manifest", "auth.oauth2": "manifest", "orchestration.dynamic_routing": "manifest",
		"memory.custom2": "", "tool.telepathy": "",
	} {
		t.Run("AAIF-7-3 AAIF-7-4 "+id, func(t *testing.T) {
			d := agentWith(t, "", "/agent/required_capabilities", `["`+id+`"]`)
			n := aaif.Negotiate(d, aaif.Manifest{}, aaif.NegotiateOptions{})
			need := n.Value().Get("needs").Items()[0]
			expect(t, need.Get("named_by").Text(), want)
			expect(t, need.Get("registered").True(), strings.HasPrefix(want, "aaif-"))
			expect(t, n.Needs[0].Unregistered, want == "")
		})
	}
}
