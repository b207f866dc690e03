package assistants_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/exchange"
	"github.com/satchel-memory/satchel/aaif/exchange/exchangetest"
	"github.com/satchel-memory/satchel/canon"
)

// desk is a definition of the members that the specification's own converter carries.
const desk = `{"sc_standard":"SC-006","sc_version":"3.4.0","agent_id":"desk-1","agent":{"name":"Desk","goal":"Answer every letter.","instructions":"Be kind.",
	"model":{"provider":"custom","provider_id":"acme","preferred":"acme-large","temperature":0.2,"params":{"top_p":0.9},"response_format":"json"},
	"tools":[{"name":"look","description":"Looks.","protocol":"function","parameters_schema":{"type":"object","properties":{}}},
	{"name":"find","description":"Finds.","protocol":"mcp","endpoint":"mcp://desk/find"}]}}`

// deskOfTheirs is the assistant that the specification's own converter makes of it.
const deskOfTheirs = `{"name":"Desk","instructions":"Be kind.","model":"acme-large","temperature":0.2,"top_p":0.9,
	"tools":[{"type":"function","function":{"name":"look","description":"Looks.","parameters":{"type":"object","properties":{}}}}],"response_format":{"type":"json_object"},
	"metadata":{"x-aaif":"{\"sc_standard\":\"SC-006\",\"sc_version\":\"3.4.0\",\"agent\":{\"goal\":\"Answer every letter.\",\"model_provider\":\"custom\",\"model_provider_id\":\"acme\",\"response_format\":\"json\",\"nonfunction_tools\":[{\"name\":\"find\",\"description\":\"Finds.\",\"protocol\":\"mcp\",\"endpoint\":\"mcp://desk/find\"}]},\"agent_id\":\"desk-1\"}"}}`

// TestOfTheirs: an assistant of the specification's own converter comes in whole.
func TestOfTheirs(t *testing.T) {
	for name, c := range map[string]struct{ assistant, want string }{
		"core and tooled": {deskOfTheirs, desk},
		"the least": {`{"name":"Least","metadata":{"x-aaif":"{\"sc_standard\":\"SC-006\",\"sc_version\":null,\"agent\":{\"goal\":\"Say hello.\"}}"}}`,
			`{"sc_standard":"SC-006","agent":{"name":"Least","goal":"Say hello."}}`},
		"markdown": {`{"name":"M","model":"m","response_format":"auto","metadata":{"x-aaif":"{\"sc_standard\":\"SC-006\",\"sc_version\":\"3.0.0\",\"agent\":{\"goal\":\"G\",\"model_provider\":\"openai\",\"response_format\":\"markdown\"}}"}}`,
			`{"sc_standard":"SC-006","sc_version":"3.0.0","agent":{"name":"M","goal":"G","model":{"provider":"openai","preferred":"m","response_format":"markdown"}}}`},
		"a schema of answers": {`{"name":"S","model":"m","response_format":{"type":"json_schema","json_schema":{"name":"output","schema":{"type":"array"}}},"metadata":{"x-aaif":"{\"sc_standard\":\"SC-006\",\"sc_version\":\"3.0.0\",\"agent\":{\"goal\":\"G\",\"model_provider\":\"openai\",\"response_format\":\"json_schema\"}}"}}`,
			`{"sc_standard":"SC-006","sc_version":"3.0.0","agent":{"name":"S","goal":"G","model":{"provider":"openai","preferred":"m","response_format":"json_schema"},"io":{"output_schema":{"type":"array"}}}}`},
	} {
		t.Run("AAIF-11-4 AAIF-11-5 "+name, func(t *testing.T) {
			d, lost, err := from(exchangetest.Tree(t, c.assistant))
			if err != nil || len(lost) != 0 {
				t.Fatal(lost, err)
			}
			exchangetest.Same(t, d, c.want)
		})
	}
	t.Run("AAIF-11-4 an answer in another form is heard", func(t *testing.T) {
		for _, format := range []canon.Value{{}, canon.Null(), canon.String("auto")} {
			d, _, err := from(exchangetest.Tree(t, deskOfTheirs).With("response_format", format))
			if err != nil || d.Agent.Model.Value.Has("response_format") {
				t.Errorf("%s: got %q %v", format.Append(nil), d.Agent.Model.ResponseFormat, err)
			}
		}
	})
}

// readTheirWay reads an assistant as the specification's own converter does, which looks at
// one member of its metadata.
func readTheirWay(t *testing.T, a canon.Value) canon.Value {
	t.Helper()
	carry, err := canon.Parse([]byte(a.Get("metadata").Get("x-aaif").Text()), canon.Options{})
	if err != nil {
		t.Fatalf("the metadata's x-aaif is no JSON by itself: %v", err)
	}
	inner := carry.Get("agent")
	var model canon.Value
	if a.Has("model") {
		model = canon.Object(
			canon.Member{Name: "provider", Value: inner.Get("model_provider")}, canon.Member{Name: "provider_id", Value: inner.Get("model_provider_id")},
			canon.Member{Name: "preferred", Value: a.Get("model")}, canon.Member{Name: "temperature", Value: a.Get("temperature")}, canon.Member{Name: "response_format", Value: inner.Get("response_format")})
		if a.Has("top_p") {
			model = model.With("params", canon.Object(canon.Member{Name: "top_p", Value: a.Get("top_p")}))
		}
	}
	tools := canon.Array()
	for _, tool := range a.Get("tools").Items() {
		f := tool.Get("function")
		tools = tools.WithItem(tools.Len(), canon.Object(canon.Member{Name: "name", Value: f.Get("name")}, canon.Member{Name: "description", Value: f.Get("description")},
			canon.Member{Name: "protocol", Value: canon.String("function")}, canon.Member{Name: "parameters_schema", Value: f.Get("parameters")}))
	}
	for _, tool := range inner.Get("nonfunction_tools").Items() {
		tools = tools.WithItem(tools.Len(), tool)
	}
	return canon.Object(
		canon.Member{Name: "sc_standard", Value: carry.Get("sc_standard")}, canon.Member{Name: "sc_version", Value: carry.Get("sc_version")}, canon.Member{Name: "agent_id", Value: carry.Get("agent_id")},
		canon.Member{Name: "agent", Value: canon.Object(canon.Member{Name: "name", Value: a.Get("name")}, canon.Member{Name: "goal", Value: inner.Get("goal")},
			canon.Member{Name: "instructions", Value: a.Get("instructions")}, canon.Member{Name: "model", Value: model}, canon.Member{Name: "tools", Value: tools})})
}

// TestForThem: the specification's own converter reads our assistants, whatever else they carry.
func TestForThem(t *testing.T) {
	v := exchangetest.Tree(t, desk)
	check := func(t *testing.T, v canon.Value) (canon.Value, string) {
		t.Helper()
		a, lost := convert(t, v)
		back, missing, err := from(a)
		if err != nil || len(missing) != 0 || !canon.Equal(back.Document(), v) {
			t.Errorf("it does not come back: %v %v %s", missing, err, back.Document().Append(nil))
		}
		return a, fmt.Sprint(lost)
	}
	t.Run("AAIF-11-4 AAIF-11-5 core and tooled", func(t *testing.T) {
		a, _ := check(t, v)
		if got := readTheirWay(t, a); !canon.Equal(got, v) {
			t.Errorf("got %s", got.Append(nil))
		}
	})
	t.Run("AAIF-11-4 AAIF-12-6 beside constraints that take many pieces", func(t *testing.T) {
		agent := v.Get("agent").With("constraints", canon.Array(canon.String(strings.Repeat("Never pay. ", 200)))).With("compliance", exchangetest.Tree(t, `{"audit_log":true}`))
		a, _ := check(t, v.With("agent", agent))
		if got := readTheirWay(t, a); !canon.Equal(got, v) {
			t.Errorf("got %s", got.Append(nil))
		}
		for i := range a.Get("metadata").Len() - 1 {
			a = a.With("metadata", a.Get("metadata").Without(fmt.Sprintf("x-aaif.%d", i+1)))
		}
		if _, _, err := from(a); aaif.CodeOf(err) != aaif.Incomplete {
			t.Errorf("AAIF-3-4: without the pieces that hold the constraints: %v", err)
		}
	})
	t.Run("AAIF-11-6 AAIF-3-4 what has no room there is told", func(t *testing.T) {
		long := v.With("agent", v.Get("agent").With("goal", canon.String(strings.Repeat("Answer. ", 100))))
		a, told := check(t, long)
		if got := readTheirWay(t, a).Get("agent"); got.Has("goal") || got.Get("tools").Len() != 2 {
			t.Errorf("got %s", got.Append(nil))
		}
		if !strings.Contains(told, "/agent/goal") || !strings.Contains(told, "does not read it") {
			t.Errorf("nothing says so: %s", told)
		}
	})
	t.Run("AAIF-11-6 AAIF-3-4 tools that have no room there are told", func(t *testing.T) {
		for _, first := range []string{"", `{"name":"look","description":"Looks."}`} {
			tools := canon.Array()
			if first != "" {
				tools = tools.WithItem(0, exchangetest.Tree(t, first))
			}
			for i := range 12 {
				tools = tools.WithItem(tools.Len(), exchangetest.Tree(t, fmt.Sprintf(`{"name":"t%d","description":"A tool of a server.","protocol":"mcp","endpoint":"mcp://desk/t%d"}`, i, i)))
			}
			if _, told := check(t, v.With("agent", v.Get("agent").With("tools", tools))); !strings.Contains(told, "does not read it") || strings.Contains(told, "/agent/goal: carried, not in force: it comes back, but nothing acts on it there;") {
				t.Errorf("nothing says so, or too much: %s", told)
			}
		}
	})
	t.Run("AAIF-11-5 what has room there is not told so", func(t *testing.T) {
		_, lost := convert(t, v)
		for _, l := range lost {
			if strings.Contains(l.Reason, "does not read it") || !exchange.IsCarried(l) {
				t.Errorf("got %v", l)
			}
		}
	})
}
