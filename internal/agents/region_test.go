package agents_test

import (
	"context"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/internal/agents"
)

// TestCustomRegion takes agents in whose data stays in a region that only the operator
// can name (decision R35).
func TestCustomRegion(t *testing.T) {
	raw := definition(`"compliance":{"data_residency":"custom"}`)
	swiss := running(func(o *aaif.Offer) { o.Capabilities.Compliance.Regions = []string{"EU", "CH"} })
	means := func(region string) func(*agents.Options) { return func(o *agents.Options) { o.CustomRegion = region } }
	for name, change := range map[string][]func(*agents.Options){
		"nobody has said what it means": {swiss},
		"it means another region":       {swiss, means("US")},
		"nothing runs agents here":      {means("CH")},
	} {
		t.Run("AAIF-4.9-5 refused: "+name, func(t *testing.T) { open(t, change...).refuses(raw, aaif.UnsatisfiedCapabilities) })
	}
	t.Run("AAIF-4.9-5 taken in where the operator has said so", func(t *testing.T) {
		h := open(t, swiss, means("CH"))
		if r := h.taken(raw); r.Negotiation.Verdict != aaif.Accepted || len(r.Kept.CannotRun) > 0 {
			t.Errorf("got %+v", r)
		}
		if k, err := h.Agent(context.Background(), h.owner(), agentID, 0); err != nil || len(k.CannotRun) > 0 {
			t.Errorf("got %q, %v", k.CannotRun, err)
		}
	})
}
