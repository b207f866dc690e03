package topology_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/run/topology"
)

// scores returns an evaluator that answers by the output it is asked about.
func scores(by map[string]string) agent {
	return func(t topology.Task) (string, string) {
		if answer, ok := by[t.Input.Get("output").Text()]; ok {
			return answer, ""
		}
		return "", "MODEL_UNAVAILABLE"
	}
}

func TestConsensus(t *testing.T) {
	three := []string{"a", "b", "c"}
	for _, c := range []struct {
		name, consensus string
		outputs         map[string]agent // of a, b and c
		more            map[string]agent
		want            want
	}{
		{"AAIF-4.3-11 the most common output wins", `"strategy":"majority_vote","min_votes":2`, voters("B", "A", "A"), nil,
			want{output: "A", begun: three}},
		{"AAIF-4.3-11 more than half by default", `"strategy":"majority_vote"`, voters("A", "A", "B"), nil,
			want{output: "A", begun: three}},
		{"AAIF-4.3-11 case and space make no difference", `"strategy":"majority_vote"`, voters("B", " Straße\n", "straßE"), nil,
			want{output: " Straße\n", begun: three}},
		{"AAIF-4.3-11 nor does the spelling of JSON", `"strategy":"majority_vote"`, voters(`{"b":1.0,"a":"x"}`, "B", `{"a": "x", "b": 1}`), nil,
			want{output: `{"b":1.0,"a":"x"}`, begun: three}},
		{"AAIF-4.3-11 strings in JSON have a case", `"strategy":"majority_vote"`, voters(`{"a":"x"}`, `{"a":"X"}`, "C"), nil,
			want{code: "CONSENSUS_NOT_REACHED", begun: three}},
		{"AAIF-4.3-11 too few agree", `"strategy":"majority_vote"`, voters("A", "B", "C"), nil,
			want{code: "CONSENSUS_NOT_REACHED", begun: three}},
		{"AAIF-4.3-11 fewer than min_votes", `"strategy":"majority_vote","min_votes":3`, voters("A", "A", "B"), nil,
			want{code: "CONSENSUS_NOT_REACHED", begun: three}},
		{"AAIF-4.3-11 as many for one as for another", `"strategy":"majority_vote","min_votes":1`, voters("A", "B", "C"), nil,
			want{code: "CONSENSUS_NOT_REACHED", begun: three}},
		{"AAIF-4.3-11 one that failed counts and agrees with nobody", `"strategy":"majority_vote"`, map[string]agent{"a": says("A"), "b": fails("X"), "c": fails("Y")}, nil,
			want{code: "CONSENSUS_NOT_REACHED", begun: three}},
		{"AAIF-4.3-11 a referee decides where too few agree", `"strategy":"majority_vote","referee_agent":"r"`, voters("A", "B", "C"), map[string]agent{"r": says("b")},
			want{output: "B", begun: []string{"a", "b", "c", "referee:r"}}},
		{"AAIF-4.3-11 and is not asked where enough do", `"strategy":"majority_vote","referee_agent":"r"`, voters("A", "B", "A"), map[string]agent{"r": says("b")},
			want{output: "A", begun: three}},
		{"AAIF-4.3-12 the highest score wins", `"strategy":"best_of_n"`, voters("A", "B", "C"), map[string]agent{"e": scores(map[string]string{"A": "0.2", "B": "0.9", "C": "0.5"})},
			want{output: "B", begun: []string{"a", "b", "c", "score:e:a", "score:e:b", "score:e:c"}}},
		{"AAIF-4.3-12 a score may be an object or stand in a sentence", `"strategy":"best_of_n"`, voters("A", "B", "C"), map[string]agent{"e": scores(map[string]string{"A": `{"score":0.3,"why":"9 faults"}`, "B": "I give 0.8.", "C": "none"})},
			want{output: "B", begun: []string{"a", "b", "c", "score:e:a", "score:e:b", "score:e:c"}}},
		{"AAIF-4.3-12 of equal scores the first in declared order wins", `"strategy":"best_of_n"`, voters("A", "B", "C"), map[string]agent{"e": scores(map[string]string{"A": "0.1", "B": "0.5", "C": "0.5"})},
			want{output: "B", begun: []string{"a", "b", "c", "score:e:a", "score:e:b", "score:e:c"}}},
		{"AAIF-4.3-12 an output without a score cannot win", `"strategy":"best_of_n"`, voters("A", "B", "C"), map[string]agent{"e": scores(map[string]string{"B": "-1"})},
			want{output: "B", begun: []string{"a", "b", "c", "score:e:a", "score:e:b", "score:e:c"}}},
		{"AAIF-4.3-12 without any score there is no result", `"strategy":"best_of_n"`, voters("A", "B", "C"), map[string]agent{"e": fails("MODEL_UNAVAILABLE")},
			want{code: "CONSENSUS_NOT_REACHED", begun: []string{"a", "b", "c", "score:e:a", "score:e:b", "score:e:c"}}},
		{"AAIF-4.3-13 the referee names an agent", `"strategy":"referee","referee_agent":"r"`, voters("A", "B", "C"), map[string]agent{"r": says("`C`.")},
			want{output: "C", begun: []string{"a", "b", "c", "referee:r"}}},
		{"AAIF-4.3-13 as an object", `"strategy":"referee","referee_agent":"r"`, voters("A", "B", "C"), map[string]agent{"r": says(`{"choice":"b"}`)},
			want{output: "B", begun: []string{"a", "b", "c", "referee:r"}}},
		{"AAIF-4.3-13 another answer is the result", `"strategy":"referee","referee_agent":"r"`, voters("A", "B", "C"), map[string]agent{"r": says("A and B together")},
			want{output: "A and B together", begun: []string{"a", "b", "c", "referee:r"}}},
		{"AAIF-4.3-13 a referee that fails ends the swarm", `"strategy":"referee","referee_agent":"r"`, voters("A", "B", "C"), map[string]agent{"r": fails("MODEL_UNAVAILABLE")},
			want{code: "MODEL_UNAVAILABLE", failed: "r", begun: []string{"a", "b", "c", "referee:r"}}},
		{"AAIF-4.3-13 the referee may be no subagent", `"strategy":"referee","referee_agent":"urn:elsewhere"`, voters("A", "B", "C"), map[string]agent{"urn:elsewhere": says("a")},
			want{output: "A", begun: []string{"a", "b", "c", "referee:urn%3Aelsewhere"}}},
		{"AAIF-4.3-14 the first output is the result and the others are cancelled", `"strategy":"first_success"`, map[string]agent{"a": fails("X"), "b": says("B"), "c": says("C")}, nil,
			want{output: "B", begun: three, cancelled: []string{"c"}}},
		{"AAIF-4.3-14 all fail", `"strategy":"first_success"`, map[string]agent{"a": fails("X"), "b": fails("Y"), "c": fails("Z")}, nil,
			want{code: "X", failed: "a", begun: three}},
	} {
		t.Run(c.name, func(t *testing.T) {
			all := []string{"a", "b", "c"}
			roles := map[string]string{"e": "!evaluator"}
			for _, name := range slices.Sorted(maps.Keys(c.more)) {
				if !strings.Contains(name, ":") {
					all = append(all, name+roles[name])
				}
			}
			agents := maps.Clone(c.outputs)
			maps.Copy(agents, c.more)
			p := &play{orchestration: "{" + subagents(all...) + `,"parallel_execution":true,"consensus":{` + c.consensus + "}}", agents: agents}
			c.want.check(t, p.run(t))
		})
	}
	t.Run("AAIF-4.3-14 without parallel_execution nobody begins after the first output", func(t *testing.T) {
		p := &play{orchestration: "{" + subagents("a", "b", "c") + `,"consensus":{"strategy":"first_success"}}`, agents: map[string]agent{"a": fails("X"), "b": says("B"), "c": says("C")}}
		want{output: "B", begun: []string{"a", "b"}}.check(t, p.run(t))
	})
	t.Run("AAIF-4.3-13 the referee reads all outputs", func(t *testing.T) {
		agents := voters("A", "B", "C")
		agents["r"] = says("a")
		p := (&play{orchestration: "{" + subagents("a", "b", "c", "r") + `,"consensus":{"strategy":"referee","referee_agent":"urn:r"}}`, agents: agents}).run(t)
		got := p.tasks["referee:r"].Input
		if want := canon.Object(canon.Member{Name: "a", Value: canon.String("A")}, canon.Member{Name: "b", Value: canon.String("B")}, canon.Member{Name: "c", Value: canon.String("C")}); !canon.Equal(got.Get("outputs"), want) || got.Get("input").Text() != "x" {
			t.Errorf("it reads %s", got.AppendCanonical(nil))
		}
	})
	t.Run("AAIF-4.3-12 the mean of several evaluators counts", func(t *testing.T) {
		agents := voters("A", "B")
		agents["e"], agents["g"] = scores(map[string]string{"A": "0.9", "B": "0.6"}), scores(map[string]string{"A": "0.1", "B": "0.6"})
		p := (&play{orchestration: "{" + subagents("a", "b", "e!evaluator", "g") + `,"consensus":{"strategy":"best_of_n"}}`, agents: agents, roles: map[string]aaif.Role{"g": aaif.Evaluator}}).run(t)
		want{output: "B", begun: []string{"a", "b", "score:e:a", "score:g:a", "score:e:b", "score:g:b"}}.check(t, p)
	})
	for name, o := range map[string]string{
		"AAIF-4.3-12 best_of_n without an evaluator": "{" + subagents("a", "b") + `,"consensus":{"strategy":"best_of_n"}}`,
		"AAIF-4.3-13 referee without a referee":      "{" + subagents("a", "b") + `,"consensus":{"strategy":"referee"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := (&play{orchestration: o}).team(t); aaif.CodeOf(err) != aaif.ConsensusConfig {
				t.Errorf("got %v, want %s", err, aaif.ConsensusConfig)
			}
		})
	}
}

// voters returns the agents a, b and c with what they say.
func voters(texts ...string) map[string]agent {
	all := map[string]agent{}
	for i, text := range texts {
		all[string(rune('a'+i))] = says(text)
	}
	return all
}

// TestTruthTable puts every outcome of a condition to every arrangement and consensus: a
// subagent takes part exactly where its condition is satisfied.
func TestTruthTable(t *testing.T) {
	conditions := []struct {
		when  string
		yes   bool
		notes int // of a condition in words, or of one that fails
	}{
		{"always", true, 0}, {"never", false, 0}, {"(if it is late)", true, 1},
		{"jsonpath $.input", true, 0}, {"jsonpath $.nothing", false, 0},
		{"jmespath input == 'x'", true, 0}, {"jmespath input == 'y'", false, 0},
		{"cel input == 'x'", true, 0}, {"cel input == 'y'", false, 0}, {"cel missing.member", false, 1},
	}
	arrangements := map[string]string{
		"pipeline": `"pipeline":["b"]`, "router": `"role":"router"`, "router of all": `"role":"router","parallel_execution":true`,
		"swarm": `"parallel_execution":true`, "one after another": `"role":"orchestrator"`,
	}
	consensus := []string{"", `{"strategy":"majority_vote"}`, `{"strategy":"best_of_n"}`, `{"strategy":"referee","referee_agent":"r"}`, `{"strategy":"first_success"}`}
	agents := map[string]agent{"b": says("B"), "e": says("1"), "r": says("b"), "": says("B")}
	for arrangement, members := range arrangements {
		for _, strategy := range consensus {
			for _, c := range conditions {
				t.Run(fmt.Sprintf("%s %s %s", arrangement, strategy, c.when), func(t *testing.T) {
					all, members := []string{"b?" + c.when, "e!evaluator", "r"}, members
					if strategy != "" {
						members += `,"consensus":` + strategy
					}
					if !strings.Contains(strategy, "referee") {
						all = all[:2]
					}
					p := (&play{orchestration: "{" + subagents(all...) + "," + members + "}", agents: agents}).run(t)
					if got := slices.Contains(p.begun, "b"); got != c.yes {
						t.Errorf("b takes part: %v, want %v", got, c.yes)
					}
					switch m := p.last; {
					case c.yes && m.Output != "B":
						t.Errorf("it ends with %+v", m)
					case !c.yes && arrangement == "pipeline" && m.Output != "x":
						t.Errorf("it ends with %+v", m)
					case !c.yes && arrangement != "pipeline" && m.Code != topology.NoMatch:
						t.Errorf("it ends with %+v", m)
					}
					notes := slices.DeleteFunc(slices.Clone(p.notes), func(n topology.Note) bool { return n.Code == "orchestration.unused" })
					if len(notes) != c.notes || c.notes > 0 && notes[0].Pointer != "/agent/orchestration/subagents/0/when" {
						t.Errorf("it notes %+v, want %d", notes, c.notes)
					}
				})
			}
		}
	}
}
