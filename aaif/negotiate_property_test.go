package aaif_test

import (
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
)

// rank orders verdicts from the best to the worst.
func rank(v aaif.Verdict) int {
	return slices.Index([]aaif.Verdict{aaif.Accepted, aaif.Degraded, aaif.Rejected}, v)
}

// drawAgent draws a definition that lists and uses some capabilities.
func drawAgent(t *testing.T, rt *rapid.T) (aaif.Definition, []string) {
	d := agentWith(t, rapid.SampledFrom(levels).Draw(rt, "level"))
	for _, i := range rapid.SliceOfNDistinct(rapid.IntRange(0, len(uses)-1), 0, 5, rapid.ID).Draw(rt, "uses") {
		d.Value = set(d.Value, uses[i].at, tree(t, uses[i].value))
	}
	var ids []string
	for _, i := range rapid.SliceOfNDistinct(rapid.IntRange(0, len(lists)), 0, 5, rapid.ID).Draw(rt, "listed") {
		if i == len(lists) {
			ids = append(ids, "tool.telepathy")
		} else {
			ids = append(ids, lists[i].id)
		}
	}
	return listing(d, ids), ids
}

func listing(d aaif.Definition, ids []string) aaif.Definition {
	items := make([]canon.Value, len(ids))
	for i, id := range ids {
		items[i] = canon.String(id)
	}
	return aaif.ReadDefinition(set(d.Value, "/agent/required_capabilities", canon.Array(items...)))
}

// places returns pointers to all that a manifest says there is.
func places(v canon.Value, at string) []string {
	var all []string
	for i, inner := range v.Items() {
		all = append(append(all, at+"/"+strconv.Itoa(i)), places(inner, at+"/"+strconv.Itoa(i))...)
	}
	for _, m := range v.Members() {
		all = append(append(all, at+"/"+m.Name), places(m.Value, at+"/"+m.Name)...)
	}
	return all
}

// drawManifest draws a manifest, and the same with one thing less.
func drawManifest(t *testing.T, rt *rapid.T) (more, less aaif.Manifest) {
	v := set(tree(t, everything), "/platform/aaif_conformance_level", canon.String(string(rapid.SampledFrom(aaif.Levels()).Draw(rt, "platform"))))
	for range rapid.IntRange(1, 6).Draw(rt, "removed") {
		all := append(places(v.Get("x-aaif-capabilities"), "/x-aaif-capabilities"), places(v.Get("platform").Get("capabilities"), "/platform/capabilities")...)
		if len(all) == 0 {
			break
		}
		more, v = aaif.ReadManifest(v), set(v, rapid.SampledFrom(all).Draw(rt, "without"), canon.Value{})
	}
	return more, aaif.ReadManifest(v)
}

func TestNegotiationIsMonotone(t *testing.T) {
	met := map[string]int{}
	rapid.Check(t, func(rt *rapid.T) {
		d, ids := drawAgent(t, rt)
		more, less := drawManifest(t, rt)
		with, without := aaif.Negotiate(d, more, aaif.NegotiateOptions{}), aaif.Negotiate(d, less, aaif.NegotiateOptions{})
		if rank(without.Verdict) < rank(with.Verdict) {
			rt.Fatalf("AAIF-7-2: %s becomes %s when the platform has less", with.Verdict, without.Verdict)
		}
		for i, need := range with.Needs {
			if without.Needs[i].Satisfied && !need.Satisfied {
				rt.Fatalf("AAIF-7-2: %s is satisfied by less", need.Capability)
			}
		}
		again := aaif.Negotiate(listing(d, rapid.Permutation(ids).Draw(rt, "order")), more, aaif.NegotiateOptions{})
		if again.Verdict != with.Verdict || len(again.Unsatisfied()) != len(with.Unsatisfied()) || (again.Err() == nil) != (with.Err() == nil) {
			rt.Fatalf("AAIF-7-2: in another order %s, not %s", again.Verdict, with.Verdict)
		}
		met[string(with.Verdict)]++
		if without.Verdict != with.Verdict {
			met["worse"]++
		}
		checkNegotiation(rt, with)
	})
	t.Run("AAIF-7-2 every verdict was met", func(t *testing.T) {
		for _, what := range []string{"accepted", "degraded", "rejected", "worse"} {
			if met[what] == 0 {
				t.Errorf("never %s", what)
			}
		}
	})
}

// checkNegotiation checks what holds of every negotiation.
func checkNegotiation(rt *rapid.T, n aaif.Negotiation) {
	if (n.Err() != nil) != (n.Verdict == aaif.Rejected) || len(n.Words()) != len(n.Unsatisfied()) {
		rt.Fatalf("AAIF-7-7: %s, %v, %q", n.Verdict, n.Err(), n.Words())
	}
	seen := map[string]bool{}
	for _, need := range n.Needs {
		switch {
		case need.Satisfied != (need.Effect == ""):
			rt.Fatalf("AAIF-7-5: %+v", need)
		case need.Safety && !need.Satisfied && n.Verdict != aaif.Rejected:
			rt.Fatalf("AAIF-7-12: %s goes on without %s", n.Verdict, need.Capability)
		case seen[need.Capability] || len(need.Pointers) == 0:
			rt.Fatalf("AAIF-7-11: %+v", need)
		case n.Verdict != aaif.Rejected && need.Effect != "" && need.Effect != aaif.Substituted && !slices.Contains(n.Disabled(), need.Capability):
			rt.Fatalf("AAIF-U.P-1: %s is gone without a word", need.Capability)
		}
		seen[need.Capability] = true
	}
}
