package assistants_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/assistants"
	"github.com/satchel-memory/satchel/aaif/exchange/exchangetest"
	"github.com/satchel-memory/satchel/canon"
)

// foreign is an assistant that no definition became.
const foreign = `{"id":"asst_abc123","object":"assistant","created_at":1699009709,"name":"Tutor","description":null,"model":"gpt-4o",
	"instructions":"You are a tutor.\nBe patient.","tools":[{"type":"code_interpreter"},{"type":"file_search","file_search":{"max_num_results":5}},
	{"type":"function","function":{"name":"2solve","description":"Solves.","parameters":{"type":"object","properties":{"x":{"type":"number"}}},"strict":true}}],
	"tool_resources":{"file_search":{"vector_store_ids":["vs_1"]}},"metadata":{"team":"blue"},"top_p":1.0,"temperature":0.7,"reasoning_effort":"low",
	"response_format":{"type":"json_schema","json_schema":{"name":"answer","schema":{"type":"object"},"strict":true}}}`

func samples(t testing.TB) map[string]canon.Value {
	ours, _, err := to(definition(t))
	if err != nil {
		t.Fatal(err)
	}
	return map[string]canon.Value{"an assistant": exchangetest.Tree(t, foreign), "an assistant of ours": ours}
}

func TestFrom(t *testing.T) {
	d, lost, err := from(exchangetest.Tree(t, foreign))
	if err != nil {
		t.Fatal(err)
	}
	t.Run("AAIF-11-4 an assistant without metadata has a goal made for it", func(t *testing.T) {
		want := `{"sc_standard":"SC-006","sc_version":"3.4.0","agent":{"name":"Tutor","instructions":"You are a tutor.\nBe patient.",` +
			`"model":{"provider":"openai","preferred":"gpt-4o","temperature":0.7,"params":{"top_p":1.0,"extended":{"reasoning_effort":"low"}},"response_format":"json_schema"},` +
			`"io":{"output_schema":{"type":"object"}},"tools":[{"name":"_2solve","description":"Solves.","parameters_schema":{"type":"object","properties":{"x":{"type":"number"}}}}],"goal":"You are a tutor."},` +
			`"provenance":{"source_platform":"openai-assistants","created_at":"2023-11-03T11:08:29Z"}}`
		exchangetest.Same(t, d, want)
	})
	t.Run("AAIF-11-5 each path that is not mapped is listed", func(t *testing.T) {
		listed := map[string]string{}
		for _, l := range lost {
			listed[l.Pointer] = l.Reason
		}
		for at, words := range map[string]string{"": "AAIF-4-8", "/id": "", "/tools/0": "not mapped", "/tools/1": "not mapped", "/tools/2/function/name": "_2solve", "/tools/2/function/strict": "",
			"/tool_resources": "", "/metadata": "", "/response_format/json_schema/name": "", "/response_format/json_schema/strict": ""} {
			if reason, ok := listed[at]; !ok || !strings.Contains(reason, words) {
				t.Errorf("%q is not listed so: %v", at, lost)
			}
		}
		if len(lost) != 10 {
			t.Errorf("got %v", lost)
		}
	})
}

func TestEdits(t *testing.T) {
	a, _, err := to(definition(t))
	if err != nil {
		t.Fatal(err)
	}
	edit := func(name string, v canon.Value) canon.Value {
		d, _, err := from(a.With(name, v))
		if err != nil {
			t.Fatal(err)
		}
		return d.Document()
	}
	at := func(v canon.Value, pointer string) string {
		found, _ := v.At(pointer)
		return string(found.Append(nil))
	}
	for _, c := range []struct {
		name    string
		value   canon.Value
		pointer string
		want    string
	}{
		{"instructions", canon.String("Other."), "/agent/instructions", `"Other."`},
		{"name", canon.String("Other"), "/agent/name", `"Other"`},
		{"model", canon.String("gpt-5"), "/agent/model/provider", `"openai"`},
		{"model", canon.String("gpt-5"), "/agent/model/provider_id", `null`},
		{"model", canon.String("gpt-5"), "/agent/model/preferred", `"gpt-5"`},
		{"response_format", exchangetest.Tree(t, `{"type":"json_object"}`), "/agent/model/response_format", `"json"`},
		{"tools", canon.Array(), "/agent/tools", ``},
		{"temperature", canon.Int(1), "/agent/model/temperature", `1`},
	} {
		t.Run("AAIF-11-4 whoever edits "+c.name+" is heard: "+c.pointer, func(t *testing.T) {
			got := at(edit(c.name, c.value), c.pointer)
			if c.name == "tools" {
				if strings.Contains(got, `"add"`) || !strings.Contains(got, `"find"`) {
					t.Errorf("got %s", got)
				}
			} else if got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
	t.Run("AAIF-11-4 earlier metadata", func(t *testing.T) {
		v := exchangetest.Tree(t, `{"object":"assistant","name":"N","model":"m","tools":[],"metadata":{"x-aaif":"{\"goal\":\"G\",\"provider\":\"custom\",\"provider_id\":\"acme\",\"odd\":1}"}}`)
		d, lost, err := from(v)
		if err != nil || d.Agent.Goal != "G" || d.Agent.Model.ProviderID != "acme" || d.Agent.Model.Preferred != "m" || len(lost) != 1 {
			t.Errorf("got %s %v %v", d.Document().Append(nil), lost, err)
		}
	})
	t.Run("AAIF-12-3 a secret in the metadata is left out and listed", func(t *testing.T) {
		secret := "ghp" + "_" + "k3Jx9QmZ7LpW2vRtY8bNcD4fGhS6aE1uT5oI"
		v := exchangetest.Tree(t, `{"object":"assistant","name":"N","model":"m","tools":[],"metadata":{"x-aaif":"{\"sc_standard\":\"SC-006\",\"agent\":{\"goal\":\"Use `+secret+`.\"}}"}}`)
		d, lost, err := from(v)
		if err != nil || strings.Contains(d.Agent.Goal, secret) || len(lost) != 1 || lost[0].Pointer != "/agent/goal" || !strings.Contains(lost[0].Reason, "AAIF-12-3") {
			t.Errorf("got %q %v %v", d.Agent.Goal, lost, err)
		}
	})
	t.Run("AAIF-11-4 what is no assistant is refused", func(t *testing.T) {
		for _, raw := range []string{`{"object":"thread"}`, `{"model":"m"}`, `[]`} {
			if _, _, err := from(exchangetest.Tree(t, raw)); err == nil || assistants.IsAssistant(exchangetest.Tree(t, raw)) {
				t.Errorf("%s: taken", raw)
			}
		}
	})
}

func FuzzFrom(f *testing.F) {
	ours, _, err := to(definition(f))
	if err != nil {
		f.Fatal(err)
	}
	exchangetest.Fuzz(f, exchangetest.JSON, from, []byte(foreign), ours.Append(nil))
}

func definition(t testing.TB) aaif.Definition {
	return aaif.ReadDefinition(exchangetest.Sample(t))
}

func TestUnknownMetadata(t *testing.T) {
	t.Run("AAIF-11-5 a member of no definition is named within bounds", func(t *testing.T) {
		v := exchangetest.Tree(t, `{"object":"assistant","name":"N","model":"m","metadata":{"x-aaif":"{\"`+strings.Repeat("q", 300)+`\":1}"}}`)
		_, lost, err := from(v)
		told := fmt.Sprint(lost)
		if err != nil || !strings.Contains(told, "the member qqq") || strings.Contains(told, strings.Repeat("q", 50)) {
			t.Errorf("got %v %v", lost, err)
		}
	})
}
