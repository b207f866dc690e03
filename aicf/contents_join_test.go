package aicf

import (
	"slices"
	"testing"
)

func TestNameOrdinals(t *testing.T) {
	c := contents(t, `@INSIGHTS one|DATA|LOW|LOW
@INSIGHTS two|DATA|LOW|LOW
@INSIGHTS three|DATA|LOW|LOW|id=in_insight_003
@INSIGHTS four|DATA|LOW|LOW

@DECISIONS east|LOW|LOW|sun

@LINKS insight_002->decision_001|related_to
@LINKS insight_002->in_insight_003|related_to

@EMBEDDING:insight_004
model=m
dimension=1
vector=1

@CONSOLIDATION:k
source_items=insight_002|nobody
`)
	n := c.NameOrdinals("in_", func(id string) bool { return id != "in_decision_001" })
	var ids []string
	for _, e := range c.Entries {
		if id, has := ownID(e); has {
			ids = append(ids, *id)
		}
	}
	if want := []string{"", "in_insight_002", "in_insight_003", "in_insight_004", "in_decision_001x"}; n != 3 || !slices.Equal(ids, want) {
		t.Errorf("%d named: %q, want %q", n, ids, want)
	}
	var named []string
	for _, e := range c.Entries {
		for _, name := range names(e) {
			named = append(named, *name)
		}
	}
	want := []string{"in_insight_002", "in_decision_001x", "in_insight_002", "in_insight_003", "in_insight_004", "in_insight_002", "nobody"}
	if !slices.Equal(named, want) {
		t.Errorf("named are %q, want %q", named, want)
	}
}
