package host_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif/route"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/run/fakemodel"
	"github.com/satchel-memory/satchel/internal/run/host"
	"github.com/satchel-memory/satchel/internal/run/model"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
)

// fleet is three providers with a model each, A, B and C, which answer over HTTP. Time passes
// only while they answer.
type fleet struct {
	*place
	*fakemodel.Handler
	tempo map[string]time.Duration // how long a model takes; by its name
	since atomic.Int64             // nanoseconds that have passed
	runs  int
}

// usdOf, windowOf and qualityOf are what the operator knows of the models.
func usdOf() map[string]float64     { return map[string]float64{"A": 0.005, "B": 0.001, "C": 0.002} }
func windowOf() map[string]int      { return map[string]int{"A": 128_000, "B": 4_000, "C": 32_000} }
func qualityOf() map[string]float64 { return map[string]float64{"A": 80, "B": 85, "C": 91} }

// openFleet opens a platform over a fleet that calls a tool in every turn but the last.
func openFleet(t *testing.T, turns int, tempo map[string]time.Duration, faults ...model.Step) *fleet {
	t.Helper()
	steps := slices.Clone(faults)
	for n := range turns - 1 {
		steps = append(steps, turn(n, asks("look")))
	}
	f := &fleet{place: open(t, vaulttest.Open(t)), tempo: tempo, Handler: fakemodel.New(model.NewScript(append(steps, turn(turns-1, model.Step{Answer: "Done."}))...))}
	served := httptest.NewServer(f)
	t.Cleanup(func() { served.CloseClientConnections(); served.Close() })
	began := time.Now()
	f.options.Now = func() time.Time { return began.Add(time.Duration(f.since.Load())) }
	f.set(func(s *host.Settings) {
		s.Models = route.Operator{}
		for name, provider := range map[string]string{"A": "openai", "B": "groq", "C": "together"} {
			usd, quality, at := usdOf()[name], qualityOf()[name], route.Target{Provider: provider, Model: name}
			s.Models.Providers = append(s.Models.Providers, route.Provider{Name: provider, BaseURL: served.URL + "/" + name + "/v1"})
			s.Models.Models = append(s.Models.Models, route.Model{Target: at, Context: windowOf()[name], Input: &usd, Output: &usd, Quality: &quality})
		}
	})
	return f
}

// ServeHTTP lets a model take its time.
func (f *fleet) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	f.since.Add(int64(f.tempo[name]))
	f.Handler.ServeHTTP(w, r)
}

// run runs an agent whose models are A, then B, then C, and returns which were asked, in order.
func (f *fleet) run(routing, ceiling string, members ...string) (asked string, r run.Run) {
	f.T.Helper()
	if routing != "" {
		routing = "," + routing
	}
	look := `{"name":"look","description":"Looks.","protocol":"http","endpoint":"` + f.toolsAt + `/call/look","parameters_schema":{"type":"object"}}`
	f.define(`{"provider":"openai","preferred":"A","fallbacks":[{"provider":"groq","model":"B"`+ceiling+`},{"provider":"together","model":"C"}]`+routing+`}`, look, members...)
	f.runs++
	id := fmt.Sprintf("%08d-2222-4333-8444-555555555555", f.runs)
	if _, err := f.Host.Start(f.Ctx, f.Me(), host.Start{RunID: id, Agent: agentID, Input: canon.String("Look.")}); err != nil {
		return err.Error(), run.Run{}
	}
	before := len(f.Requests())
	r, err := f.Continue(f.Ctx, f.Me(), id, run.ContinueOptions{})
	if err != nil {
		f.T.Fatal(err)
	}
	for _, one := range f.Requests()[before:] {
		asked += one.Model
	}
	return asked, r
}

// TestFleet routes whole runs over a fleet of providers, with every strategy and guard of section 4.2.
func TestFleet(t *testing.T) {
	t.Parallel()
	of := func(strategy string) string { return `"routing_strategy":"` + strategy + `"` }
	down := func(name string) model.Step { return model.Step{Model: name, Status: 503, Message: "down", Times: 100} }
	const once = `"runtime":{"max_retries":0}`
	for name, c := range map[string]struct {
		faults           []model.Step
		turns            int // 0: one
		tempo            map[string]time.Duration
		routing, ceiling string
		want, code       string
	}{
		"AAIF-4.2-2 the primary":                      {want: "A"},
		"AAIF-4.2-3 the fallbacks in order":           {faults: []model.Step{down("A"), {Model: "B", Status: 429, Times: 9}}, want: "ABC"},
		"AAIF-4.2-4 another 4xx":                      {faults: []model.Step{{Model: "A", Status: 400, Times: 9}}, want: "A", code: "MODEL_BAD_REQUEST"},
		"AAIF-4.2-4 no such model":                    {faults: []model.Step{{Model: "A", Fault: model.FaultUnknown, Times: 9}}, want: "AB"},
		"AAIF-4.2-4 as long as it asks to be left":    {faults: []model.Step{{Model: "A", Status: 429, RetryAfter: "30"}}, tempo: map[string]time.Duration{"B": 16 * time.Second}, turns: 3, want: "ABBA"},
		"AAIF-4.2-6 under the ceiling":                {faults: []model.Step{down("A")}, ceiling: `,"max_cost_usd_per_1k_tokens":0.001`, want: "AB"},
		"AAIF-4.2-6 above the ceiling":                {faults: []model.Step{down("A")}, ceiling: `,"max_cost_usd_per_1k_tokens":0.0009`, want: "AC"},
		"AAIF-4.2-7 AAIF-4.2-12 preferred_first":      {routing: of("preferred_first"), turns: 3, want: "AAA"},
		"AAIF-4.2-7 cost":                             {routing: of("cost"), turns: 3, want: "BBB"},
		"AAIF-4.2-7 quality":                          {routing: of("quality"), turns: 3, want: "CCC"},
		"AAIF-4.2-7 AAIF-4.2-11 round_robin":          {routing: of("round_robin"), turns: 6, want: "ABCABC"},
		"AAIF-4.2-8 the cheapest that is large":       {routing: of("cost") + `,"min_context_tokens":16000`, want: "C"},
		"AAIF-4.2-8 the next one where it is down":    {faults: []model.Step{down("C")}, routing: of("cost") + `,"min_context_tokens":16000`, want: "CA"},
		"AAIF-4.2-10 the next best":                   {faults: []model.Step{down("C")}, routing: of("quality"), want: "CB"},
		"AAIF-4.2-14 too small to stand in":           {faults: []model.Step{down("A"), down("C")}, routing: `"min_context_tokens":16000`, want: "AC", code: "MODEL_UNAVAILABLE"},
		"AAIF-4.2-14 under no strategy":               {routing: of("round_robin") + `,"min_context_tokens":32000`, turns: 4, want: "ACAC"},
		"AAIF-4.2-14 exactly enough":                  {routing: of("quality") + `,"min_context_tokens":32000`, want: "C"},
		"AAIF-4.2-14 AAIF-4.2-16 larger than all are": {routing: `"min_context_tokens":200000`, code: "MODEL_UNAVAILABLE"},
		"AAIF-4.2-16 all are down":                    {faults: []model.Step{down("A"), down("B"), down("C")}, want: "ABC", code: "MODEL_UNAVAILABLE"},
	} {
		t.Run("AAIF-4.2-1 "+name, func(t *testing.T) {
			t.Parallel()
			f := openFleet(t, max(c.turns, 1), c.tempo, c.faults...)
			asked, r := f.run(c.routing, c.ceiling, once)
			said := ""
			if r.Err != nil {
				said = r.Err.Code
			}
			if r.Start.Agent == "" { // it does not start
				asked, said = "", asked
			}
			if asked != c.want || !strings.Contains(said, c.code) || c.code == "" && r.Output != "Done." || len(f.Requests()) != len(c.want) {
				t.Errorf("asked %q and ended with %q %q, want %q and %q", asked, r.Output, said, c.want, c.code)
			}
		})
	}
	t.Run("AAIF-4.2-1 AAIF-4.2-7 AAIF-4.2-9 latency", func(t *testing.T) {
		t.Parallel()
		f := openFleet(t, 3, map[string]time.Duration{"A": 400 * time.Millisecond, "B": 900 * time.Millisecond, "C": 100 * time.Millisecond})
		for _, one := range []struct{ routing, want string }{
			{of("latency"), "AAA"}, // of the others nothing is known
			{of("round_robin"), "ABC"},
			{of("latency"), "CCC"},
			{of("latency") + `,"min_context_tokens":100000`, "AAA"},
		} {
			if asked, r := f.run(one.routing, "", once); asked != one.want || r.Output != "Done." {
				t.Errorf("%s: asked %q, want %q; %+v", one.routing, asked, one.want, r.Err)
			}
		}
	})
}
