package belief_test

import (
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/engram"
)

const ghToken = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"

func TestSecretsOfProposals(t *testing.T) { onEach(t, testSecretsOfProposals) }

func testSecretsOfProposals(t *testing.T, open opener) {
	h := open(t)
	b := h.states("custom", "deploy_key", "in the safe")
	h.proposes(b, "it is "+ghToken)
	p := h.proposal(b, "now it is "+ghToken)
	p.Context = "said " + ghToken
	if _, err := h.ProposeAll(h.Ctx, h.assistant("full"), []engram.Proposal{p}, true); err != nil {
		t.Fatal(err)
	}
	if again := h.proposes(b, "it is "+ghToken); again.New != "it is [SECRET-REDACTED]" {
		t.Errorf("%+v", again)
	}
	waiting := h.waiting()
	if len(waiting) != 2 {
		t.Fatalf("%+v", waiting)
	}
	for _, k := range waiting {
		if strings.Contains(k.New+k.Context, "ghp_") || !strings.Contains(k.New, "[SECRET-REDACTED]") {
			t.Errorf("%+v", k)
		}
	}
	k, err := h.ProposeConstraint(h.Ctx, h.assistant("full"), engram.Constraint{Rule: "Never print " + ghToken, Note: ghToken})
	if err != nil || strings.Contains(k.Rule+k.Note, "ghp_") {
		t.Errorf("%+v, %v", k, err)
	}
}

func TestSecretsOfBeliefs(t *testing.T) {
	h := open(t)
	h.states("custom", "key of "+ghToken, "in the safe")
	h.states("custom", "wifi", "the password: hunter2")
	stated, err := h.Believe(h.Ctx, h.Me(), engram.Belief{Category: "custom", Key: "door", Text: "code " + ghToken, Tags: []string{ghToken}}, false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.Correct(h.Ctx, h.Me(), stated.Belief.ID, "now "+ghToken, "because "+ghToken); err != nil {
		t.Fatal(err)
	}
	if k, err := h.Constrain(h.Ctx, h.Me(), engram.Constraint{Rule: "Never print " + ghToken, Note: ghToken}); err != nil || strings.Contains(k.Rule+k.Note, "ghp_") {
		t.Errorf("%+v, %v", k, err)
	}
	k := h.proposes(stated.Belief, "later")
	if _, err := h.Resolve(h.Ctx, h.Me(), k.ID, true, "as "+ghToken); err != nil {
		t.Fatal(err)
	}
	for name, text := range h.Everywhere() {
		if strings.Contains(text, "ghp_") || strings.Contains(text, "hunter2") {
			t.Errorf("%s: %s", name, text)
		}
	}
	keeps := h.Me()
	keeps.KeepSecrets = true
	if b, err := h.Correct(h.Ctx, keeps, stated.Belief.ID, ghToken, ""); err != nil || b.Text != ghToken {
		t.Errorf("the owner keeps %q, %v", b.Text, err)
	}
}
