package aaifhttp_test

import (
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/aaifhttp"
	"github.com/satchel-memory/satchel/aaif/aaiftest"
	"github.com/satchel-memory/satchel/memory"
)

// TestKeep keeps definitions for carrying them on, where the owner asks for it.
func TestKeep(t *testing.T) {
	raw := string(aaiftest.Definition(aaiftest.AgentID, "strict", "memory.vector"))
	s := serve(t, aaifhttp.Options{})
	s.do("POST", "/aaif/agents", raw).refused(t, 409, aaif.UnsatisfiedCapabilities)
	s.do("POST", "/aaif/agents?keep=false", raw).refused(t, 409, aaif.UnsatisfiedCapabilities)
	s.do("POST", "/aaif/agents?keep=please", raw).refused(t, 400, "INVALID_PARAMETER")
	s.as = memory.Agent
	s.do("POST", "/aaif/agents?keep=true", raw).refused(t, 403, "FORBIDDEN")
	s.as = memory.Owner
	if agents, _, _ := s.platform.Kept(); agents != 0 {
		t.Fatalf("%d are kept", agents)
	}
	t.Run("AAIF-U.P-1_never_silently", func(t *testing.T) {
		v := s.do("POST", "/aaif/agents?keep=true", raw).object(t, 201)
		if v.Get("negotiation").Get("verdict").Text() != "rejected" || v.Get("cannot_run").Len() != 1 {
			t.Errorf("%s", v.Append(nil))
		}
	})
	t.Run("AAIF-7-12_and_a_client_is_told", func(t *testing.T) {
		at, client := overTLS(t, s, 2)
		r, err := client.Intake(t.Context(), aaif.Intake{URL: at + aaifhttp.AgentsPath}, []byte(raw), aaif.IntakeOptions{Keep: true})
		if err != nil || len(r.Kept.CannotRun) != 1 || r.Negotiation.Verdict != aaif.Rejected {
			t.Errorf("%+v %v", r, err)
		}
	})
}
