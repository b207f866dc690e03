package agentspec_test

import (
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif/agentspec"
	"github.com/satchel-memory/satchel/aaif/exchange/exchangetest"
)

// TestConfirmation: what may ask for approval, in whatever form, is told.
func TestConfirmation(t *testing.T) {
	for at, parts := range map[string]string{
		"/tools/0/requires_confirmation":                   `"tools":[{"component_type":"ServerTool","name":"a","requires_confirmation":"yes"}]`,
		"/toolboxes/0/requires_confirmation":               `"toolboxes":[{"component_type":"MCPToolBox","name":"B","requires_confirmation":1,"tool_filter":["a"]}]`,
		"/toolboxes/0/tool_filter/0/requires_confirmation": `"toolboxes":[{"component_type":"MCPToolBox","name":"B","tool_filter":[{"component_type":"MCPToolSpec","name":"a","requires_confirmation":"true"}]}]`,
	} {
		t.Run("AAIF-3-4 AAIF-12-6 "+at, func(t *testing.T) {
			_, lost, err := agentspec.From(exchangetest.Tree(t, `{"component_type":"Agent","agentspec_version":"25.4.1","name":"A","system_prompt":"S",`+parts+`}`), agentspec.Options{})
			told := false
			for _, l := range lost {
				told = told || l.Pointer == at && strings.Contains(l.Reason, "AAIF-3-4") && strings.Contains(l.Reason, "AAIF-12-6")
			}
			if err != nil || !told {
				t.Errorf("got %v %v", lost, err)
			}
		})
	}
}
