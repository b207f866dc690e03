package route_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif/route"
)

func TestNext(t *testing.T) {
	for _, c := range []struct {
		outcome route.Outcome
		want    route.Next
	}{
		{route.Outcome{Status: 200}, route.Answered},
		{route.Outcome{}, route.TryNext},
		{route.Outcome{Status: 503}, route.TryNext},
		{route.Outcome{Status: 429}, route.TryNext},
		{route.Outcome{Status: 404, UnknownModel: true}, route.TryNext},
		{route.Outcome{Status: 404}, route.Refused},
		{route.Outcome{Status: 400}, route.Refused},
		{route.Outcome{Status: 401}, route.Refused},
	} {
		t.Run(fmt.Sprintf("AAIF-4.2-4 %d %t", c.outcome.Status, c.outcome.UnknownModel), func(t *testing.T) {
			if got := c.outcome.Next(); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestCoolDown(t *testing.T) {
	for name, c := range map[string]struct {
		after route.Outcome
		rest  time.Duration
	}{
		"as asked":          {route.Outcome{Status: 429, RetryAfter: 30 * time.Second}, 30 * time.Second},
		"not said":          {route.Outcome{Status: 429}, 5 * time.Second},
		"for ever":          {route.Outcome{Status: 429, RetryAfter: 1e6 * time.Hour}, time.Hour},
		"none after a 503":  {route.Outcome{Status: 503}, 0},
		"over with success": {route.Outcome{Status: 200}, 0},
	} {
		t.Run("AAIF-4.2-4 "+name, func(t *testing.T) {
			c.after.At = now()
			h := route.Health{}.After(route.Outcome{Status: 429, At: now().Add(-time.Minute)}).After(c.after)
			rests := func(after time.Duration) bool {
				r := request("", "A")
				r.Now = now().Add(after)
				return len(route.Decide(r, fleet(), map[route.Target]route.Health{target("A"): h}).Order) == 0
			}
			if c.rest > 0 && !rests(c.rest-1) || rests(c.rest) {
				t.Errorf("rests up to %v", h.Until)
			}
		})
	}
}

func TestSuccessEndsRest(t *testing.T) {
	t.Run("AAIF-4.2-4 an answer ends a rest", func(t *testing.T) {
		h := route.Health{}.After(route.Outcome{Status: 429, RetryAfter: time.Hour, At: now()}).After(route.Outcome{Status: 200, At: now()})
		if p := route.Decide(request("", "A"), fleet(), map[route.Target]route.Health{target("A"): h}); len(p.Order) != 1 {
			t.Errorf("rests up to %v", h.Until)
		}
	})
}

func TestLatency(t *testing.T) {
	took := func(h route.Health, n int, d time.Duration) route.Health {
		for range n {
			h = h.After(route.Outcome{Status: 200, Took: d})
		}
		return h
	}
	t.Run("AAIF-4.2-9 what was fast and is slow", func(t *testing.T) {
		a := took(route.Health{}, 20, 900*time.Millisecond)
		b := took(route.Health{}, 20, 300*time.Millisecond)
		first := func() string {
			return route.Decide(request(route.Latency, "A", "B"), fleet(), map[route.Target]route.Health{target("A"): a, target("B"): b}).Order[0].Model
		}
		if got := first(); got != "B" {
			t.Errorf("before: got %s", got)
		}
		b = took(b, 20, 1500*time.Millisecond)
		if got := first(); got != "A" {
			t.Errorf("after: got %s", got)
		}
	})
	t.Run("AAIF-4.2-9 the median counts, not the fastest call nor the mean", func(t *testing.T) {
		ms := func(all ...int) (h route.Health) {
			for _, n := range all {
				h = took(h, 1, time.Duration(n)*time.Millisecond)
			}
			return h
		}
		for _, c := range []struct {
			a, b route.Health
			want string
		}{
			{ms(500, 10, 500), ms(400, 300, 400), "B"},   // A had the fastest call
			{ms(100, 9000, 100), ms(200, 200, 200), "A"}, // A has the slower mean, and the slowest call
			{ms(900, 100, 100), ms(300, 50, 300), "A"},   // A began slowly
			{ms(100, 100, 900), ms(300, 300, 50), "A"},   // A ended slowly
		} {
			got := route.Decide(request(route.Latency, "A", "B"), fleet(), map[route.Target]route.Health{target("A"): c.a, target("B"): c.b}).Order[0].Model
			if got != c.want {
				t.Errorf("%v and %v: %s is first", c.a.Samples, c.b.Samples, got)
			}
		}
	})
	t.Run("AAIF-4.2-9 one slow call changes little", func(t *testing.T) {
		h := took(took(route.Health{}, 9, time.Second), 1, time.Hour)
		if got, ok := h.P50(); got != time.Second || !ok {
			t.Errorf("got %v, %t", got, ok)
		}
	})
	t.Run("AAIF-4.2-9 what went wrong is no sample", func(t *testing.T) {
		if _, ok := (route.Health{}).After(route.Outcome{Status: 500, Took: time.Millisecond}).P50(); ok {
			t.Error("a failed call counts")
		}
	})
	t.Run("AAIF-4.2-9 health before stays", func(t *testing.T) {
		before := took(route.Health{}, 3, time.Second)
		one, other := took(before, 1, time.Minute), took(before, 1, time.Hour)
		if len(before.Samples) != 3 || one.Samples[3] != time.Minute || other.Samples[3] != time.Hour {
			t.Errorf("got %v, %v, %v", before, one, other)
		}
	})
}

func TestAttempts(t *testing.T) {
	p := route.Decide(request("", "A", "B"), fleet(), nil)
	for name, c := range map[string]struct {
		retries int
		want    string
	}{"AAIF-4.2-26 twice more": {2, "A0 B0 A1 B1 A2 B2 "}, "AAIF-4.2-26 not again": {0, "A0 B0 "}, "AAIF-4.2-26 fewer than none": {-1, "A0 B0 "}} {
		t.Run(name, func(t *testing.T) {
			got := ""
			for pass, r := range p.Attempts(c.retries) {
				got += fmt.Sprintf("%s%d ", r.Model, pass)
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	t.Run("AAIF-4.2-26 up to an answer", func(t *testing.T) {
		n := 0
		for range p.Attempts(9) {
			if n++; n == 3 {
				break
			}
		}
		if n != 3 {
			t.Error(n)
		}
	})
}

func TestExplain(t *testing.T) {
	o := fleet()
	o.Substitutes = map[route.Target]route.Target{target("A"): target("C")}
	r := request(route.Cost, "A", "B")
	r.Chain[1].MaxCost = usd(0.5)
	p := route.Decide(r, o, map[route.Target]route.Health{target("A"): {Down: true}})
	t.Run("AAIF-3-2 words", func(t *testing.T) {
		want := "1. p-C/C: the cheapest of those whose price is known (stands in for p-A/A)\n" +
			"not p-A/A: it is not available\n" +
			"not p-B/B: it costs more than max_cost_usd_per_1k_tokens"
		if got := p.String(); got != want {
			t.Errorf("got\n%s", got)
		}
	})
	t.Run("AAIF-3-2 data", func(t *testing.T) {
		want := `{"routes":[{"message":"it is not available","model":"A","provider":"p-A","reason":"unavailable"},{"message":"the cheapest of those whose price is known","model":"C","position":1,"provider":"p-C","substitution_for":"p-A/A"},` +
			`{"message":"it costs more than max_cost_usd_per_1k_tokens","model":"B","provider":"p-B","reason":"cost"}],"strategy":"cost"}`
		if got := string(p.Value().AppendCanonical(nil)); got != want {
			t.Errorf("got %s", got)
		}
	})
	t.Run("AAIF-4.2-16 every reason has words", func(t *testing.T) {
		for _, reason := range []route.Reason{route.NoModel, route.Unconfigured, route.WrongRegion, route.RegionUnknown, route.RegionUnmapped, route.ContextTooSmall,
			route.ContextUnknown, route.TooDear, route.PriceUnknown, route.Unavailable, route.RateLimited, route.NotNeeded} {
			words := route.Plan{Routes: []route.Route{{Skipped: reason}}}.String()
			if !strings.Contains(words, " it") && !strings.Contains(words, "the ") {
				t.Errorf("%s: %s", reason, words)
			}
		}
	})
	t.Run("AAIF-4.2-16 every route with its reason", func(t *testing.T) {
		r := request("", "A", "Z")
		r.MinContext = 1 << 20
		p := route.Decide(r, fleet(), nil)
		want := `{"code":"MODEL_UNAVAILABLE","routes":[{"message":"its context is smaller than min_context_tokens","model":"A","provider":"p-A","reason":"context"},{"message":"the operator has not set up this provider","model":"Z","provider":"p-Z","reason":"unconfigured"}],"strategy":"preferred_first"}`
		if got := string(p.Value().AppendCanonical(nil)); got != want {
			t.Errorf("got %s", got)
		}
		if got := p.String(); got != "not p-A/A: its context is smaller than min_context_tokens\nnot p-Z/Z: the operator has not set up this provider\nno route: MODEL_UNAVAILABLE" {
			t.Errorf("got\n%s", got)
		}
	})
}

func TestResident(t *testing.T) {
	us := route.Provider{Name: "judge", Regions: []string{"US"}}
	for residency, want := range map[string]route.Reason{"EU": route.WrongRegion, "US": "", "global": "", "": ""} {
		t.Run("AAIF-4.9-6 a judge in the US and "+residency, func(t *testing.T) {
			if got := (route.Operator{}).Resident(us, residency); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}
