package aimem

import (
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
)

// TestRelationTypes: an edge becomes a relation that becomes that edge again, or none.
func TestRelationTypes(t *testing.T) {
	for _, tt := range []struct {
		edge, relation string
		ok             bool
	}{
		{"causal", "causal", true},
		{"x-own", "x-own", true},
		{"x-ump-contradicts", "contradicts", true},
		{"x-ump-causal", "x-ump-causal", true}, // causal is another edge
		{"x-ump-x-own", "x-ump-x-own", true},   // and so is x-own
		{"x-ump-", "x-ump-", true},
		{"x-ump-supersedes", "", false},
		{"x-ump-continues", "", false},
		{"x-" + strings.Repeat("y", maxRelationType), "", false},
	} {
		got, ok := RelationType(tt.edge)
		if ok != tt.ok || ok && (got != tt.relation || EdgeType(got) != tt.edge) {
			t.Errorf("%.40s: %.40s, %v; that becomes %.40s", tt.edge, got, ok, EdgeType(got))
		}
	}
}

// TestRelays: an entity says where it came from first, however many stores it came
// through, and each of these knows its own name for it again.
func TestRelays(t *testing.T) {
	const first = URN("urn:aimem:first:e1")
	e := entityFrom(object{{Name: "id", Value: canon.String(string(first))}, {Name: "name", Value: canon.String("Go")}}.value())
	for _, producer := range []string{"a", "b", "c"} {
		m := Mapper{Namespace: Namespace(producer)}
		from := e.ID
		e = e.WithURN(m.Alias(from))
		if e.ID != m.Alias(from) || OriginURN(e.Value) != first || e.Name != "Go" {
			t.Errorf("from %s it leaves as %s", producer, e.Value.Append(nil))
		}
		if got := m.ResolveAlias(e); got != from {
			t.Errorf("to %s it comes back as %s, want %s", producer, got, from)
		}
		if got := (Mapper{Namespace: "d"}).ResolveAlias(e); got != e.ID {
			t.Errorf("elsewhere it is %s", got)
		}
	}
	if same := e.WithURN(e.ID); !canon.Identical(same.Value, e.Value) {
		t.Errorf("under its own name it is %s", same.Value.Append(nil))
	}
	for _, junk := range []string{"", "far", "urn:aimem:far:", "urn:aimem:Far:1", "urn:aimem:far:" + strings.Repeat("x", maxLocal+1)} {
		v := canon.Object(canon.Member{Name: memberOrigin, Value: canon.String(junk)})
		if got := OriginURN(v); got != "" {
			t.Errorf("%.20q is a source: %.20q", junk, got)
		}
	}
}

// TestRecordOf: the URN of a record leads back to it, in its namespace alone.
func TestRecordOf(t *testing.T) {
	m := Mapper{Namespace: "a"}
	id := memory.ID("urn:ump:abc")
	if got, ok := m.RecordOf(m.URN(id)); !ok || got != id || !m.Contains(m.URN(id)) {
		t.Errorf("%q, %v", got, ok)
	}
	for _, urn := range []URN{Mapper{Namespace: "ab"}.URN(id), "urn:ump:abc", ""} {
		if got, ok := m.RecordOf(urn); ok || m.Contains(urn) {
			t.Errorf("%s is %s", urn, got)
		}
	}
	if _, ok := (Mapper{}).RecordOf("urn:aimem::abc"); ok {
		t.Error("a namespace without a name has records")
	}
}
