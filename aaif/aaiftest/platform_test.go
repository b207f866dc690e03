package aaiftest_test

import (
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/aaiftest"
	"github.com/satchel-memory/satchel/memory"
)

// TestPlatform makes sure that what is made up is what AAIF says it is.
func TestPlatform(t *testing.T) {
	p := aaiftest.New("here.example", aaiftest.Noon)
	v, err := aaif.NewValidator(nil)
	if err != nil {
		t.Fatal(err)
	}
	m, _ := p.Manifest(t.Context())
	r, _ := p.Report(t.Context())
	for kind, doc := range map[aaif.Kind]aaif.Document{
		aaif.ManifestKind: {Kind: aaif.ManifestKind, Value: m.Document()},
		aaif.ReportKind:   {Kind: aaif.ReportKind, Value: r.Document()},
		aaif.StateKind:    {Kind: aaif.StateKind, Value: aaiftest.Checkpoint()},
	} {
		if found := v.Validate(doc); len(found) > 0 {
			t.Errorf("%s: %v", kind, found)
		}
	}
	source, err := aaiftest.NewSource("source.example", p)
	if err != nil {
		t.Fatal(err)
	}
	state, err := source.Ready(aaiftest.Checkpoint(), p.Name, "1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Receive(t.Context(), memory.Caller{}, state); aaif.CodeOf(err) != aaif.AgentUnknown {
		t.Error(err)
	}
	if _, err := p.Intake(t.Context(), memory.Caller{}, aaiftest.Definition(aaiftest.AgentID, "strict", "tool.function"), aaif.IntakeOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Receive(t.Context(), memory.Caller{}, state); err != nil {
		t.Error(err)
	}
	if _, err := p.Receive(t.Context(), memory.Caller{}, state); aaif.CodeOf(err) != aaif.TokenReplayed {
		t.Error(err)
	}
	if agents, states, spent := p.Kept(); agents != 1 || states != 1 || spent != 1 {
		t.Errorf("%d agents, %d states, %d tokens", agents, states, spent)
	}
}

func TestKeeps(t *testing.T) {
	aaiftest.Keeps(t, aaiftest.New("here.example", aaiftest.Noon), memory.Caller{})
}
