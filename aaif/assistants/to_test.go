package assistants_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/assistants"
	"github.com/satchel-memory/satchel/aaif/exchange"
	"github.com/satchel-memory/satchel/aaif/exchange/exchangetest"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

func from(v canon.Value) (aaif.Definition, []codec.Loss, error) {
	return assistants.From(v, exchange.Options{})
}

func to(d aaif.Definition) (canon.Value, []codec.Loss, error) {
	return assistants.To(d, exchange.Options{})
}

func TestLaws(t *testing.T) {
	exchangetest.Writing(t, exchangetest.Pair{To: to, From: from})
	exchangetest.Reading(t, exchangetest.Reader{From: from, Silent: silent, Packed: packed}, samples(t))
}

// silent is what says that it is an assistant.
func silent(at string) bool { return at == "/object" }

// packed is what holds pieces of a definition.
func packed(at string) bool { return strings.HasPrefix(at, "/metadata/x-aaif") }

// convert returns the assistant of a definition, held to the limits of assistants
// (AAIF-11-6).
func convert(t *testing.T, v canon.Value) (canon.Value, []codec.Loss) {
	t.Helper()
	a, lost, err := to(aaif.ReadDefinition(v))
	if err != nil {
		t.Fatal(err)
	}
	if n := a.Get("metadata").Len(); n > 16 {
		t.Errorf("%d names in the metadata", n)
	}
	for _, m := range a.Get("metadata").Members() {
		if n := len(utf16.Encode([]rune(m.Value.Text()))); n > 512 || len(m.Name) > 64 {
			t.Errorf("%s: %d characters", m.Name, n)
		}
	}
	return a, lost
}

// gone drops what comes back, though it is not in force.
func gone(lost []codec.Loss) []codec.Loss {
	return slices.DeleteFunc(slices.Clone(lost), exchange.IsCarried)
}

// What an assistant carries and does not act on is told, and told apart.
func TestCarried(t *testing.T) {
	v := exchangetest.Tree(t, `{"sc_standard":"SC-006","agent_id":"7b1f6d0e-3c55-4f0a-9a60-0f5f6f1f2a01","agent":{"name":"N","goal":"G","version":"1.0.0","skills":["s"],"instructions":"I",
		"model":{"provider":"anthropic","preferred":"m","temperature":1},"tools":[{"name":"f","description":"F","protocol":"function","timeout_seconds":5},{"name":"m","description":"M","protocol":"mcp","endpoint":"mcp://s/m"}],
		"constraints":["Never.","Nor."],"compliance":{"audit_log":true,"human_in_the_loop":{"enabled":true}}},"provenance":{"authored_by":"A"}}`)
	a, lost := convert(t, v)
	var told []string
	for _, l := range lost {
		told = append(told, l.Pointer)
		if !exchange.IsCarried(l) || !strings.HasPrefix(l.Reason, "carried, not in force") {
			t.Errorf("got %v", l)
		}
	}
	t.Run("AAIF-3-4 AAIF-12-6 all of it, and nothing that is in force", func(t *testing.T) {
		want := "/agent/compliance/audit_log /agent/compliance/human_in_the_loop/enabled /agent/constraints/0 /agent/constraints/1 /agent/goal /agent/model/provider /agent/tools/0/timeout_seconds /agent/tools/1"
		if got := strings.Join(told, " "); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	})
	t.Run("AAIF-3-4 AAIF-12-6 constraints and compliance weigh, what else is carried does not", func(t *testing.T) {
		for _, l := range lost {
			guarded := strings.HasPrefix(l.Pointer, "/agent/con") || strings.HasPrefix(l.Pointer, "/agent/com")
			if exchange.Matters(l) != guarded || strings.Contains(l.Reason, "[AAIF-") != guarded {
				t.Errorf("%v weighs: %t", l, exchange.Matters(l))
			}
		}
		if !exchange.Matters(codec.Loss{Pointer: "/agent/goal", Reason: codec.NoPlace}) {
			t.Error("what is lost does not weigh")
		}
	})
	t.Run("AAIF-11-4 it comes back", func(t *testing.T) {
		back, _, err := from(a)
		if err != nil || !canon.Equal(back.Document(), v) {
			t.Errorf("got %s %v", back.Document().Append(nil), err)
		}
	})
	t.Run("AAIF-12-6 every constraint and rule of a definition with every member is told", func(t *testing.T) {
		_, lost := convert(t, exchangetest.Sample(t))
		for _, at := range []string{"constraints/0", "compliance/safety_level", "compliance/data_residency", "compliance/pii_handling", "compliance/audit_log", "compliance/human_in_the_loop/trigger/lang"} {
			if !slices.ContainsFunc(lost, func(l codec.Loss) bool { return l.Pointer == "/agent/"+at && exchange.Matters(l) }) {
				t.Errorf("nothing says that /agent/%s is not in force: %v", at, lost)
			}
		}
	})
}

func TestTo(t *testing.T) {
	full := exchangetest.Sample(t)
	t.Run("AAIF-11-4 a definition with every member comes back as it was", func(t *testing.T) {
		a, lost := convert(t, full)
		back, _, err := from(a)
		if err != nil || len(gone(lost)) != 0 {
			t.Fatal(lost, err)
		}
		if got, want := string(back.Document().AppendCanonical(nil)), string(full.AppendCanonical(nil)); got != want {
			t.Error(cmp.Diff(want, got))
		}
	})
	t.Run("AAIF-11-5 what an assistant says", func(t *testing.T) {
		v := exchangetest.Tree(t, `{"sc_standard":"SC-006","agent":{"name":"N","goal":"G","instructions":"I","model":{"provider":"openai","preferred":"gpt-4o","temperature":0.2,"params":{"top_p":0.5,"seed":7},
			"response_format":"json_schema"},"io":{"output_schema":{"type":"object"}},"tools":[{"name":"f","description":"F","parameters_schema":{"type":"object"}},{"name":"m","description":"M","protocol":"mcp","endpoint":"mcp://s/m"}],
			"constraints":["Never."]}}`)
		want := `{"object":"assistant","name":"N","model":"gpt-4o","instructions":"I","tools":[{"type":"function","function":{"name":"f","description":"F","parameters":{"type":"object"}}}],` +
			`"temperature":0.2,"top_p":0.5,"response_format":{"type":"json_schema","json_schema":{"name":"output","schema":{"type":"object"}}},` +
			`"metadata":{"x-aaif":"{\"sc_standard\":\"SC-006\",\"agent\":{\"model_provider\":\"openai\",\"response_format\":\"json_schema\",\"goal\":\"G\",` +
			`\"nonfunction_tools\":[{\"name\":\"m\",\"description\":\"M\",\"protocol\":\"mcp\",\"endpoint\":\"mcp://s/m\"}]},\"x-aaif-pieces\":1}",` +
			`"x-aaif.1":"{\"sc_standard\":\"SC-006\",\"agent\":{\"constraints\":[\"Never.\"],\"model\":{\"params\":{\"seed\":7}},` +
			`\"tools\":[{\"name\":\"f\"},{\"name\":\"m\",\"protocol\":\"mcp\"}]}}"}}`
		a, lost := convert(t, v)
		if got := string(a.Append(nil)); got != want || len(gone(lost)) != 0 {
			t.Errorf("%v\n%s", lost, cmp.Diff(want, got))
		}
	})
	t.Run("AAIF-11-6 what does not fit is listed, constraints last", func(t *testing.T) {
		v := full
		agent := v.Get("agent").With("goal", canon.String(strings.Repeat("Goal. ", 300)))
		tools := canon.Array()
		for i := range 20 {
			tools = tools.WithItem(i, exchangetest.Tree(t, fmt.Sprintf(`{"name":"t%d","description":%q,"protocol":"http","endpoint":"https://h.example/%d"}`, i, strings.Repeat("é", 300), i)))
		}
		agent = agent.With("constraints", canon.Array(canon.String(strings.Repeat("Never ever. ", 150))))
		v = v.With("agent", agent.With("tools", tools))
		a, lost := convert(t, v)
		back, _, err := from(a)
		if err != nil || len(gone(lost)) == 0 {
			t.Fatal(lost, err)
		}
		for _, name := range []string{"constraints", "compliance"} {
			if !canon.Equal(back.Document().Get("agent").Get(name), agent.Get(name)) {
				t.Errorf("%s did not go first", name)
			}
		}
		if n := len(back.Agent.Tools); n == 0 || n == 20 {
			t.Errorf("%d tools fit", n)
		}
		exchangetest.Pair{To: to, From: from}.Check(t, v)
	})
	t.Run("AAIF-12-6 constraints go before what stands before them", func(t *testing.T) {
		context := canon.Array()
		for i := range 30 {
			context = context.WithItem(i, exchangetest.Tree(t, fmt.Sprintf(`{"type":"text","value":%q}`, strings.Repeat("x", 300))))
		}
		v := exchangetest.Tree(t, `{"sc_standard":"SC-006","agent":{"name":"N","goal":"G","model":{"preferred":"m"}}}`)
		v = v.With("agent", v.Get("agent").With("context", context).With("constraints", canon.Array(canon.String(strings.Repeat("Never ever. ", 150)))))
		_, lost := convert(t, v)
		lost = gone(lost)
		if told := fmt.Sprint(lost); !strings.Contains(told, "/agent/context/29") || strings.Contains(told, "/agent/constraints") {
			t.Errorf("got %v", lost)
		}
	})
	t.Run("AAIF-12-6 constraints that do not fit are listed with the requirement", func(t *testing.T) {
		v := full.With("agent", full.Get("agent").With("constraints", canon.Array(canon.String("No."), canon.String(strings.Repeat("Never ever. ", 800)), canon.String("Nor."))))
		_, lost := convert(t, v)
		lost = gone(lost)
		told := map[string]string{}
		for _, l := range lost {
			told[l.Pointer] = l.Reason
		}
		if _, ok := told["/agent/constraints/0"]; ok || !strings.Contains(told["/agent/constraints/1"], "AAIF-12-6") || !strings.Contains(told["/agent/constraints/2"], "512") {
			t.Errorf("got %v", lost)
		}
		exchangetest.Pair{To: to, From: from}.Check(t, v)
	})
	t.Run("AAIF-12-16 a signature that would not hold does not leave", func(t *testing.T) {
		v := full.With("provenance", full.Get("provenance").With("signature", canon.String(strings.Repeat("A", 86)+"==")))
		if a, lost := convert(t, v); len(gone(lost)) != 0 || !strings.Contains(string(a.Get("metadata").Append(nil)), "AAAA==") {
			t.Errorf("got %v", lost)
		}
		v = v.With("agent", v.Get("agent").With("goal", canon.String(strings.Repeat("Goal. ", 2000))))
		a, lost := convert(t, v)
		if strings.Contains(string(a.Get("metadata").Append(nil)), "AAAA==") || !strings.Contains(fmt.Sprint(lost), "/provenance/signature") {
			t.Errorf("got %v", lost)
		}
	})
}
