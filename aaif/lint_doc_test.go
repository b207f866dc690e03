package aaif_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
)

// What the schema takes and says nothing.
func TestLintOfNothing(t *testing.T) {
	const gate = "/agent/compliance/human_in_the_loop/trigger"
	lints(t, "agent", []lintCase{
		{id: "AAIF-5-12", edit: gate, value: `""`, code: aaif.Empty, pointer: gate, warning: true},
		{id: "AAIF-12-16", edit: "/provenance/signature", value: `"nope"`, code: aaif.WrongForm, pointer: "/provenance/signature"},
		{id: "AAIF-12-16", edit: "/provenance/signature", value: `"` + formed + `"`},
		{id: "AAIF-4.2-24", edit: "/agent/model/params/extended", value: `{"messages":[],"top_k":4}`, code: aaif.ExtendedCollision, pointer: "/agent/model/params/extended/messages", warning: true},
		{id: "AAIF-4.2-24", edit: "/agent/model/params/extended", value: `{"top_k":4}`},
	})
}

func TestLintOfCustom(t *testing.T) {
	for name, c := range map[string]struct {
		model, at string
		code      aaif.Code
	}{
		"AAIF-4.2-18 of no name":            {`{"provider":"custom","provider_id":""}`, "/agent/model/provider_id", aaif.Empty},
		"AAIF-10-5 a fallback of no name":   {`{"provider":"openai","fallbacks":[{"provider":"custom","model":"m"}]}`, "/agent/model/fallbacks/0/provider", aaif.Incomplete},
		"AAIF-10-5 a fallback with one":     {`{"provider":"openai","provider_id":"litellm","fallbacks":[{"provider":"custom","model":"m"}]}`, "", ""},
		"AAIF-10-5 a fallback nobody knows": {`{"provider":"openai","fallbacks":[{"provider":"acme","model":"m"}]}`, "/agent/model/fallbacks/0/provider", aaif.Unregistered},
	} {
		t.Run(name, func(t *testing.T) {
			d := changed(t, doc(t, minimal), "/agent/model", c.model)
			found := validator(t).Lint(d)
			if c.code == "" && len(found) != 0 || c.code != "" && (len(found) != 1 || found[0].Path != c.at || aaif.CodeOf(found[0]) != c.code || found[0].Warning) {
				t.Errorf("got %s", show(found))
			}
			if c.code == aaif.Unregistered && !aaif.HasErrors(validator(t).Validate(d)) {
				t.Error("valid")
			}
		})
	}
}

// What is said of a fallback that cannot be written leads to one that can.
func TestFallbackAdvice(t *testing.T) {
	for _, name := range []string{"litellm", "acme"} {
		const at = "/agent/model/fallbacks/0/provider"
		d := changed(t, doc(t, minimal), "/agent/model", `{"provider":"anthropic","preferred":"m","fallbacks":[{"provider":"`+name+`","model":"m"}]}`)
		found := validator(t).Lint(d)
		if len(found) != 1 || found[0].Path != at || !strings.HasSuffix(found[0].Err.Error(), `; write "custom" here, and its name at /agent/model/provider_id, for which custom stands`) {
			t.Errorf("AAIF-10-6: got %s", show(found))
		}
		d = changed(t, d, at, `"custom"`)
		if found = validator(t).Lint(d); len(found) != 1 || !strings.Contains(found[0].Err.Error(), "/agent/model/provider_id, which is missing") {
			t.Errorf("AAIF-10-5: got %s", show(found))
		}
		if found = validator(t).Lint(changed(t, d, "/agent/model/provider_id", `"`+name+`"`)); len(found) > 0 {
			t.Errorf("AAIF-10-5: got %s", show(found))
		}
	}
}

func TestLintOfDrafts(t *testing.T) {
	for environment, want := range map[string]int{`{"max_retries":1}`: 1, `{"environment":"production"}`: 1, `{"environment":"staging"}`: 0, ``: 1} {
		d := changed(t, doc(t, minimal), "/status", `"draft"`)
		if environment != "" {
			d = changed(t, d, "/agent/runtime", environment)
		}
		found := validator(t).Lint(d)
		if len(found) != want || want == 1 && (aaif.CodeOf(found[0]) != aaif.DraftInProduction || !found[0].Warning) {
			t.Errorf("AAIF-4.1-9 %s: got %s", environment, show(found))
		}
	}
}

func TestLanguagesOfRegistries(t *testing.T) {
	r := aaif.StandardRegistries()[aaif.Languages]
	r.Value = r.Value.With("entries", r.Value.Get("entries").WithItem(0, tree(t, `{"id":"rego","status":"standard","expr_type":"string","spec":"https://rego.example/spec","description":"R"}`)))
	v := validator(t, aaif.ReadRegistry(r.Value))
	if !slices.Contains(v.Languages(), "rego") || slices.Contains(validator(t).Languages(), "rego") {
		t.Errorf("AAIF-10-4: got %v", v.Languages())
	}
	d := changed(t, doc(t, minimal), "/agent/orchestration", `{"handoff":[{"condition":{"lang":"rego","expr":"input.x"},"target_agent":"./b.json"}]}`)
	if found := v.Validate(d); aaif.HasErrors(found) {
		t.Errorf("AAIF-10-4: got %s", show(found))
	}
	n := aaif.Negotiate(aaif.ReadDefinition(d.Value), manifestWith(t), aaif.NegotiateOptions{Registries: aaif.StandardRegistries().With(aaif.ReadRegistry(r.Value))})
	if need := only(t, n); need.Capability != "condition.rego" || need.Unregistered || need.Effect != aaif.Disabled {
		t.Errorf("AAIF-5-18: got %+v", need)
	}
}
