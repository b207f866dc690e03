package aicf

import (
	"slices"
	"strings"
	"testing"
)

const garden = `@AICF_VERSION
version=3.1

@CONVERSATION:c1
timestamp_start=2025-10-06T08:00:00Z
timestamp_end=2025-10-06T09:00:00Z
messages=3
topic=planting roses

@STATE
actions=ordered soil
flow=ask|order
user:garden=north side

@INSIGHTS
@INSIGHTS roses_need_sun|GENERAL|HIGH|HIGH
@INSIGHTS tulips need cold|GENERAL|LOW|HIGH|id=tulips
@INSIGHTS tulips need frost|GENERAL|LOW|HIGH|id=tulips

@DECISIONS
@DECISIONS water in the morning|HIGH|HIGH|roses burn at noon

@LINKS
@LINKS c1->tulips|related_to

@EMBEDDING:c1
model=m
dimension=2
vector=1,0
keywords=horticulture

@WORK:w1
note=greenhouse

@CONSOLIDATION:k1
source_items=c1
consolidated_at=2025-10-06T10:00:00Z
method=semantic_clustering
key_facts=bulbs winter outside

`

func TestSearchWords(t *testing.T) {
	x := contents(t, garden).Index()
	for _, test := range []struct{ name, question, want string }{
		{"AICF-OV-6 a keyword of a vector finds its entity", "Horticulture", "c1"},
		{"what has all words comes first", "roses need sun", "insight_001 tulips c1 decision_001"},
		{"a word is found by its beginning", "tulip", "tulips"},
		{"a short word is not a beginning", "no", ""},
		{"what was revised is found as it is now", "cold", ""},
		{"its newest form is found", "frost", "tulips"},
		{"reasons of decisions", "noon", "decision_001"},
		{"a state has no name", "soil", "?"},
		{"keys and values of a state", "north garden", "?"},
		{"facts of consolidations", "bulbs", "k1"},
		{"sections that are unknown", "greenhouse", "w1"},
		{"nothing asked", " _ ", ""},
		{"nothing found", "zebra", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			var names []string
			for _, hit := range x.Search(test.question, 9) {
				if hit.Name == "" {
					hit.Name = "?"
				}
				names = append(names, hit.Name)
				if hit.Score <= 0 || hit.Score > 1.000001 {
					t.Errorf("%s has score %v", hit.Name, hit.Score)
				}
			}
			if got := strings.Join(names, " "); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
	if hits := x.Search("roses need sun", 1); len(hits) != 1 || hits[0].Score < 0.999 {
		t.Errorf("the best alone: %+v", hits)
	}
}

// What the format does not define is found by every word in it, under each of its ids.
func TestSearchInWhatOthersWrote(t *testing.T) {
	const text = "pipes froze\n\n@WORK:shed\nnote=ladder\nrain=stopped it\n\n@WORK:shed\nsnow=melted\n\n@DECISIONS:round\ndecision_1=plant garlic\n\n" +
		"@DECISION:unknown\ndecisions=oil the gate\nimpact=LOW\n\n@DECISION:unknown\ndecisions=paint the fence\nimpact=LOW\n\n" +
		"@CONVERSATION:talk\nai_actions=measured the pond\n"
	f, err := Parse([]byte(text), Options{})
	if err != nil {
		t.Fatal(err)
	}
	c, _ := Read(f, Options{})
	x := c.Index()
	for _, word := range []string{"pipes", "ladder", "rain", "snow", "garlic", "oil", "fence", "measured"} {
		if hits := x.Search(word, 10); len(hits) != 1 {
			t.Errorf("AICF-READ-1 %s: %d hits", word, len(hits))
		}
	}
}

// Numbered fields are an oddity, since they are read as the entries that they are.
func TestNumberedFieldsAreNoFault(t *testing.T) {
	const text = "@DECISIONS:round\ndecision_1=plant garlic\nrationale_1=it needs the cold\n\n@INSIGHTS:round\ninsight_1=worms want leaves\n"
	found, err := Validate([]byte(text), Options{Partial: true})
	if err != nil || Fatal(found, false) || !Fatal(found, true) || !warned(found, "AICF-DEC-6") || !warned(found, "AICF-INS-4") {
		t.Errorf("AICF-DEC-6 AICF-INS-4 %v %v", err, found)
	}
}

// Numbered fields below a header without an identifier are entries too, and not a row each.
func TestNumberedFieldsBelowABareHeader(t *testing.T) {
	const text = "@DECISIONS\ndecision_1=plant garlic\nrationale_1=it needs the cold\nimpact_1=HIGH\n\ndecision_2=leave the leaves\n\n" +
		"@INSIGHTS\ninsight_1=worms want leaves\n\n@DECISIONS\ndecision_1=x|HIGH|HIGH|y\nby hand|LOW|LOW|z\n"
	c, _, err := Migrate([]byte(text), Options{})
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, e := range c.Entries {
		switch e := e.(type) {
		case *Insight:
			said = append(said, e.Text)
		case *Decision:
			said = append(said, e.Text+": "+e.Rationale)
		}
	}
	want := []string{"plant garlic: it needs the cold", "leave the leaves: not recorded", "worms want leaves", "decision_1=x: y", "by hand: z"}
	if !slices.Equal(said, want) {
		t.Errorf("entries %q, want %q", said, want)
	}
}
