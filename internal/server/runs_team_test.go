package server_test

import (
	"strings"
	"testing"
)

// TestRunsOfTeams follows a run over HTTP in which one agent works for another.
func TestRunsOfTeams(t *testing.T) {
	t.Parallel()
	o := newOffice(t, scripted(wants("pay"), replies("Paid."))...)
	d, see, _ := pagedDesk(t, o)
	d.takes(t)
	const lead = "7b1f6d0e-3c55-4f0a-9a60-0f5f6f1f2a09"
	definition := `{"sc_standard":"SC-006","agent_id":"` + lead + `","agent":{"name":"Lead","goal":"Have it booked.","version":"1.0.0","instructions":"Lead.","model":{"provider":"openai","preferred":"m"},` + asksFirst +
		`,"orchestration":{"role":"orchestrator","pipeline":["clerk"],"subagents":[{"ref":"` + clerkID + `","alias":"clerk"}]}}}`
	if got := d.do(t, "POST", "/aaif/agents", definition, asJSON); got.StatusCode != 201 {
		t.Fatalf("%d %s", got.StatusCode, got.body)
	}
	waits := d.do(t, "POST", "/aaif/agents/"+lead+"/runs?wait=60", `{"input":"Book number 1."}`, asJSON).object(t, 201)
	call, _ := waits.At("/waits/0")
	if waits.Get("status").Text() != "awaiting_approval" || call.Get("in").Text() != "clerk" || call.Get("agent").Text() != clerkID || call.Get("tool").Text() != "pay" {
		t.Fatalf("AAIF-4.9-17: %s", waits.Append(nil))
	}
	id := waits.Get("run_id").Text()
	d.do(t, "POST", "/aaif/runs/"+id+"/approval", `{"call":"`+call.Get("call").Text()+`","digest":"`+call.Get("digest").Text()+`","decision":"approve"}`, asJSON).object(t, 200)
	done := d.becomes(t, id, "completed")
	thread, _ := done.At("/threads/0")
	if done.Get("output").Text() != "Paid." || thread.Get("in").Text() != "clerk" || thread.Get("agent").Text() != clerkID || thread.Get("status").Text() != "completed" || o.tools.Counts()["pay"].Writes != 1 {
		t.Errorf("%s, %+v", done.Append(nil), o.tools.Counts())
	}
	pageHas(t, see("/me/runs/"+id), "2 turns, 1 call,")
	var kinds []string
	for _, e := range d.listen(t, id, "", func(heardEvent) bool { return false }) {
		if e.data.Get("in").Text() == "clerk" {
			kinds = append(kinds, e.kind)
			if agent, _ := e.data.At("/start/agent"); e.data.Get("agent").Text() != clerkID && agent.Text() != clerkID {
				t.Errorf("%s does not say whose it is: %s", e.kind, e.data.Append(nil))
			}
		}
	}
	if got := strings.Join(kinds, " "); got != "agent_dispatched model_asked model_answered approval_asked approved call_sent call_returned model_asked model_answered completed" {
		t.Errorf("events of the subagent: %s", got)
	}
}
