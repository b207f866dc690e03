package agentdoc

import (
	"testing"

	"github.com/satchel-memory/satchel/aaif"
)

// TestRefusals holds that a checkpoint is turned down with one status, whatever for.
func TestRefusals(t *testing.T) {
	for _, code := range []aaif.Code{aaif.StateTransition, aaif.TokenReplayed, aaif.TokenBinding, aaif.AgentUnknown, aaif.PIIRejected} {
		if !isRefusal(code) {
			t.Errorf("AAIF-8.1-6: %s is told as a document that is not valid", code)
		}
	}
	if isRefusal(aaif.SchemaViolation) {
		t.Error("what is not valid is told as turned down")
	}
}
