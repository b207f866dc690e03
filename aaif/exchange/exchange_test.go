package exchange_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/exchange"
	"github.com/satchel-memory/satchel/aaif/exchange/exchangetest"
	"github.com/satchel-memory/satchel/canon"
)

func open(t *testing.T, raw string, o exchange.Options) *exchange.Source {
	t.Helper()
	s, err := exchange.Open("test", exchangetest.Tree(t, raw), o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestProvider(t *testing.T) {
	for name, want := range map[string]string{
		"openai": `{"provider":"openai"}`, "Anthropic": `{"provider":"anthropic"}`, "azure": `{"provider":"azure_openai"}`, "google-ai": `{"provider":"google"}`,
		"vllm": `{"provider":"custom","provider_id":"vllm"}`, "Acme AI": `{"provider":"custom","provider_id":"Acme AI"}`, "custom": `{"provider":"custom","provider_id":"custom"}`, " ": `null`,
	} {
		t.Run("AAIF-10-5 "+name, func(t *testing.T) {
			d := exchange.NewDraft()
			d.Provider(name)
			if got := string(d.Get("agent", "model").Append(nil)); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}

func TestLost(t *testing.T) {
	for name, c := range map[string]struct{ before, after, want string }{
		"nothing":                     {`{"a":1.0}`, `{"a":1}`, ""},
		"a whole":                     {`{"a":{"b":1,"c":2}}`, `{}`, "/a"},
		"a part":                      {`{"a":{"b":1,"c":2}}`, `{"a":{"b":1}}`, "/a/c"},
		"null is not nothing":         {`{"a":null}`, `{}`, "/a"},
		"what came to it":             {`{}`, `{"a":1}`, "/a"},
		"an item":                     {`{"a":[1,2]}`, `{"a":[1]}`, "/a/1"},
		"an item by its name":         {`{"a":[{"name":"x"},{"name":"y"}]}`, `{"a":[{"name":"y"}]}`, "/a/0"},
		"the order":                   {`{"a":[{"name":"x"},{"name":"y"}]}`, `{"a":[{"name":"y"},{"name":"x"}]}`, "/a"},
		"an item that came":           {`{"a":[{"name":"x"}]}`, `{"a":[{"name":"x"},{"name":"y"}]}`, "/a"},
		"each constraint by itself":   {`{"agent":{"constraints":["a","b"]}}`, `{"agent":{"x":1}}`, "/agent/constraints/0 /agent/constraints/1 /agent/x"},
		"each rule of compliance":     {`{"agent":{"compliance":{"a":1,"b":{"c":2}}}}`, `{"agent":{"compliance":{}}}`, "/agent/compliance/a /agent/compliance/b/c"},
		"integers that doubles round": {`{"a":9007199254740993}`, `{"a":9007199254740992}`, "/a"},
	} {
		t.Run("AAIF-3-4 "+name, func(t *testing.T) {
			var got []string
			for _, l := range exchange.Lost(exchangetest.Tree(t, c.before), exchangetest.Tree(t, c.after), nil) {
				got = append(got, l.Pointer)
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestFinish(t *testing.T) {
	t.Run("AAIF-3-4 what AAIF does not take goes, and nothing beside it", func(t *testing.T) {
		s := open(t, `{}`, exchange.Options{})
		d := exchange.NewDraft()
		d.Value = exchangetest.Tree(t, `{"sc_standard":"SC-006","odd":1,"agent":{"name":"N","goal":"G","constraints":["a",1,"b",null,"c"],"compliance":{"safety_level":"maximum","audit_log":true},
			"tools":[{"name":"x","description":"","protocol":"http"},{"name":"y","description":"","timeout_seconds":0},{"name":"z","description":""}]}}`)
		got, lost, err := s.Finish(d)
		if err != nil {
			t.Fatal(err)
		}
		want := `{"sc_standard":"SC-006","agent":{"name":"N","goal":"G","constraints":["a","b","c"],"compliance":{"audit_log":true},"tools":[{"name":"y","description":""},{"name":"z","description":""}]}}`
		exchangetest.Same(t, got, want)
		told := fmt.Sprint(lost)
		for _, words := range []string{"/odd", "/agent/constraints/1", "/agent/constraints/3", "AAIF-12-6", "/agent/compliance/safety_level", "AAIF-3-4", "/agent/tools/0:", "/agent/tools/1/timeout_seconds"} {
			if !strings.Contains(told, words) {
				t.Errorf("%s is not listed: %v", words, lost)
			}
		}
	})
	t.Run("AAIF-4-7 without a name there is no definition", func(t *testing.T) {
		s := open(t, `{}`, exchange.Options{})
		if _, _, err := s.Finish(exchange.NewDraft()); aaif.CodeOf(err) != aaif.SchemaViolation {
			t.Errorf("got %v", err)
		}
	})
	t.Run("AAIF-12-4 what the owner allows is no secret", func(t *testing.T) {
		secret := "ghp" + "_" + "k3Jx9QmZ7LpW2vRtY8bNcD4fGhS6aE1uT5oI"
		raw := `{"a":"` + secret + `"}`
		if got := open(t, raw, exchange.Options{}).Root().Get("a").Peek(); strings.Contains(got, secret) {
			t.Errorf("got %q", got)
		}
		allow := exchange.Options{Allow: func(pointer, text string) bool { return pointer == "/a" && text == secret }}
		if got := open(t, raw, allow).Root().Get("a").Peek(); got != secret {
			t.Errorf("got %q", got)
		}
	})
}

func TestToolNames(t *testing.T) {
	s := open(t, `["a b","a_b","a_b_2","a b","9","","é","`+strings.Repeat("x", 70)+`","`+strings.Repeat("x", 70)+`"]`, exchange.Options{})
	d := exchange.NewDraft()
	var got []string
	for _, p := range s.Root().Items() {
		got = append(got, d.ToolName(p))
	}
	want := []string{"a_b", "a_b_2", "a_b_2_2", "a_b_3", "_9", "_", "__2", strings.Repeat("x", 64), strings.Repeat("x", 62) + "_2"}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("AAIF-4.4-2: got %v, want %v", got, want)
	}
}

// A document of many tools of one name takes no longer for each of them than one of few.
func TestManyToolsOfOneName(t *testing.T) {
	items := make([]canon.Value, 40_000)
	for i := range items {
		items[i] = canon.String("a")
	}
	s, err := exchange.Open("test", canon.Array(items...), exchange.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d, done := exchange.NewDraft(), make(chan string)
	go func() {
		name := ""
		for _, p := range s.Root().Items() {
			name = d.ToolName(p)
		}
		done <- name
	}()
	select {
	case name := <-done:
		if name != "a_40000" {
			t.Errorf("got %s", name)
		}
	case <-time.After(time.Minute):
		t.Error("still at it")
	}
}
