package aaifsuite

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/conformance"
)

// portableChecks are about the duties of the level Portable.
func portableChecks() []check {
	return []check{
		{"AAIF-4.2-1", staged(routed)},
		{"AAIF-12-1", staged(untrusted)},
		{"AAIF-12-5", staged(constrained)},
	}
}

// The constraint of an agent, and the text that breaks it.
const (
	constraint = "Never say the word zebra."
	breaking   = "It is a zebra."
)

// constrained looks for the constraint in what a model is told, and then runs the agent at
// strict, with a judge that does not answer: nobody can tell whether the answer of its model
// is allowed, so it must not arrive.
func constrained(r stage) error {
	if err := r.runs(); err != nil {
		return blocked(err)
	}
	rule := func(v canon.Value) canon.Value { return set(v, "/agent/constraints", list(constraint)) }
	p, err := r.perform(play{props: props{script: []line{{calls: []canon.Value{want(lookTool, canon.Object())}}, {text: "It is a horse."}}}, edit: rule})
	if err != nil {
		return err
	}
	for i, q := range p.requests() {
		if messages := q.Get("messages").Items(); len(messages) == 0 || !strings.Contains(messages[0].Get("content").Text(), constraint) {
			return fmt.Errorf("request %d to the model does not tell it of the constraint", i+1)
		}
	}
	strict, err := r.newID()
	if err != nil {
		return err
	}
	p, refused, err := r.attempt(play{
		agent: strict,
		props: props{script: []line{{text: breaking}}, others: map[string][]line{"judge": {{status: http.StatusServiceUnavailable}}}},
		edit: func(v canon.Value) canon.Value {
			preferred, _ := v.At("/agent/model/preferred")
			v = set(v, "/agent/evaluation/judge_model", canon.String(preferred.Text()+".judge"))
			v = set(at(rule(v), "strict"), "/agent/tools", canon.Array())
			if r.Key.IsZero() {
				return v
			}
			return r.sign(v)
		},
	})
	switch {
	case err != nil:
		return err
	case refused:
		return nil
	case p.status() == string(aaif.Completed), strings.Contains(string(p.state.Append(nil)), breaking):
		return errors.New("an answer that breaks a constraint leaves at strict, though nobody could judge it")
	}
	return nil
}

// routed runs agents whose models fail, one after the other.
func routed(r stage) error {
	if err := r.runs(); err != nil {
		return blocked(err)
	}
	away, busy, says := []line{{status: http.StatusServiceUnavailable}}, []line{{status: http.StatusTooManyRequests}}, []line{{text: "That is all."}}
	for _, c := range []struct {
		what   string
		script []line
		b, c   []line
		asked  []string // the models, in order
		code   string
	}{
		{"the preferred model answers", says, says, says, []string{""}, ""},
		{"the preferred model is away", away, says, says, []string{"", "b"}, ""},
		{"the first two models are away and busy", away, busy, says, []string{"", "b", "c"}, ""},
		{"all models are away", away, away, away, []string{"", "b", "c"}, "MODEL_UNAVAILABLE"},
	} {
		p, err := r.perform(play{
			props: props{script: c.script, others: map[string][]line{"b": c.b, "c": c.c}},
			edit: func(v canon.Value) canon.Value {
				preferred, _ := v.At("/agent/model/preferred")
				spare := func(name string) canon.Value { return text("provider", "custom", "model", preferred.Text()+"."+name) }
				v = set(v, "/agent/model/fallbacks", canon.Array(spare("b"), spare("c")))
				return set(v, "/agent/runtime/max_retries", canon.Int(0))
			},
		})
		if err != nil {
			return named(c.what, err)
		}
		if got := p.models(); !slices.Equal(got, c.asked) {
			return fmt.Errorf("%s: of the models \"\", b and c it asks %q", c.what, got)
		}
		if p.failed() != c.code {
			return fmt.Errorf("%s: the run ends as %s %s", c.what, p.status(), p.failed())
		}
	}
	return nil
}

// untrusted gives a tool an address that nobody allowed: in its definition, and by a redirect.
func untrusted(r stage) error {
	if err := r.tools(); err != nil {
		return blocked(err)
	}
	if !strings.HasPrefix(r.world.base, "http://127.") {
		return conformance.Lacks("it is tried on one machine only")
	}
	trap, err := r.world.setTrap(r.ctx)
	if err != nil {
		return conformance.Lacks("this machine has no second address: " + err.Error())
	}
	script := []line{{calls: []canon.Value{want(lookTool, canon.Object())}}, {text: "That is all."}}
	for what, p := range map[string]play{
		"the endpoint of a definition": {props: props{script: script}, edit: func(v canon.Value) canon.Value {
			tools, _ := v.At("/agent/tools")
			all := tools.Items()
			all[1] = all[1].With("endpoint", canon.String(trap))
			return set(v, "/agent/tools", canon.Array(all...))
		}},
		"a redirect": {props: props{script: script, leads: trap}},
	} {
		done, _, err := r.attempt(p)
		if err != nil {
			return named(what, err)
		}
		if r.world.visits() > 0 || strings.Contains(strings.Join(done.results(), ""), trapped) {
			return fmt.Errorf("by %s, a tool is called at an address that nobody allowed", what)
		}
	}
	return nil
}
