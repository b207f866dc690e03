package topology_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/run/topology"
	"pgregory.net/rapid"
)

// drawn returns a team with any arrangement, conditions, consensus and behaviour of agents.
// first says that its consensus is first_success.
func drawn(t *rapid.T) (p *play, first bool) {
	aliases := []string{"a", "b", "c", "d", "e"}[:rapid.IntRange(1, 5).Draw(t, "agents")]
	whens := []string{"", "", "", "?always", "?never", "?(words)", "?cel input == 'x'", "?cel size(outputs) > 0", "?cel missing.member"}
	roles := []string{"", "", "", "!worker", "!evaluator", "!fallback", "!specialist"}
	p = &play{agents: map[string]agent{"": behaves(rapid.IntRange(0, 5).Draw(t, "own"), "own")}, roles: map[string]aaif.Role{}}
	var all []string
	for _, alias := range aliases {
		all = append(all, alias+rapid.SampledFrom(whens).Draw(t, "when")+rapid.SampledFrom(roles).Draw(t, "role"))
		p.agents[alias] = behaves(rapid.IntRange(0, 5).Draw(t, "behaves"), alias)
		p.roles[alias] = rapid.SampledFrom([]aaif.Role{"", "", aaif.Worker, aaif.Synthesizer, aaif.Evaluator}).Draw(t, "own role")
	}
	members := subagents(all...) + `,"role":"` + rapid.SampledFrom([]string{"orchestrator", "router"}).Draw(t, "role of the lead") + `"`
	if rapid.Bool().Draw(t, "parallel") {
		members += `,"parallel_execution":true`
	}
	if rapid.IntRange(0, 3).Draw(t, "line") == 0 {
		line, err := json.Marshal(rapid.SliceOfN(rapid.SampledFrom(aliases), 1, 6).Draw(t, "pipeline"))
		if err != nil {
			t.Fatal(err)
		}
		members += `,"pipeline":` + string(line)
	}
	strategy := rapid.SampledFrom([]string{"", "majority_vote", "best_of_n", "referee", "first_success", "unknown"}).Draw(t, "strategy")
	if strategy != "" {
		members += fmt.Sprintf(`,"consensus":{"strategy":%q,"referee_agent":%q,"min_votes":%d}`, strategy, rapid.SampledFrom(append([]string{""}, aliases...)).Draw(t, "referee"), rapid.IntRange(0, 3).Draw(t, "votes"))
	}
	p.orchestration = "{" + members + "}"
	return p, strategy == "first_success"
}

// behaves returns an agent by a number.
func behaves(n int, name string) agent {
	switch n {
	case 0:
		return fails("MODEL_UNAVAILABLE")
	case 1:
		return says("A")
	case 2:
		return says(" a ")
	case 3:
		return says("0.5")
	}
	return func(t topology.Task) (string, string) {
		return name + " of " + string(t.Input.AppendCanonical(nil)), ""
	}
}

// TestAnyTeam holds for every team, whatever the order in which its steps end: it comes to an
// end, no step begins twice, and an agent works at a step once (see [play.run]). Except with
// first_success, the result and the steps are the same for every order.
func TestAnyTeam(t *testing.T) {
	ended := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		p, first := drawn(t)
		team, err := p.team(t)
		if err != nil || team == nil {
			return // nobody decides, or everybody only helps
		}
		other := *p
		p.run(t)
		other.pick = func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "ends") }
		other.run(t)
		if p.last.Code != "" {
			ended[p.last.Code]++
		} else {
			ended["well"]++
		}
		if first {
			return
		}
		slices.Sort(p.begun)
		slices.Sort(other.begun)
		if p.last.Output != other.last.Output || p.last.Code != other.last.Code || p.last.FailedStep != other.last.FailedStep || !slices.Equal(p.begun, other.begun) || !slices.Equal(p.skipped, other.skipped) {
			t.Fatalf("in one order %+v after %q, in another %+v after %q", p.last, p.begun, other.last, other.begun)
		}
		for step, task := range p.tasks {
			if got := other.tasks[step]; string(got.Input.AppendCanonical(nil)) != string(task.Input.AppendCanonical(nil)) || got.Slot != task.Slot {
				t.Fatalf("the step %s gets %s in one order and %s in another", step, task.Input.AppendCanonical(nil), got.Input.AppendCanonical(nil))
			}
		}
	})
	for _, kind := range []string{"well", "MODEL_UNAVAILABLE"} {
		if ended[kind] == 0 {
			t.Errorf("no team ended %s: %v", kind, ended)
		}
	}
}
