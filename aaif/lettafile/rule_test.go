package lettafile_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif/exchange"
	"github.com/satchel-memory/satchel/aaif/exchange/exchangetest"
)

// TestRules: whatever a rule asks approval of is asked for approval of, or told.
func TestRules(t *testing.T) {
	for name, c := range map[string]struct{ tools, rules, gated, lost string }{
		"two tools of one name": {`{"id":"1","name":"send","json_schema":{"name":"send"}},{"id":"2","name":"send","json_schema":{"name":"send"}}`,
			`{"tool_name":"send","type":"requires_approval"}`, "send send_2", ""},
		"by the name of the tool": {`{"id":"1","name":"a","json_schema":{"name":"b"}}`, `{"tool_name":"a","type":"requires_approval"}`, "b", ""},
		"by that of its schema":   {`{"id":"1","name":"a","json_schema":{"name":"b"}}`, `{"tool_name":"b","type":"requires_approval"}`, "b", ""},
		"by either of two tools": {`{"id":"1","name":"a","json_schema":{"name":"b"}},{"id":"2","name":"c","json_schema":{"name":"a"}}`,
			`{"tool_name":"a","type":"requires_approval"}`, "b a", ""},
		"twice":                    {`{"id":"1","name":"a","json_schema":{"name":"a"},"default_requires_approval":true}`, `{"tool_name":"a","type":"requires_approval"},{"tool_name":"a","type":"requires_approval"}`, "a", ""},
		"a tool that is not there": {`{"id":"1","name":"a","json_schema":{"name":"a"}}`, `{"tool_name":"x","type":"requires_approval"}`, "", "/agents/0/tool_rules/0"},
		"a tool of Letta's own":    {`{"id":"1","name":"send_message","tool_type":"letta_core","json_schema":{"name":"send_message"}}`, `{"tool_name":"send_message","type":"requires_approval"}`, "", "/agents/0/tool_rules/0"},
		"a tool without a name":    {`{"id":"1","name":"a","json_schema":{"name":"a"}}`, `{"type":"requires_approval"}`, "", "/agents/0/tool_rules/0"},
		"by either of two of one name": {`{"id":"1","name":"a","json_schema":{"name":"b"}},{"id":"2","name":"a","json_schema":{"name":"c"}}`,
			`{"tool_name":"a","type":"RequiresApproval"}`, "b c", ""},
		"no yes, and no no": {`{"id":"1","name":"a","json_schema":{"name":"a"},"default_requires_approval":"true"}`, ``, "", "/tools/0/default_requires_approval"},
	} {
		t.Run("AAIF-3-4 AAIF-12-6 "+name, func(t *testing.T) {
			d, lost, err := from(exchangetest.Tree(t, `{"agents":[{"name":"N","system":"S","tool_ids":["1","2"],"tool_rules":[`+c.rules+`]}],"tools":[`+c.tools+`]}`))
			if err != nil {
				t.Fatal(err)
			}
			names, _ := d.Document().At("/agent/compliance/human_in_the_loop/trigger/expr/in/1")
			var gated []string
			for _, n := range names.Items() {
				gated = append(gated, n.Text())
			}
			if got := strings.Join(gated, " "); got != c.gated {
				t.Errorf("gated: %q, want %q", got, c.gated)
			}
			told := ""
			for _, l := range lost {
				if strings.Contains(l.Reason, "AAIF-3-4") && strings.Contains(l.Reason, "AAIF-12-6") && exchange.Matters(l) {
					told += l.Pointer
				}
			}
			if told != c.lost {
				t.Errorf("told: %q, want %q: %s", told, c.lost, fmt.Sprint(lost))
			}
		})
	}
}
