package aaif_test

import (
	"os"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
)

// corpus is what a corpus holds: documents of every kind, and each with a fault.
func corpus(t testing.TB) []aaif.Fixture {
	t.Helper()
	var all []aaif.Fixture
	for name, fault := range map[string]string{"agent": "/agent/goal", "state": "/status", "manifest": "/platform/name", "report": "/claims"} {
		raw, err := os.ReadFile("testdata/" + name + ".json")
		if err != nil {
			t.Fatal(err)
		}
		broken := set(tree(t, string(raw)), fault, canon.Value{}).Append(nil)
		all = append(all, aaif.Fixture{Name: "valid/" + name, Valid: true, Raw: raw}, aaif.Fixture{Name: "invalid/" + name, Raw: broken})
	}
	return append(all, aaif.Fixture{Name: "invalid/text", Raw: []byte("{")}, aaif.Fixture{Name: "invalid/kind", Raw: []byte(`{"sc_standard":"SC-006"}`)})
}

func TestCorpus(t *testing.T) {
	at := time.Date(2026, 6, 10, 9, 0, 0, 0, time.UTC)
	t.Run("AAIF-6-12 all of it", func(t *testing.T) {
		run, wrong := validator(t).RunCorpus("our own", corpus(t), at)
		expect(t, len(wrong), 0)
		expect(t, run.Corpus, "our own")
		expect(t, run.Passed, 10)
		expect(t, run.Total, 10)
		expect(t, run.RanAt.Equal(at), true)
	})
	for _, c := range []struct {
		id, name string
		valid    bool
		raw      string
		reasons  int
	}{
		{"AAIF-6-20 a valid one is edited", "valid/agent", true, `{"sc_standard":"SC-006","agent":{"name":"A"}}`, 1},
		{"AAIF-6-20 a valid one cannot be read", "valid/agent", true, `{"a":1,"a":2}`, 1},
		{"AAIF-6-20 an invalid one is mended", "invalid/agent", false, minimal, 0},
	} {
		t.Run(c.id, func(t *testing.T) {
			fixtures := corpus(t)
			for i := range fixtures {
				if fixtures[i].Name == c.name {
					fixtures[i].Raw = []byte(c.raw)
				}
			}
			run, wrong := validator(t).RunCorpus("our own", fixtures, at)
			expect(t, run.Passed, 9)
			expect(t, run.Total, 10)
			if len(wrong) != 1 || wrong[0].Name != c.name || wrong[0].Valid != c.valid || len(wrong[0].Found) != c.reasons {
				t.Fatalf("got %+v", wrong)
			}
			e := fullEvidence(t)
			e.Producer = run
			expect(t, readClaims(aaif.NewReport(e)), "consumer:Multi-agent consumer:Enterprise consumer:Stateful")
		})
	}
}

func TestLacks(t *testing.T) {
	v := validator(t)
	for _, c := range []struct {
		id    string
		level aaif.Level
		want  string
	}{
		{"AAIF-6-14 Core", aaif.Core, ""},
		{"AAIF-6-14 Portable", aaif.Portable, "Tooled/agent/tools Portable/agent/constraints"},
		{"AAIF-6-14 Multi-agent", aaif.MultiAgent, "Tooled/agent/tools Portable/agent/constraints Multi-agent/agent/orchestration/role Multi-agent/agent/orchestration"},
		{"AAIF-6-14 Stateful", aaif.Stateful, "Tooled/agent/tools Portable/agent/constraints Observable/agent/telemetry/tracing Observable/agent/evaluation/metrics " +
			"Enterprise/agent/compliance/safety_level Enterprise/agent/compliance/audit_log Enterprise/provenance/signature Stateful/agent/required_capabilities"},
		{"AAIF-6-1 Gold", "Gold", "Gold"},
	} {
		t.Run(c.id, func(t *testing.T) {
			expect(t, gathered(v.Lacks(doc(t, minimal), c.level)), c.want)
		})
	}
	t.Run("AAIF-6-14 not valid", func(t *testing.T) {
		expect(t, gathered(v.Lacks(changed(t, doc(t, minimal), "/agent/goal", ""), aaif.Core)), "Core/agent/goal")
	})
	t.Run("AAIF-6-14 what is reached lacks nothing, and the rest does", func(t *testing.T) {
		d := doc(t, minimal)
		for _, s := range levelSteps {
			d = changed(t, d, s.pointer, s.value)
			held := v.Produced(d)
			for _, l := range aaif.Levels() {
				if held.Has(l) != (len(v.Lacks(d, l)) == 0) {
					t.Errorf("after %s: %s is held: %t, lacks %s", s.pointer, l, held.Has(l), gathered(v.Lacks(d, l)))
				}
			}
		}
	})
}

// gathered shows what is missing.
func gathered(missing []aaif.Gap) string {
	var all string
	for _, m := range missing {
		if all != "" {
			all += " "
		}
		all += string(m.Level) + m.Pointer
	}
	return all
}
