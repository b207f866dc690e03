package agents_test

import (
	"context"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
)

// TestKeep keeps what cannot be run here, for carrying it on, and never as something
// that can.
func TestKeep(t *testing.T) {
	raw := definition(`"constraints":["Never reveal the code word zebra"]`)
	t.Run("AAIF-7-12 the refusal names the way to have it kept", func(t *testing.T) {
		if err := open(t).refuses(raw, aaif.UnsatisfiedCapabilities); !isKeepable(err) {
			t.Error(err)
		}
	})
	t.Run("AAIF-7-12 AAIF-U.P-1 it is kept as what cannot be run", func(t *testing.T) {
		h := open(t)
		r, err := h.Intake(context.Background(), h.owner(), []byte(raw), aaif.IntakeOptions{Keep: true})
		if err != nil {
			t.Fatal(err)
		}
		if r.Negotiation.Verdict != aaif.Rejected || len(r.Kept.CannotRun) != 1 || !strings.Contains(strings.Join(r.Warnings, "\n"), "kept, cannot run here: ") {
			t.Errorf("got %+v", r)
		}
		list, err := h.Agents(context.Background(), h.owner(), "", 0)
		if err != nil || len(list) != 1 || len(list[0].CannotRun) != 1 || list[0].Document.Has("agent") {
			t.Errorf("got %+v, %v", list, err)
		}
		one, err := h.Agent(context.Background(), h.owner(), agentID, 0)
		if err != nil || len(one.CannotRun) != 1 || !one.Document.Has("agent") {
			t.Errorf("got %+v, %v", one, err)
		}
	})
	t.Run("nothing is said of what can be run", func(t *testing.T) {
		h := open(t, running())
		r, err := h.Intake(context.Background(), h.owner(), []byte(raw), aaif.IntakeOptions{Keep: true})
		if err != nil || r.Negotiation.Verdict == aaif.Rejected || len(r.Kept.CannotRun) > 0 {
			t.Errorf("got %+v, %v", r, err)
		}
	})
	t.Run("AAIF-12-4 what is wrong otherwise stays out", func(t *testing.T) {
		h := open(t)
		bad := definition(`"instructions":"sk-ant-REDACTED"`)
		if _, err := h.Intake(context.Background(), h.owner(), []byte(bad), aaif.IntakeOptions{Keep: true}); aaif.CodeOf(err) != aaif.InlineSecret || h.kept() != 0 {
			t.Errorf("got %v", err)
		}
	})
}
