package run_test

import (
	"context"
	"math/rand"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/route"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/run/model"
)

// silentModel never answers.
type silentModel struct{}

func (silentModel) Ask(ctx context.Context, _ route.Candidate, _ model.Request) (model.Answer, route.Outcome, error) {
	<-ctx.Done()
	return model.Answer{}, route.Outcome{}, ctx.Err()
}

func routeModel(usd float64) route.Model {
	return route.Model{Target: route.Target{Provider: "openai", Model: "m"}, Input: &usd, Output: &usd}
}

// fleet answers each route with the statuses listed for it, and with 200 after those.
type fleet struct {
	statuses map[string][]int
	log      []string
	now      func() time.Time
	rest     time.Duration
}

func (f *fleet) Ask(_ context.Context, c route.Candidate, _ model.Request) (model.Answer, route.Outcome, error) {
	f.log = append(f.log, c.Model)
	o := route.Outcome{Status: 200, At: f.now(), RetryAfter: f.rest}
	if left := f.statuses[c.Model]; len(left) > 0 {
		o.Status, f.statuses[c.Model] = left[0], left[1:]
	}
	if o.Status != 200 {
		return model.Answer{}, o, &model.Error{Kind: model.Refused, Provider: c.Provider, Status: o.Status}
	}
	return says("Done."), o, nil
}

func TestRoutes(t *testing.T) {
	always := func(status int) (all []int) {
		for range 50 {
			all = append(all, status)
		}
		return all
	}
	for name, c := range map[string]struct {
		statuses  map[string][]int
		fallbacks []string
		retries   int
		backoff   string
		rest      time.Duration
		log, code string
		slept     string
	}{
		"AAIF-4.2-2 the declared one first":        {fallbacks: []string{"f"}, log: "m"},
		"AAIF-4.2-3 the fallbacks in order":        {statuses: map[string][]int{"m": {503}, "f": {429}}, fallbacks: []string{"f", "g"}, log: "m f g"},
		"AAIF-4.2-4 another 4xx is no reason":      {statuses: map[string][]int{"m": {400}}, fallbacks: []string{"f"}, log: "m", code: "MODEL_BAD_REQUEST"},
		"AAIF-4.6-4 transient failures again":      {statuses: map[string][]int{"m": {503, 503}}, retries: 2, log: "m m m", slept: "1s 2s"},
		"AAIF-4.6-4 refusals not":                  {statuses: map[string][]int{"m": {401}}, retries: 2, log: "m", code: "MODEL_BAD_REQUEST"},
		"AAIF-4.6-4 not at all":                    {statuses: map[string][]int{"m": {503}}, log: "m", code: "MODEL_UNAVAILABLE"},
		"AAIF-4.2-26 the whole chain":              {statuses: map[string][]int{"m": always(503), "f": always(503)}, fallbacks: []string{"f"}, retries: 2, log: "m f m f m f", code: "MODEL_UNAVAILABLE", slept: "1s 2s"},
		"AAIF-4.6-5 fixed":                         {statuses: map[string][]int{"m": always(500)}, retries: 3, backoff: "fixed", log: "m m m m", code: "MODEL_UNAVAILABLE", slept: "1s 1s 1s"},
		"AAIF-4.6-5 linear":                        {statuses: map[string][]int{"m": always(500)}, retries: 3, backoff: "linear", log: "m m m m", code: "MODEL_UNAVAILABLE", slept: "1s 2s 3s"},
		"AAIF-4.6-5 exponential":                   {statuses: map[string][]int{"m": always(500)}, retries: 3, backoff: "exponential", log: "m m m m", code: "MODEL_UNAVAILABLE", slept: "1s 2s 4s"},
		"AAIF-4.2-4 as long as it asks to be left": {statuses: map[string][]int{"m": {429}}, retries: 2, rest: 30 * time.Second, log: "m m", slept: "1s 29s"},
	} {
		t.Run(name, func(t *testing.T) {
			h := open(t)
			f := &fleet{statuses: c.statuses, now: func() time.Time { return h.now }, rest: c.rest}
			h.def.Agent.Runtime.MaxRetries, h.def.Agent.Runtime.Backoff = &c.retries, c.backoff
			for _, name := range c.fallbacks {
				h.def.Agent.Model.Fallbacks = append(h.def.Agent.Model.Fallbacks, aaif.Route{Provider: "openai", Model: name})
			}
			x := h.executor("a")
			x.Open = func(context.Context, *run.Run, *run.Thread) (*run.Setup, error) {
				return &run.Setup{Definition: h.def, Operator: h.route, Models: f, Tools: h.bench, Rules: h.rules, Close: func() {}}, nil
			}
			h.start(run.Start{})
			r, err := x.Continue(t.Context(), runID, run.ContinueOptions{})
			if err != nil {
				t.Fatal(err)
			}
			code := ""
			if r.Err != nil {
				code = r.Err.Code
			}
			if got := strings.Join(f.log, " "); got != c.log || code != c.code {
				t.Errorf("asked %s, code %q", got, code)
			}
			var slept []string
			for _, d := range h.slept {
				slept = append(slept, d.Round(time.Second).String())
			}
			if got := strings.Join(slept, " "); got != c.slept {
				t.Errorf("slept %s", got)
			}
			if r.Err != nil && (r.Err.Retries == nil || r.Err.Step == "" || r.Err.OccurredAt.IsZero() || r.Err.Message == "" || c.code == "MODEL_UNAVAILABLE" && !strings.Contains(r.Err.Message, "status")) {
				t.Errorf("AAIF-4.6-10: got %+v", r.Err)
			}
		})
	}
	t.Run("AAIF-4.2-19 nothing is set up", func(t *testing.T) {
		h := open(t, says("never"))
		h.route = route.Operator{}
		h.start(run.Start{})
		if r := h.goOn(); r.Err == nil || r.Err.Code != route.ProviderUnconfigured || len(h.models.asked) != 0 {
			t.Errorf("got %+v", r.Err)
		}
	})
	t.Run("AAIF-4-10 before every turn", func(t *testing.T) {
		h := open(t, calls("look"), calls("look"), says("Done."))
		h.start(run.Start{})
		h.goOn()
		for i, q := range h.models.asked {
			if q.System != "Be a clerk." {
				t.Errorf("turn %d: %q", i, q.System)
			}
		}
	})
}

// TestAnyOrder applies events in random order: whatever is refused changes nothing, and no
// status follows one that it must not follow.
func TestAnyOrder(t *testing.T) {
	kinds := []run.Kind{run.Resumed, run.Asked, run.Answered, run.Allowed, run.AskedFor, run.Approved, run.Rejected, run.Sent, run.Returned, run.Paused, run.Leaving, run.Left, run.Stayed, run.Completed, run.Failed}
	random := rand.New(rand.NewSource(1))
	seen := map[string]bool{}
	for range 1000 {
		r, twin := run.Run{ID: runID}, run.Run{ID: runID} // the twin hears of no event that was refused
		at := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
		for _, r := range []*run.Run{&r, &twin} {
			if err := r.Apply(run.Event{Number: 1, At: at, Kind: run.Started, Start: &run.Start{Limits: run.DefaultLimits(), Input: []byte(`"x"`)}}); err != nil {
				t.Fatal(err)
			}
		}
		for range 40 {
			e := run.Event{Number: r.Events + 1, At: at, Kind: kinds[random.Intn(len(kinds))]}
			if len(r.Calls) > 0 {
				e.Call, e.Digest = r.Calls[random.Intn(len(r.Calls))].ID, r.Calls[0].Digest
			}
			if e.Kind == run.Answered && random.Intn(2) == 0 {
				e.Calls = []run.ToolCall{{ID: "a", Tool: "pay", Arguments: []byte(`{}`)}, {ID: "a", Tool: "look", Arguments: []byte(`{}`)}}
			}
			was := r.Status
			if err := r.Apply(e); err != nil {
				if !reflect.DeepEqual(r, twin) {
					t.Fatalf("a refused %s changes the run:\n%+v\n%+v", e.Kind, twin, r)
				}
				continue
			}
			e.Calls = slices.Clone(e.Calls)
			if err := twin.Apply(e); err != nil || !reflect.DeepEqual(r, twin) {
				t.Fatalf("%s makes two runs of one, %v:\n%+v\n%+v", e.Kind, err, r, twin)
			}
			by := was.CanBecome(r.Status) || was.CanBecome(aaif.Running) && aaif.Running.CanBecome(r.Status) // a run that goes on, or leaves, runs in between
			if r.Status != was && !by {
				t.Fatalf("AAIF-8.1-6: %s makes %s of %s", e.Kind, r.Status, was)
			}
			seen[string(was)+">"+string(r.Status)] = true
		}
	}
	if len(seen) < 12 {
		t.Errorf("only %d changes were seen: %v", len(seen), seen)
	}
}
