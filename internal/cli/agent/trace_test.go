package agent

import (
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/privacy"
	"github.com/satchel-memory/satchel/internal/run"
	"github.com/satchel-memory/satchel/internal/run/trace"
)

// TestTraceLeaves: the trace of a run goes along with its checkpoint. Its digits look like a
// secret or a number of a person, and are neither.
func TestTraceLeaves(t *testing.T) {
	for range 200 {
		of := trace.NewOrigin(trace.Context{}, func(trace.Context) bool { return true })
		r, err := run.Fold("11111111-2222-4333-8444-555555555555", []run.Event{{Number: 1, Kind: run.Started, Start: &run.Start{Agent: "7b1f6d0e-3c55-4f0a-9a60-0f5f6f1f2a01", Input: []byte(`"x"`), Limits: run.DefaultLimits(), Trace: of}}})
		if err != nil {
			t.Fatal(err)
		}
		for _, pii := range []aaif.PII{aaif.PIIAnonymize, aaif.PIIReject} {
			state := r.Capture(run.CaptureOptions{StateID: "d7e8f9a0-1234-4000-8000-000000000001"})
			out, _, err := privacy.Redact(state, privacy.RedactOptions{PII: pii})
			if err != nil || run.TraceOf(out) != of.Root {
				t.Fatalf("AAIF-4.7-10: of %s there is left %s, %v", of.Root, out.Get("x-satchel").Append(nil), err)
			}
		}
	}
}
