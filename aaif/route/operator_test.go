package route_test

import (
	"errors"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif/route"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

func parsed(t *testing.T, text string) canon.Value {
	t.Helper()
	v, err := canon.Parse([]byte(text), canon.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestReadOperator(t *testing.T) {
	o, err := route.ReadOperator(parsed(t, `{"providers":[{"name":"a","regions":["EU","mine"]}],
		"models":[{"provider":"a","model":"m","context_tokens":8000,"usd_per_1k_input":0.01,"usd_per_1k_output":0.03}],
		"substitutes":[{"for":{"provider":"a","model":"old"},"use":{"provider":"a","model":"m"}}],"custom_region":"CH"}`))
	if err != nil {
		t.Fatal(err)
	}
	price, known := o.Models[0].Price()
	if o.CustomRegion != "CH" || len(o.Providers) != 1 || o.Models[0].Context != 8000 || !known || price != 0.03 ||
		o.Substitutes[route.Target{Provider: "a", Model: "old"}] != (route.Target{Provider: "a", Model: "m"}) {
		t.Errorf("%+v", o)
	}
}

func TestReadOperatorRefuses(t *testing.T) {
	for name, c := range map[string]struct{ text, at string }{
		"a member that is not known": {`{"models":[{"provider":"a","model":"m","usd_per_1k_inptu":1}]}`, "/models/0/usd_per_1k_inptu"},
		"twice":                      {`{"providers":[{"name":"a"},{"name":"a"}]}`, "/providers/1"},
		"a region in another case":   {`{"providers":[{"name":"a","regions":["eu"]}]}`, "/providers"},
		"a price below nothing":      {`{"models":[{"provider":"a","model":"m","usd_per_1k_input":-1}]}`, "/models/0/usd_per_1k_input"},
		"no name":                    {`{"providers":[{}]}`, "/providers/0/name"},
		"no address":                 {`{"providers":[{"name":"a","base_url":"m"}]}`, "/providers/0/base_url"},
		"no host":                    {`{"egress":["https://m.example/v1"]}`, "/egress/0"},
		"no list":                    {`{"providers":{}}`, "/providers"},
		"no object":                  {`[]`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := route.ReadOperator(parsed(t, c.text))
			p, ok := errors.AsType[*codec.ParseError](err)
			if !ok || p.Path != c.at || p.Format != "operator table" || p.Rule == "" {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestReadHealth(t *testing.T) {
	o := route.Operator{Providers: []route.Provider{{Name: "a"}}, Models: []route.Model{{Target: route.Target{Provider: "b", Model: "m"}}}}
	seen, err := route.ReadHealth(parsed(t, `{"routes":[{"provider":"a","model":"x","down":true,"latency_ms":[1.5]},{"provider":"b","model":"m","limited_until":"2026-06-01T08:00:00Z"}]}`), o)
	if err != nil {
		t.Fatal(err)
	}
	if h := seen[route.Target{Provider: "a", Model: "x"}]; !h.Down || len(h.Samples) != 1 || h.Samples[0] != 1500*time.Microsecond {
		t.Errorf("%+v", h)
	}
	if h := seen[route.Target{Provider: "b", Model: "m"}]; h.Until.IsZero() {
		t.Errorf("%+v", h)
	}
}

func TestReadHealthRefuses(t *testing.T) {
	o := route.Operator{Providers: []route.Provider{{Name: "a"}}}
	for name, c := range map[string]struct{ text, at string }{
		"a provider that the operator lacks": {`{"routes":[{"provider":"aa","model":"m","down":true}]}`, "/routes/0/provider"},
		"no time":                            {`{"routes":[{"provider":"a","model":"m","limited_until":"soon"}]}`, "/routes/0/limited_until"},
		"no number":                          {`{"routes":[{"provider":"a","model":"m","latency_ms":["1"]}]}`, "/routes/0/latency_ms/0"},
		"neither true nor false":             {`{"routes":[{"provider":"a","model":"m","down":1}]}`, "/routes/0/down"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := route.ReadHealth(parsed(t, c.text), o)
			p, ok := errors.AsType[*codec.ParseError](err)
			if !ok || p.Path != c.at || p.Format != "health table" {
				t.Errorf("%v", err)
			}
		})
	}
}
