package server_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/route"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/conformance"
	aaifsuite "github.com/satchel-memory/satchel/conformance/aaif"
	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/run/host"
	"github.com/satchel-memory/satchel/internal/run/model"
)

// spoiled are models that are asked something else, or answer something else.
type spoiled struct {
	run.Models
	ask    func(*model.Request)
	answer func(*model.Answer)
}

// of lets the settings' providers be asked in a spoiled way.
func (s spoiled) of(o host.Settings) run.Models {
	s.Models = model.Providers{Client: model.New(model.Options{}), Operator: o.Models, Keys: o.Keys}
	return s
}

func (s spoiled) Ask(ctx context.Context, c route.Candidate, q model.Request) (model.Answer, route.Outcome, error) {
	if s.ask != nil {
		s.ask(&q)
	}
	a, o, err := s.Models.Ask(ctx, c, q)
	if s.answer != nil && err == nil {
		s.answer(&a)
	}
	return a, o, err
}

// abreast runs subtests that mostly wait, more of them at once than of those that compute.
type abreast struct {
	sync.WaitGroup
	t      *testing.T
	places chan struct{}
}

func (a *abreast) run(name string, test func(*testing.T)) {
	a.places <- struct{}{}
	a.Go(func() {
		a.t.Run(name, test)
		<-a.places
	})
}

// TestAgentMutantsThatRun makes sure that the rows about runs find what is broken.
func TestAgentMutantsThatRun(t *testing.T) {
	racing.Skip(t)
	t.Parallel()
	below := func(part string, change func(*reply)) func(string, *http.Request, *reply) {
		return func(_ string, q *http.Request, got *reply) {
			if strings.Contains(q.URL.Path, part) {
				change(got)
			}
		}
	}
	replaces := func(part, from, to string) func(string, *http.Request, *reply) {
		return below(part, func(got *reply) { got.body = []byte(strings.ReplaceAll(string(got.body), from, to)) })
	}
	waiting := abreast{t: t, places: make(chan struct{}, 12)}
	for _, m := range []struct {
		name, rows string
		spoils     spoiled
		meddles    func(string, *http.Request, *reply)
	}{
		{"the instructions are left out", "AAIF-4-10", spoiled{ask: func(q *model.Request) { q.System = "" }}, nil},
		{"the schema of a tool is left out", "AAIF-4.4-4", spoiled{ask: func(q *model.Request) {
			q.Tools = slices.Clone(q.Tools)
			q.Tools[0].Parameters = canon.Object()
		}}, nil},
		{"the result of a tool is left out", "AAIF-4.4-9 AAIF-4.4-28 AAIF-4.9-16", spoiled{ask: func(q *model.Request) {
			q.Messages = slices.Clone(q.Messages)
			for i := range q.Messages {
				if q.Messages[i].Role == "tool" {
					q.Messages[i].Content = "done"
				}
			}
		}}, nil},
		{"arguments are mended", "AAIF-4.4-28", spoiled{answer: func(a *model.Answer) {
			for i := range a.Calls {
				if v := a.Calls[i].Arguments; v.Get("number").Type() == canon.TypeString {
					a.Calls[i].Arguments = v.With("number", canon.Int(1))
				}
			}
		}}, nil},
		{"another call is approved", "AAIF-4.9-18", spoiled{}, below("/approval", func(got *reply) {
			if codeOf(got) == string(aaif.ApprovalMismatch) {
				got.status = http.StatusOK
			}
		})},
		{"nobody is shown the digest", "AAIF-4.9-12 AAIF-4.9-18", spoiled{}, replaces("/runs", `"digest":"`, `"sum":"`)},
		{"a run without end ends otherwise", "AAIF-4.3-23", spoiled{}, replaces("/runs", string(aaif.MaxIterations), "OTHER")},
		{"an error does not say where", "AAIF-4.3-23 AAIF-4.6-1", spoiled{}, replaces("/runs", `"step"`, `"place"`)},
		{"a run that takes too long is done", "AAIF-4.6-1", spoiled{}, replaces("/runs", string(aaif.RunTimeout), "OTHER")},
	} {
		waiting.run(m.rows+" "+m.name, func(t *testing.T) {
			target := runsAgents(t, m.spoils)
			if m.meddles != nil {
				client := *target.Client
				client.Transport = between{next: client.Transport, act: m.meddles}
				target.Client = &client
			}
			var failed []string
			target.Only = []string{"AAIF-4-10", "AAIF-4.2-22", "AAIF-4.3-23", "AAIF-4.4", "AAIF-4.6", "AAIF-4.9-12", "AAIF-4.9-16", "AAIF-4.9-18"}
			if _, err := aaifsuite.Run(t.Context(), target, func(r conformance.Result) {
				if r.Outcome != conformance.Pass {
					failed = append(failed, r.ID)
				}
			}); err != nil {
				t.Fatal(err)
			}
			want := strings.Fields(m.rows)
			slices.Sort(want)
			slices.Sort(failed)
			if !slices.Equal(failed, want) {
				t.Errorf("%v fail, want %v", failed, want)
			}
		})
	}
	waiting.Wait()
}
