package pages_test

import (
	"slices"
	"testing"
)

// An agent and a run are removed only after the page said what goes, and with a code.
func TestRemoveAgents(t *testing.T) {
	for target, want := range map[string]struct{ act, says, line string }{
		"/me/agents/agent1/remove":      {"remove agent1", "So 1 run that stands still goes", "satchel agent remove agent1"},
		"/me/checkpoints/state1/remove": {"remove state1", "The run state1: waits for an approval.", "satchel agent state remove state1"},
	} {
		s := furnished()
		s.fake.states[0].Status = "awaiting_approval"
		wants(t, s.see(t, "/me/agents"), "waits for an approval", "Its platform asks somebody to approve", "satchel agent state get state1", "/me/checkpoints/state1/remove")
		wants(t, s.see(t, target), want.says, want.line, `name="code"`)
		for _, form := range []string{"", "sure=yes", "sure=yes&code=WRONG1"} {
			if s.post(t, target, form); len(s.fake.acts) > 0 {
				t.Fatalf("%s with %q: %q", target, form, s.fake.acts)
			}
		}
		for _, header := range [][]string{{visit, "Sec-Fetch-Site: cross-site"}, {visit}, {"Sec-Fetch-Site: same-origin"}} { // from elsewhere, without the form's token, a stranger
			if got, _ := s.ask("POST", target, "sure=yes&code=RIGHT1", header...); got.StatusCode != 403 || len(s.fake.acts) > 0 {
				t.Fatalf("%s with %q: %d %q", target, header, got.StatusCode, s.fake.acts)
			}
		}
		if got, _ := s.post(t, target, "sure=yes&code=RIGHT1"); got.StatusCode != 303 || !slices.Equal(s.fake.acts, []string{want.act}) {
			t.Errorf("%s: %d %q", target, got.StatusCode, s.fake.acts)
		}
	}
	s := furnished()
	for _, target := range []string{"/me/agents/agent2/remove", "/me/checkpoints/state2/remove"} {
		if got, _ := s.ask("GET", target, "", visit); got.StatusCode != 404 {
			t.Errorf("%s: %d", target, got.StatusCode)
		}
	}
}
