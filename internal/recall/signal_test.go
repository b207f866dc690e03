package recall_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/satchel-memory/satchel/internal/recall/recalltest"
	"github.com/satchel-memory/satchel/memory"
)

func TestSignals(t *testing.T) {
	deep := fact("a", "swordfish", 30)
	salience := .9
	deep.Lifecycle.Salience = &salience
	deep.Provenance = &memory.Provenance{Evidence: []memory.Evidence{{Ref: "x"}, {Ref: "y"}}}
	deep.Relations = []memory.Relation{{Type: memory.DerivedFrom, Target: "urn:ump:b"}, {Type: memory.About, Target: "entity:fish"}}
	got := search(t, index(deep, fact("z", "zebra", 1)), memory.Query{Text: "swordfish"})[0].Signals
	t.Run("UMP-2.4-2 salience is the record's", func(t *testing.T) {
		if got.Salience != salience {
			t.Errorf("got %v, want %v", got.Salience, salience)
		}
	})
	if got.ProvenanceDepth != 3 || got.ScopeMatch != 1 || got.Recency != .5 || got.Similarity != 1 {
		t.Errorf("got %+v", got)
	}
}

func TestSignalRanges(t *testing.T) {
	t.Run("UMP-3.2-5 signals lie in their ranges", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			idx := new(recalltest.Index)
			words := []string{"swordfish", "zebra", "the", "violin?", "Anna:"}
			for range rapid.IntRange(1, 10).Draw(t, "records") {
				r := fact(rapid.StringMatching(`[a-z]{4}`).Draw(t, "id"), strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 1, 6).Draw(t, "text"), " "),
					rapid.IntRange(-1000, 100_000).Draw(t, "days"))
				r.Kind = rapid.SampledFrom(memory.Kinds()).Draw(t, "kind")
				r.Scope.Project = rapid.SampledFrom([]string{"", "p", "q"}).Draw(t, "project")
				salience := rapid.Float64().Draw(t, "salience")
				r.Lifecycle.Salience = &salience
				idx.Learn(idx.Add(r), rapid.Float64().Draw(t, "feedback"))
			}
			q := memory.Query{Text: "Anna swordfish zebra", Scope: memory.Scope{Project: "p"}, Prefer: []string{rapid.SampledFrom(memory.SignalNames()).Draw(t, "prefer")}}
			for _, h := range search(t, idx, q) {
				for _, v := range []float64{h.Signals.Similarity, h.Signals.Recency, h.Signals.Salience, h.Signals.ScopeMatch} {
					if !(v >= 0 && v <= 1) {
						t.Errorf("signals %+v leave 0 to 1", h.Signals)
					}
				}
				if h.Signals.ProvenanceDepth < 0 || math.IsNaN(h.Score) || math.IsInf(h.Score, 0) {
					t.Errorf("depth %d, score %v", h.Signals.ProvenanceDepth, h.Score)
				}
				if len(h.Why) == 0 {
					t.Errorf("%q was found for no reason", h.Record.Body.Text)
				}
			}
		})
	})
}

func TestScopeMatch(t *testing.T) {
	in := func(id, project, agent string) memory.Record {
		r := fact(id, "Use pnpm here", 3)
		r.Scope.Project, r.Scope.Agent = project, agent
		return r
	}
	idx := index(in("other", "p", "codex"), in("none", "", ""), in("same", "p", "claude-code"))
	hits := search(t, idx, memory.Query{Text: "pnpm", Scope: memory.Scope{Project: "p", Agent: "claude-code"}})
	t.Run("UMP-2.2-1 of equal texts the one that fits the scope ranks higher", func(t *testing.T) {
		if hits[0].Record.ID != "urn:ump:same" || hits[0].Score <= hits[1].Score {
			t.Errorf("got %q first at %v, then %v", ids(hits), hits[0].Score, hits[1].Score)
		}
		for _, h := range hits {
			want := map[memory.ID]float64{"urn:ump:same": 1, "urn:ump:none": .5, "urn:ump:other": .5}[h.Record.ID]
			if h.Signals.ScopeMatch != want {
				t.Errorf("scope match of %s is %v, want %v", h.Record.ID, h.Signals.ScopeMatch, want)
			}
		}
	})
	if !slices.Contains(hits[0].Why, "same project") {
		t.Errorf("why: %q", hits[0].Why)
	}
}

func TestHintsSteerRankingOnly(t *testing.T) {
	t.Run("UMP-2.4-1 hints of the lifecycle change ranking at most", func(t *testing.T) {
		with := func(id string, salience, confidence float64, decay string) memory.Record {
			r := fact(id, "swordfish", 3)
			r.Lifecycle = memory.Lifecycle{Salience: &salience, Confidence: &confidence, Decay: decay}
			return r
		}
		idx := index(with("dull", 0, 0, "P1D"), with("wild", math.Inf(1), -7, "??"), with("nan", math.NaN(), math.NaN(), ""), fact("plain", "swordfish", 3))
		hits := search(t, idx, memory.Query{Text: "swordfish"})
		if len(hits) != 4 {
			t.Fatalf("got %q, want all four", ids(hits))
		}
		if hits[0].Record.ID != "urn:ump:wild" || hits[3].Record.ID != "urn:ump:dull" {
			t.Errorf("got %q, want the salient first and the dull last", ids(hits))
		}
	})
	t.Run("UMP-3.2-9 a ranking hint may reorder, an unknown one does nothing", func(t *testing.T) {
		idx := index(fact("old", "We had swordfish for dinner", 500), fact("new", "A swordfish is a fish", 0), fact("x", "zebra", 0))
		for _, tt := range []struct {
			prefer []string
			want   string
		}{
			{nil, "old new"}, {[]string{"no-such-signal", ""}, "old new"}, {[]string{"recency"}, "new old"}, {[]string{"similarity"}, "old new"},
		} {
			if got := ids(search(t, idx, memory.Query{Text: "swordfish dinner", Prefer: tt.prefer})); got != tt.want {
				t.Errorf("prefer %q: got %q, want %q", tt.prefer, got, tt.want)
			}
		}
	})
	t.Run("UMP-3.2-11 the signals have the standard names", func(t *testing.T) {
		want := []string{"similarity", "recency", "salience", "scope_match", "provenance_depth"}
		if got := memory.SignalNames(); !slices.Equal(got, want) {
			t.Errorf("got %q", got)
		}
		for _, name := range want {
			deep := fact("a", "swordfish", 1)
			deep.Provenance = &memory.Provenance{Evidence: make([]memory.Evidence, 3)}
			idx := index(fact("b", "swordfish", 1), deep)
			first := ids(search(t, idx, memory.Query{Text: "swordfish", Prefer: []string{name}}))
			if name == "provenance_depth" && first != "a b" {
				t.Errorf("the hint %s gives %q", name, first)
			}
		}
	})
}

func TestFeedback(t *testing.T) {
	idx := index(fact("a", "swordfish", 3), fact("b", "swordfish", 3), fact("c", "swordfish", 3))
	idx.Learn(2, 1)
	idx.Learn(1, -1)
	hits := search(t, idx, memory.Query{Text: "swordfish"})
	if got := ids(hits); got != "b c a" {
		t.Errorf("got %q, want what was of use first", got)
	}
	if !slices.Contains(hits[0].Why, "was of use before") {
		t.Errorf("why: %q", hits[0].Why)
	}
}

func TestBoosts(t *testing.T) {
	in := func(r memory.Record, project string) memory.Record { r.Scope.Project = project; return r }
	kind := func(r memory.Record, k memory.Kind) memory.Record { r.Kind = k; return r }
	march := fact("march", "Repotted the violets", 0)
	march.Time.Observed = time.Date(2025, 3, 9, 0, 0, 0, 0, time.UTC)
	idx := index(
		said("hears", "Ben: Somebody told Anna about grilled swordfish yesterday"), fact("gap1", "nothing", 1), fact("gap2", "nothing", 1), fact("gap3", "nothing", 1),
		said("says", "Anna: Somebody told Ben about grilled swordfish yesterday"), fact("gap4", "nothing", 1), fact("gap5", "nothing", 1), fact("gap6", "nothing", 1),
		fact("a-asks", "Will the ferry to Hydra be full?", 9), fact("z-answers", "The ferry to Hydra will be full.", 9),
		fact("z-dated", "Planted the olive tree by the gate last October", 9), fact("a-undated", "Planted the olive tree by the gate quite happily", 9),
		fact("z-june", "Repotted the violets", 0), march,
		kind(fact("rule", "Commit messages are short", 9), memory.Procedural), fact("norule", "Commit messages are short", 9),
		kind(fact("me", "Prefers to be called Sam", 9), memory.Identity),
		in(fact("here", "tests take long", 9), "github.com/anna/lantern"), in(fact("there", "long tests take time", 9), "github.com/anna/torch"),
	)
	for _, tt := range []struct{ question, first, why string }{
		{"what did Anna say of swordfish", "says", "said by whom you name"},
		{"did Ben tell Anna about swordfish", "hears", "said by whom you name"},
		{"did Anna tell Ben about swordfish", "says", "said by whom you name"},
		{"is the Hydra ferry full", "z-answers", `matches "hydra", "ferry", "full"`},
		{"when was the olive tree planted", "z-dated", `matches "olive", "tree", "planted"`},
		{"violets repotted in March 2025", "march", "from the time you name"},
		{"rules for commit messages", "rule", "is procedural"},
		{"who am I?", "me", "is identity"},
		{"lantern tests", "here", "project you name"},
		{`"tests take long"`, "here", "has the quoted words"},
		{"violet", "z-june", `matches "violet"`},
		{"what fish? swordfish", "hears", `matches "swordfish"`},
	} {
		t.Run(tt.question, func(t *testing.T) {
			hits := search(t, idx, memory.Query{Text: tt.question})
			if len(hits) == 0 || string(hits[0].Record.ID) != "urn:ump:"+tt.first {
				t.Fatalf("got %q, want %s first", ids(hits), tt.first)
			}
			if !slices.Contains(hits[0].Why, tt.why) {
				t.Errorf("why: %q, want %q among it", hits[0].Why, tt.why)
			}
		})
	}
}
