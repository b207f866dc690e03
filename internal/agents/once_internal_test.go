package agents

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/vault/agentstore"
)

// allocated returns how many bytes a function allocates.
func allocated(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func TestSubagentIsJudgedOnce(t *testing.T) {
	t.Run("AAIF-4.3-26 however often it is referred to", func(t *testing.T) {
		var many []string
		for i := range 300 {
			many = append(many, fmt.Sprintf("constraint %d", i))
		}
		team := team{whole: true, rules: map[string]aaif.Rules{"b": {Constraints: many[:150]}}}
		work := func(refs int) uint64 {
			j := &judgement{definition: aaif.Definition{Agent: aaif.Agent{Constraints: many[100:]}}}
			own := make([]aaif.Subagent, refs)
			for i := range own {
				own[i].Ref = "b"
			}
			bytes := allocated(func() { j.stricter(own, team) })
			if len(j.warnings) != 1 {
				t.Errorf("warned %q", j.warnings)
			}
			return bytes
		}
		if one, hundred := work(1), work(100); hundred > 4*one {
			t.Errorf("%d bytes for one reference, %d for a hundred", one, hundred)
		}
	})
}

func TestRevisionIsReadOnce(t *testing.T) {
	const revisions, states = 8, 5
	born := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	read := map[int64]int{}
	look := func(n int64) (agentstore.KeptAgent, error) {
		read[n]++
		if n == 0 {
			n = revisions
		}
		policy := "anonymize"
		if n == 1 { // what the checkpoints came under
			policy = "reject"
		}
		return agentstore.KeptAgent{ID: "a", Revision: n, Received: born.Add(time.Duration(n) * time.Hour),
			Document: fmt.Appendf(nil, `{"agent":{"compliance":{"pii_handling":%q}}}`, policy)}, nil
	}
	do := recasting(aaif.PIIAnonymize)
	for round := 1; round <= 2; round++ {
		rule := do.Rules(look)
		for range states {
			became, err := rule(agentstore.KeptState{ID: "x", Received: born.Add(90 * time.Minute), Document: []byte(`{"variables":{"mail":"ada@example.org"}}`)})
			if err != nil || !became.Drop {
				t.Fatalf("AAIF-12-10: the policy of the first revision does not hold: %+v, %v", became, err)
			}
		}
		for n := range int64(revisions) {
			if read[n] != round {
				t.Errorf("round %d: revision %d was read %d times", round, n, read[n])
			}
		}
	}
}
