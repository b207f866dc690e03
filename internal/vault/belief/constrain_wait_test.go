package belief_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
)

func TestProposeConstraint(t *testing.T) { onEach(t, testProposeConstraint) }

func testProposeConstraint(t *testing.T, open opener) {
	h := open(t)
	h.states(engram.Communication, "email_style", "short and direct")
	rule := engram.Constraint{Rule: "Never book a kumquat", Category: "behaviour", Note: "said in a session"}
	runtime := h.assistant(engram.Minimal)
	k, err := h.ProposeConstraint(h.Ctx, runtime, rule)
	if err != nil || !engram.IsID(k.ID) || k.Status != string(engram.Pending) || !k.CreatedAt.Equal(h.Now) {
		t.Fatalf("%+v, %v", k, err)
	}
	t.Run("edition 0.1.2 no surface tells a constraint that waits", func(t *testing.T) {
		for name, text := range h.Everywhere() {
			if strings.Contains(text, "kumquat") {
				t.Errorf("%s: %s", name, text)
			}
		}
		for _, c := range []memory.Caller{h.Me(), runtime} {
			if view := h.context(c, engram.Query{}); len(view.Constraints) != 0 {
				t.Errorf("%+v", view.Constraints)
			}
		}
		if d, err := h.Diff(h.Ctx, runtime, engram.Query{}, h.Now.Add(-time.Hour)); err != nil || len(d.NewConstraints) != 0 {
			t.Errorf("%+v, %v", d, err)
		}
	})
	t.Run("the same again is the same, of another runtime it is another", func(t *testing.T) {
		again, err := h.ProposeConstraint(h.Ctx, runtime, rule)
		if err != nil || again.ID != k.ID {
			t.Errorf("%s and %s, %v", again.ID, k.ID, err)
		}
		if other, err := h.ProposeConstraint(h.Ctx, h.Agent(), rule); err != nil || other.ID == k.ID {
			t.Errorf("%s and %s, %v", other.ID, k.ID, err)
		}
	})
	t.Run("the owner sees who submitted it", func(t *testing.T) {
		list, err := h.Constraints(h.Ctx, h.Me(), true)
		if err != nil || len(list) != 2 || list[0].Rule != rule.Rule || list[0].Value.Get("runtime_id").Text() != "Open Claw" || list[0].Status != string(engram.Pending) {
			t.Errorf("%+v, %v", list, err)
		}
	})
	for name, c := range map[string]memory.Caller{"a runtime": runtime, "an agent": h.Agent()} {
		t.Run(name+" decides nothing", func(t *testing.T) {
			_, err := h.ResolveConstraint(h.Ctx, c, k.ID, true)
			vaulttest.WantKind(t, err, memory.ForbiddenScope)
			_, err = h.Constraints(h.Ctx, c, false)
			vaulttest.WantKind(t, err, memory.ForbiddenScope)
		})
	}
	t.Run("confirmed, it is in force under its id", func(t *testing.T) {
		h.Pass(time.Minute)
		done, err := h.ResolveConstraint(h.Ctx, h.Me(), k.ID, true)
		if err != nil || done.Status != "active" || done.SetBy != "user_confirmed" {
			t.Fatalf("%+v, %v", done, err)
		}
		got := h.context(runtime, engram.Query{}).Constraints
		if len(got) != 1 || got[0].ID != k.ID || got[0].Rule != rule.Rule || got[0].SetBy != "user_confirmed" || got[0].Value.Has("runtime_id") {
			t.Errorf("%+v", got)
		}
		if d, err := h.Diff(h.Ctx, runtime, engram.Query{}, h.Now.Add(-time.Second)); err != nil || len(d.NewConstraints) != 1 {
			t.Errorf("%+v, %v", d.NewConstraints, err)
		}
		if _, err := h.ResolveConstraint(h.Ctx, h.Me(), k.ID, true); faultOf(err) != engram.ConstraintNotFound {
			t.Errorf("a second time: %v", err)
		}
	})
	t.Run("rejected, it is gone without a trace in contexts", func(t *testing.T) {
		list, _ := h.Constraints(h.Ctx, h.Me(), true)
		if done, err := h.ResolveConstraint(h.Ctx, h.Me(), list[0].ID, false); err != nil || done.Status != string(engram.Rejected) {
			t.Fatalf("%+v, %v", done, err)
		}
		if e := h.LastAudit(); e.Act != "forget" && e.Act != "erase" && e.Act != "reject" {
			t.Errorf("%+v", e)
		}
		list, err := h.Constraints(h.Ctx, h.Me(), false)
		if err != nil || len(list) != 1 || list[0].ID != k.ID {
			t.Errorf("%+v, %v", list, err)
		}
		if got := h.context(runtime, engram.Query{}).Constraints; len(got) != 1 {
			t.Errorf("%+v", got)
		}
	})
	h.Healthy()
}

func TestProposeConstraintRefuses(t *testing.T) {
	racing.Skip(t)
	h := open(t)
	for name, bad := range map[string]engram.Constraint{
		"no rule": {}, "no such category": {Rule: "x", Category: "health"}, "set by law": {Rule: "x", SetBy: "legal"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := h.ProposeConstraint(h.Ctx, h.assistant(engram.Full), bad); faultOf(err) != engram.InvalidRequest {
				t.Error(err)
			}
		})
	}
	_, err := h.ProposeConstraint(h.Ctx, h.Granted(memory.Grant{Verbs: memory.Verbs()}), engram.Constraint{Rule: "x"})
	vaulttest.WantKind(t, err, memory.ForbiddenScope)
	_, err = h.ProposeConstraint(h.Ctx, h.runtime(memory.Runtime{Name: "r", Scope: "full"}), engram.Constraint{Rule: "x"})
	vaulttest.WantKind(t, err, memory.ForbiddenScope)
	t.Run("so many wait at most", func(t *testing.T) {
		for i := range 64 {
			if _, err := h.ProposeConstraint(h.Ctx, h.assistant(engram.Full), engram.Constraint{Rule: fmt.Sprint("Never ", i)}); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := h.ProposeConstraint(h.Ctx, h.assistant(engram.Full), engram.Constraint{Rule: "Never more"}); faultOf(err) != engram.RateLimited {
			t.Error(err)
		}
	})
}
