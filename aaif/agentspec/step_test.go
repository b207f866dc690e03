package agentspec_test

import (
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif/agentspec"
)

// What keeps a flow from being a pipeline is said in full, whatever a step lacks.
func TestStepKind(t *testing.T) {
	inline := func(node string) string {
		raw := strings.Replace(line, `{"$component_ref":"check"},{"$component_ref":"end"}]`, node+`,{"$component_ref":"check"},{"$component_ref":"end"}]`, 1)
		raw = strings.Replace(raw, `"to_node":{"$component_ref":"check"}`, `"to_node":{"$component_ref":"ln"}`, 1)
		return fill(raw, `,{"component_type":"ControlFlowEdge","id":"x","name":"x","from_node":{"$component_ref":"ln"},"to_node":{"$component_ref":"check"}}`)
	}
	for _, c := range []struct{ raw, want string }{
		{inline(`{"component_type":"LlmNode","id":"ln","name":"llm"}`), "a step is named ln, and $referenced_components has no such component"},
		{strings.Replace(inline(`{"$component_ref":"ln"}`), `"$referenced_components":{`, `"$referenced_components":{"ln":{"id":"ln","name":"llm"},`, 1), "a step has no component_type"},
		{strings.Replace(inline(`{"$component_ref":"ln"}`), `"$referenced_components":{`, `"$referenced_components":{"ln":{"component_type":"LlmNode","id":"ln","name":"llm"},`, 1), "a step is of the kind LlmNode"},
	} {
		_, lost, err := agentspec.From(read(t, c.raw), agentspec.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := reasonAt(lost, "/control_flow_connections"); !strings.Contains(got, c.want+";") {
			t.Errorf("AAIF-11-5: told %q, want %q in it", got, c.want)
		}
	}
}
