package belief_test

import (
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
)

func TestConstrain(t *testing.T) { onEach(t, testConstrain) }

func testConstrain(t *testing.T, open opener) {
	h := open(t)
	k, err := h.Constrain(h.Ctx, h.Me(), engram.Constraint{Rule: "Never use emoji", Category: "communication", Note: "said at the start"})
	if err != nil || !engram.IsID(k.ID) || k.Status != "active" || k.SetBy != "user_stated" || !k.CreatedAt.Equal(h.Now) {
		t.Fatalf("%+v, %v", k, err)
	}
	constraints := func() []engram.Constraint { return h.context(h.assistant(engram.Minimal), engram.Query{}).Constraints }
	if got := constraints(); len(got) != 1 || got[0].Rule != "Never use emoji" || got[0].ID != k.ID || got[0].Note != "said at the start" {
		t.Errorf("%+v", got)
	}
	t.Run("it changes under its id", func(t *testing.T) {
		h.Pass(time.Minute)
		again, err := h.Constrain(h.Ctx, h.Me(), engram.Constraint{ID: k.ID, Rule: "Never use emoji", Category: "communication", Status: "suspended"})
		if got := constraints(); err != nil || !again.CreatedAt.Equal(k.CreatedAt) || len(got) != 1 || got[0].Status != "suspended" {
			t.Errorf("%+v, %v; %+v", again, err, got)
		}
		page, err := h.List(h.Ctx, h.Me(), vault.ListQuery{ValidAt: h.Now})
		if err != nil || len(page.Records) != 1 {
			t.Errorf("%q, %v", vaulttest.TextsOf(page.Records), err)
		}
	})
	t.Run("deleted, a tombstone stays, and the id is never used again", func(t *testing.T) {
		h.Pass(time.Minute)
		gone, err := h.Unconstrain(h.Ctx, h.Me(), k.ID)
		if err != nil || gone.ID != k.ID || !gone.DeletedAt.Equal(h.Now) {
			t.Fatalf("%+v, %v", gone, err)
		}
		if got := constraints(); len(got) != 1 || got[0].Status != "deleted" || got[0].Rule != "" || !got[0].DeletedAt.Equal(h.Now) {
			t.Errorf("%+v", got)
		}
		for _, id := range []string{k.ID, "none"} {
			if _, err := h.Unconstrain(h.Ctx, h.Me(), id); faultOf(err) != engram.ConstraintNotFound {
				t.Error(err)
			}
		}
		if _, err := h.Constrain(h.Ctx, h.Me(), engram.Constraint{ID: k.ID, Rule: "Never"}); faultOf(err) != engram.InvalidRequest {
			t.Error(err)
		}
		if _, err := h.Believe(h.Ctx, h.Me(), engram.Belief{ID: k.ID, Category: engram.Values, Key: "k", Text: "v"}, false); faultOf(err) != engram.InvalidRequest {
			t.Errorf("ENGRAM-3.4-3: %v", err)
		}
	})
	for name, bad := range map[string]engram.Constraint{
		"no rule": {}, "no such category": {Rule: "x", Category: "health"}, "set by an operator": {Rule: "x", SetBy: "operator"},
		"deleted": {Rule: "x", Status: "deleted"}, "an id that is none": {Rule: "x", ID: "k1"},
	} {
		t.Run("refused: "+name, func(t *testing.T) {
			if _, err := h.Constrain(h.Ctx, h.Me(), bad); faultOf(err) != engram.InvalidRequest {
				t.Error(err)
			}
		})
	}
	_, err = h.Constrain(h.Ctx, h.assistant(engram.Full), engram.Constraint{Rule: "x"})
	vaulttest.WantKind(t, err, memory.ForbiddenScope)
	h.Healthy()
}

func TestIdentify(t *testing.T) { onEach(t, testIdentify) }

func testIdentify(t *testing.T, open opener) {
	h := open(t)
	ada := engram.Identity{DisplayName: "Ada", Timezone: "Asia/Singapore", Locale: "en-SG", Role: "Founder", Domains: []string{"AI"}, Bio: "builds"}
	first, err := h.Identify(h.Ctx, h.Me(), ada)
	if err != nil || !first.CreatedAt.Equal(h.Now) || !first.LastUpdated.Equal(h.Now) {
		t.Fatalf("%+v, %v", first, err)
	}
	t.Run("ENGRAM-4-3 it is told as it was stated, and is no belief", func(t *testing.T) {
		view := h.context(h.Me(), engram.Query{})
		if got := view.Identity; got.DisplayName != "Ada" || got.Timezone != "Asia/Singapore" || got.Role != "Founder" || len(got.Domains) != 1 || len(view.Beliefs) != 0 {
			t.Errorf("%+v", view.Memory)
		}
	})
	t.Run("the same again changes nothing", func(t *testing.T) {
		h.Pass(time.Minute)
		before := h.Contents()
		if again, err := h.Identify(h.Ctx, h.Me(), ada); err != nil || !again.LastUpdated.Equal(first.LastUpdated) || h.Contents() != before {
			t.Errorf("%+v, %v", again, err)
		}
	})
	t.Run("ENGRAM-3.3-1 another replaces it", func(t *testing.T) {
		h.Pass(time.Minute)
		ada.Role = "Engineer"
		if _, err := h.Identify(h.Ctx, h.Me(), ada); err != nil {
			t.Fatal(err)
		}
		got := h.context(h.Me(), engram.Query{}).Identity
		if got.Role != "Engineer" || !got.CreatedAt.Equal(first.CreatedAt) || !got.LastUpdated.Equal(h.Now) {
			t.Errorf("%+v", got)
		}
		if texts := strings.Join(h.Texts(memory.Query{Text: "Ada Founder Engineer"}), "|"); strings.Contains(texts, "Founder") {
			t.Errorf("%s", texts)
		}
	})
	for name, bad := range map[string]engram.Identity{
		"ENGRAM-3.3-1 no name": {Timezone: "UTC"}, "ENGRAM-3.3-2 no time zone": {DisplayName: "Ada"}, "ENGRAM-3.3-2 a time zone that is none": {DisplayName: "Ada", Timezone: "Mars/Base"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := h.Identify(h.Ctx, h.Me(), bad); faultOf(err) != engram.InvalidRequest {
				t.Error(err)
			}
		})
	}
	_, err = h.Identify(h.Ctx, h.Agent(), ada)
	vaulttest.WantKind(t, err, memory.ForbiddenScope)
	h.Healthy()
}
