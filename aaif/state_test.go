package aaif_test

import (
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
)

func TestState(t *testing.T) {
	run(t, "failed-state", []ruleCase{
		{id: "AAIF-8.1-3", edit: "/agent_id", pointer: "/agent_id"},
		{id: "AAIF-8.1-2", edit: "/state_id", value: `1`, pointer: "/state_id"},
		{id: "AAIF-8.1-1", edit: "/more", value: `1`, pointer: "/more", not: "AAIF-4-3"},
		{id: "AAIF-8.1-1", edit: "/x-more", value: `{"a":[]}`},
		{id: "AAIF-8.1-4", edit: "/checkpoint_at", pointer: "/checkpoint_at"},
		{id: "AAIF-8.1-7", edit: "/iteration", value: `-1`, pointer: "/iteration"},
		{id: "AAIF-8.1-10", edit: "/conversation", value: `[{"role":"function","content":""}]`, pointer: "/conversation/0/role"},
		{id: "AAIF-8.1-10", edit: "/conversation", value: `[{"role":"user"}]`, pointer: "/conversation/0/content"},
		{id: "AAIF-8.1-13", edit: "/memory_snapshot", value: `[{"scope":"user","content":""}]`, pointer: "/memory_snapshot/0/key"},
		{id: "AAIF-8.1-14 vectors have no place", edit: "/memory_snapshot", value: `[{"scope":"user","key":"","content":"","embedding":[0.5]}]`, pointer: "/memory_snapshot/0/embedding", not: "AAIF-4-3"},
		{id: "AAIF-8.1-16", edit: "/pending_tool_calls", value: `[{"id":"a","tool_name":"b"}]`, pointer: "/pending_tool_calls/0/arguments"},
		{id: "AAIF-8.1-16", edit: "/pending_tool_calls", value: `[{"id":"a","tool_name":"b","arguments":{},"status":"done"}]`, pointer: "/pending_tool_calls/0/status"},
		{id: "AAIF-8.1-17", edit: "/subagent_states", value: `[{"alias":"a"}]`, pointer: "/subagent_states/0/agent_id"},
		{id: "AAIF-8.1-18", edit: "/variables", value: `{"k":{"a":[1,null]}}`},
		{id: "AAIF-8.1-18", edit: "/variables", value: `[]`, pointer: "/variables"},
		{id: "AAIF-8.1-22", edit: "/provenance", value: `{"who":1}`, pointer: "/provenance/who", not: "AAIF-4-3"},
		{id: "AAIF-U.D-1", edit: "/sc_version", value: `"4.0.0"`, pointer: "/sc_version"},
	})
	run(t, "state", words(ruleCase{id: "AAIF-8.1-5", edit: "/status"}, strings.Fields("running paused awaiting_approval awaiting_tool_result completed failed migrating"), "stopped"))
}

func TestStateFields(t *testing.T) {
	s := aaif.ReadState(sample(t, "state").Value)
	t.Run("AAIF-8.1-9 the position", func(t *testing.T) {
		expect(t, s.Position.Current+strings.Join(s.Position.Completed, "")+strings.Join(s.Position.Remaining, ""), "bookreadsend")
		expect(t, *s.Position.Slot, 0)
	})
	t.Run("AAIF-8.1-12 a call is a message of the assistant", func(t *testing.T) {
		m := s.Conversation[2]
		expect(t, m.Role+m.CallID+m.Tool, "assistantcall_1book_receipt")
		expect(t, tree(t, m.Content).Get("receipt_id").Text(), "1")
	})
	t.Run("AAIF-8.1-19 the approval", func(t *testing.T) {
		expect(t, s.Approval.Action.Tool, "book_receipt")
		expect(t, s.Approval.TimeoutAt.Sub(s.Approval.RequestedAt).Seconds(), 3600)
	})
	t.Run("AAIF-8.1-21 the error", func(t *testing.T) {
		e := aaif.ReadState(sample(t, "failed-state").Value).Error
		expect(t, e.Code, "TOOL_TIMEOUT")
		expect(t, *e.Retries, 0)
	})
}

func TestStateOfOtherVersion(t *testing.T) {
	for _, c := range []struct {
		was, is string
		safety  aaif.Safety
		want    string // fits, warned or refused
	}{
		{"1.2.0", "1.2.0", aaif.Strict, "fits"},
		{"", "1.2.0", aaif.Strict, "fits"},
		{"1.2.0", "1.3.0", aaif.Strict, "warned"},
		{"1.2.0", "2.0.0", aaif.Strict, "refused"},
		{"1.2.0", "2.0.0", aaif.Regulated, "refused"},
		{"1.2.0", "10.2.0", "unknown", "refused"},
		{"1.2.0", "2.0.0", aaif.Standard, "warned"},
		{"1.2.0", "2.0.0", aaif.Minimal, "warned"},
		{"1.2.0", "2.0.0", "", "warned"},
		{"1.2.0", "", aaif.Strict, "refused"},
		{"next", "next.1", aaif.Strict, "refused"},
	} {
		t.Run("AAIF-8.1-3 "+c.was+" under "+c.is+" "+string(c.safety), func(t *testing.T) {
			var d aaif.Definition
			d.Agent.Version, d.Agent.Compliance.Safety = c.is, c.safety
			got := "fits"
			if p := (aaif.State{AgentVersion: c.was}).OfOtherVersion(d); p != nil {
				if got = "refused"; p.Warning {
					got = "warned"
				}
				expect(t, p.Rule, "AAIF-8.1-3")
			}
			expect(t, got, c.want)
		})
	}
}

// lintCase is an edit of a sample, and what Lint finds of it.
type lintCase struct {
	id, edit, value string
	code            aaif.Code
	pointer         string // of the finding; empty: none
	warning         bool
}

func lints(t *testing.T, name string, cases []lintCase) {
	t.Helper()
	v, base := validator(t), sample(t, name)
	before := len(v.Lint(base))
	for _, c := range cases {
		t.Run(c.id+" "+c.edit+"="+clip(c.value), func(t *testing.T) {
			found := v.Lint(changed(t, base, c.edit, c.value))
			rule, _, _ := strings.Cut(c.id, " ")
			for _, p := range found {
				if p.Path == c.pointer && p.Rule == rule && aaif.CodeOf(p) == c.code {
					expect(t, p.Warning, c.warning)
					return
				}
			}
			if c.pointer != "" || len(found) > before {
				t.Errorf("want %s at %s, got:%s", c.code, c.pointer, show(found))
			}
		})
	}
}

func TestStateLint(t *testing.T) {
	lints(t, "state", []lintCase{
		{id: "AAIF-8.1-19", edit: "/approval_request", code: aaif.WrongState, pointer: "/approval_request"},
		{id: "AAIF-8.1-19", edit: "/status", value: `"running"`, code: aaif.WrongState, pointer: "/approval_request"},
		{id: "AAIF-8.1-21", edit: "/status", value: `"failed"`, code: aaif.WrongState, pointer: "/error"},
		{id: "AAIF-8.1-9", edit: "/pipeline_position/completed_steps", value: `["book"]`, code: aaif.WrongState, pointer: "/pipeline_position"},
		{id: "AAIF-8.1-9", edit: "/pipeline_position/parallel_slot", value: `-1`, code: aaif.WrongForm, pointer: "/pipeline_position/parallel_slot"},
		{id: "AAIF-8.1-4", edit: "/checkpoint_at", value: `"2026-13-01"`, code: "FORMAT_DATE_TIME", pointer: "/checkpoint_at"},
		{id: "AAIF-8.1-4", edit: "/checkpoint_at", value: `"2026-06-10T09:17:43+02:00"`, code: aaif.WrongForm, pointer: "/checkpoint_at", warning: true},
		{id: "AAIF-8.1-2", edit: "/state_id", value: `"d7e8"`, code: "FORMAT_UUID", pointer: "/state_id"},
		{id: "AAIF-8.1-24", edit: "/provenance/checksum", value: `"a3f7"`, code: aaif.WrongForm, pointer: "/provenance/checksum"},
		{id: "AAIF-8.1-15", edit: "/memory_snapshot/0/ttl_remaining_seconds", value: `-1`, code: aaif.WrongForm, pointer: "/memory_snapshot/0/ttl_remaining_seconds"},
	})
	t.Run("AAIF-8.1-4 whoever takes one in is told of a time that is none", func(t *testing.T) {
		for at, want := range map[string]int{`"2026-13-01"`: 1, `""`: 1, `"2026-06-10T09:17:43Z"`: 0} {
			found := validator(t).CheckState(changed(t, sample(t, "state"), "/checkpoint_at", at))
			if len(found) != want || want > 0 && (!found[0].Warning || found[0].Path != "/checkpoint_at") {
				t.Errorf("%s: got %s", at, show(found))
			}
		}
	})
	t.Run("AAIF-4.1-2 formats are annotations otherwise", func(t *testing.T) {
		if found := validator(t).Validate(changed(t, sample(t, "state"), "/state_id", `"d7e8"`)); len(found) != 0 {
			t.Errorf("got %s", show(found))
		}
	})
}

func TestManifestAndReport(t *testing.T) {
	run(t, "manifest", []ruleCase{
		{id: "AAIF-U.U-1", edit: "/sc_version", pointer: "/sc_version", not: "AAIF-4-5"},
		{id: "AAIF-U.U-1", edit: "/platform/version", pointer: "/platform/version"},
		{id: "AAIF-6-1", edit: "/platform/aaif_conformance_level", pointer: "/platform/aaif_conformance_level"},
		{id: "AAIF-6-1", edit: "/platform/aaif_conformance_level", value: `"Gold"`, pointer: "/platform/aaif_conformance_level"},
		{id: "AAIF-U.U-1", edit: "/platform/capabilities/foo", value: `{}`, pointer: "/platform/capabilities/foo", not: "AAIF-4-3"},
		{id: "AAIF-U.U-1", edit: "/platform/capabilities/tool/foo", value: `true`, pointer: "/platform/capabilities/tool/foo", not: "AAIF-4-3"},
		{id: "AAIF-7-14", edit: "/platform/aaif_versions_supported", value: `[]`, pointer: "/platform/aaif_versions_supported"},
		{id: "AAIF-7-18", edit: "/platform/capabilities/auth/vault/providers", value: `["gcp_secretmanager","gcp_secret_manager"]`},
		{id: "AAIF-5-3", edit: "/platform/capabilities/orchestration/condition_languages", value: `["lua"]`, pointer: "/platform/capabilities/orchestration/condition_languages/0"},
	})
	lints(t, "manifest", []lintCase{
		{id: "AAIF-U.U-2", edit: "/platform/manifest_expires_at", value: `"2026-06-10T09:17:42Z"`, code: aaif.WrongState, pointer: "/platform/manifest_expires_at"},
	})
	run(t, "report", []ruleCase{
		{id: "AAIF-6-18", edit: "/report/generated_at", pointer: "/report/generated_at"},
		{id: "AAIF-6-20", edit: "/claims/0/test_suite/total", pointer: "/claims/0/test_suite/total"},
		{id: "AAIF-6-13", edit: "/claims/0/direction", pointer: "/claims/0/direction"},
		{id: "AAIF-6-13", edit: "/claims/0/direction", value: `"inward"`, pointer: "/claims/0/direction"},
		{id: "AAIF-U.Y-1", edit: "/claims", value: `[]`, pointer: "/claims"},
		{id: "AAIF-2-2", edit: "/claims/0/direction", value: `"both"`},
	})
	run(t, "report", words(ruleCase{id: "AAIF-6-1", edit: "/claims/0/level"}, strings.Fields("Core Tooled Portable Multi-agent Observable Enterprise Stateful"), "Gold"))
	lints(t, "report", []lintCase{
		{id: "AAIF-6-20", edit: "/claims/0/test_suite/passed", value: `17`, code: aaif.WrongState, pointer: "/claims/0/test_suite/passed"},
		{id: "AAIF-6-20", edit: "/claims/0/test_suite", value: `{"corpus":"none","passed":0,"total":0}`, code: aaif.WrongState, pointer: "/claims/0/test_suite/passed"},
	})
	t.Run("AAIF-7-18 a vault has one name", func(t *testing.T) {
		for manifest, definition := range map[string]string{"aws_secrets_manager": "aws_secretsmanager", "azure_key_vault": "azure_keyvault", "gcp_secret_manager": "gcp_secretmanager", "1password": "1password"} {
			expect(t, aaif.VaultName(manifest), definition)
			expect(t, aaif.VaultName(definition), definition)
		}
	})
}
