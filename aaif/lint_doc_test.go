package aaif_test

import (
	"slices"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
)

// What the schema takes and says nothing.
func TestLintOfNothing(t *testing.T) {
	const gate = "/agent/compliance/human_in_the_loop/trigger"
	lints(t, "agent", []lintCase{
		{id: "AAIF-5-12", edit: gate, value: `""`, code: aaif.Empty, pointer: gate, warning: true},
	})
}

func TestLanguagesOfRegistries(t *testing.T) {
	r := aaif.StandardRegistries()[aaif.Languages]
	r.Value = r.Value.With("entries", r.Value.Get("entries").WithItem(0, tree(t, `{"id":"rego","status":"standard","expr_type":"string","spec":"https://rego.example/spec","description":"R"}`)))
	v := validator(t, aaif.ReadRegistry(r.Value))
	if !slices.Contains(v.Languages(), "rego") || slices.Contains(validator(t).Languages(), "rego") {
		t.Errorf("AAIF-10-4: got %v", v.Languages())
	}
	d := changed(t, doc(t, minimal), "/agent/orchestration", `{"handoff":[{"condition":{"lang":"rego","expr":"input.x"},"target_agent":"./b.json"}]}`)
	if found := v.Validate(d); aaif.Refused(found) {
		t.Errorf("AAIF-10-4: got %s", show(found))
	}
	n := aaif.Negotiate(aaif.ReadDefinition(d.Value), manifestWith(t), aaif.NegotiateOptions{Registries: aaif.StandardRegistries().With(aaif.ReadRegistry(r.Value))})
	if need := only(t, n); need.Capability != "condition.rego" || need.Unregistered || need.Effect != aaif.Disabled {
		t.Errorf("AAIF-5-18: got %+v", need)
	}
}
