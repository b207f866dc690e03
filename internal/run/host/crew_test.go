package host_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/route"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/run/host"
	"github.com/satchel-memory/satchel/internal/run/model"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
)

// crew is a platform with agents that work together. The model of an agent has the agent's
// name, and answers as its voice does.
type crew struct {
	*place
	*voices
}

// voice is what the model of an agent says to the last message.
type voice func(ctx context.Context, last string, q model.Request) (model.Answer, error)

// voices are the models of agents.
type voices struct {
	mu       sync.Mutex
	all      map[string]voice
	heard    []heard
	now, top int             // how many are asked at once, and the most
	ended    map[string]bool // those whose request was given up
}

// heard is a request to a model.
type heard struct {
	who, last string
	q         model.Request
	base      string // where the model is
}

// Ask implements [run.Models].
func (v *voices) Ask(ctx context.Context, c route.Candidate, q model.Request) (model.Answer, route.Outcome, error) {
	last := q.Messages[len(q.Messages)-1].Content
	v.mu.Lock()
	v.heard = append(v.heard, heard{c.Model, last, q, c.Provider})
	say := v.all[c.Model]
	v.now++
	v.top = max(v.top, v.now)
	v.mu.Unlock()
	defer func() {
		v.mu.Lock()
		defer v.mu.Unlock()
		v.now--
		if ctx.Err() != nil {
			v.ended[c.Model] = true
		}
	}()
	if say == nil {
		return model.Answer{Text: c.Model, InputTokens: 1, OutputTokens: 1}, route.Outcome{Status: 200}, nil
	}
	a, err := say(ctx, last, q)
	if err != nil {
		status := 400
		if errors.Is(err, errBusy) {
			status = 503
		}
		return a, route.Outcome{Status: status}, err
	}
	a.InputTokens, a.OutputTokens = 1, 1
	return a, route.Outcome{Status: 200}, nil
}

// who lists whose models were asked, in order.
func (v *voices) who() (all []string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, h := range v.heard {
		all = append(all, h.who)
	}
	return all
}

// of returns the requests to an agent's model.
func (v *voices) of(who string) (all []heard) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(v.heard), func(h heard) bool { return h.who != who })
}

// echo adds a text to what it hears.
func echo(more string) voice {
	return func(_ context.Context, last string, _ model.Request) (model.Answer, error) {
		return model.Answer{Text: last + more}, nil
	}
}

// text always says the same.
func text(s string) voice {
	return func(context.Context, string, model.Request) (model.Answer, error) { return model.Answer{Text: s}, nil }
}

// broken never answers.
func broken(context.Context, string, model.Request) (model.Answer, error) {
	return model.Answer{}, errors.New("the model refuses")
}

var errBusy = errors.New("the model is busy")

// busy never answers either, but another one may be asked.
func busy(context.Context, string, model.Request) (model.Answer, error) {
	return model.Answer{}, errBusy
}

// after waits, then says something.
func after(d time.Duration, then voice) voice {
	return func(ctx context.Context, last string, q model.Request) (model.Answer, error) {
		select {
		case <-ctx.Done():
			return model.Answer{}, ctx.Err()
		case <-time.After(d):
		}
		return then(ctx, last, q)
	}
}

// calling calls tools in its first turn, and then says something.
func calling(say string, tools ...string) voice {
	return func(_ context.Context, _ string, q model.Request) (model.Answer, error) {
		if slices.ContainsFunc(q.Messages, func(m aaif.Message) bool { return m.Role == "tool" }) {
			return model.Answer{Text: say}, nil
		}
		var a model.Answer
		for i, name := range tools {
			a.Calls = append(a.Calls, aaif.Call{ID: fmt.Sprint("c", i), Tool: name, Arguments: canon.Object(canon.Member{Name: "n", Value: canon.Int(int64(i))})})
		}
		return a, nil
	}
}

// idOf returns the id of the agent with a name; "lead" is that of the run.
func idOf(name string) string {
	if name == "lead" {
		return agentID
	}
	sum := 0
	for _, c := range name {
		sum = sum*31 + int(c)
	}
	return fmt.Sprintf("7b1f6d0e-3c55-4f0a-9a60-%012x", sum%(1<<40)+1<<41)
}

// agent takes a definition in. Its members are those of the definition's agent; the member
// tools:A,B names tools.
func (c *crew) agent(name string, members ...string) {
	c.T.Helper()
	tools := `[]`
	for i, m := range members {
		if list, ok := strings.CutPrefix(m, "tools:"); ok {
			var all []string
			for _, name := range strings.Split(list, ",") {
				all = append(all, fmt.Sprintf(`{"name":%q,"description":"Does it.","protocol":"http","endpoint":"%s/call/%s","parameters_schema":{"type":"object","properties":{"n":{"type":"number"}}}}`, name, c.toolsAt, name))
			}
			tools = "[" + strings.Join(all, ",") + "]"
			members = slices.Delete(slices.Clone(members), i, i+1)
			break
		}
	}
	models := `"model":{"provider":"openai","preferred":"` + name + `"}`
	if i := slices.IndexFunc(members, func(m string) bool { return strings.HasPrefix(m, `"model":`) }); i >= 0 {
		models, members = members[i], slices.Delete(slices.Clone(members), i, i+1)
	}
	raw := `{"sc_standard":"SC-006","agent_id":"` + idOf(name) + `","agent":{"name":"` + name + `","goal":"Work.","version":"1.0.0","instructions":"You are ` + name + `.",` + models + `,"tools":` + tools +
		strings.Join(append([]string{""}, members...), ",") + `}}`
	d, err := aaif.FromJSON([]byte(raw), aaif.ReadOptions{})
	if err != nil {
		c.T.Fatal(err)
	}
	c.takeIn(aaif.Sign(d, c.Key).Append(nil))
}

// subs writes the member subagents: names, each with further members after a bar.
func subs(names ...string) string {
	var all []string
	for _, n := range names {
		name, more, _ := strings.Cut(n, "|")
		if more != "" {
			more = "," + more
		}
		all = append(all, `{"ref":"`+idOf(name)+`","alias":"`+name+`"`+more+`}`)
	}
	return `"subagents":[` + strings.Join(all, ",") + `]`
}

func orchestration(members ...string) string {
	return `"orchestration":{` + strings.Join(members, ",") + `}`
}

func gather(t *testing.T, all map[string]voice) *crew {
	t.Helper()
	return gatherIn(t, vaulttest.Open(t), &voices{all: all, ended: map[string]bool{}})
}

func gatherIn(t *testing.T, h *vaulttest.House, v *voices) *crew {
	t.Helper()
	c := &crew{open(t, h), v}
	c.set(func(s *host.Settings) {
		for i := range s.Tools.Grants {
			s.Tools.Grants[i].Agent = "*"
		}
	})
	c.options.Models = c.voices
	c.Host = host.New(c.options)
	return c
}

// runs starts the run of the lead with an input, and executes it.
func (c *crew) runs(input canon.Value) run.Run {
	c.T.Helper()
	if _, err := c.Host.Start(c.Ctx, c.Me(), host.Start{RunID: runID, Agent: agentID, Input: input}); err != nil {
		c.T.Fatal(err)
	}
	return c.goOn()
}

// until waits until the run is as it should be.
func (c *crew) until(is func(run.Run) bool) {
	for began := time.Now(); time.Since(began) < 20*time.Second; time.Sleep(5 * time.Millisecond) {
		if r, _, err := c.Get(c.Ctx, c.Me(), runID); err == nil && is(r) {
			return
		}
	}
	c.T.Error("it waits in vain")
}

// graph returns the threads of a run: who worked where, and how that ended.
func graph(r run.Run) string {
	var b strings.Builder
	for t := range r.All() {
		name := t.In
		if name == "" {
			name = "."
		}
		fmt.Fprintf(&b, "%s", name)
		for _, w := range t.Agents {
			for _, known := range everybody {
				if idOf(known) == w.Agent {
					fmt.Fprintf(&b, " %s", known)
				}
			}
		}
		switch {
		case t.Skipped != "":
			b.WriteString(" skipped")
		case t.Dropped:
			b.WriteString(" cancelled")
		case t.Err != nil:
			fmt.Fprintf(&b, " %s at %s", t.Err.Code, t.Err.Step)
		default:
			fmt.Fprintf(&b, " %s", t.Status)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// everybody lists the names of agents that a graph shows.
var everybody = []string{"lead", "a", "b", "c", "syn", "judge", "planner", "swarm", "writer", "expert", "billing", "invoice", "other", "fall", "w1", "w2", "w3"}
