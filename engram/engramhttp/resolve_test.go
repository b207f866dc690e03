package engramhttp_test

import (
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/engram/engramhttp"
	"github.com/satchel-memory/satchel/memory"
)

func TestCorrections(t *testing.T) {
	s := serve(t, engramhttp.Options{})
	owner := s.who
	first := s.do("POST", "/v1/context/correct", proposal()).object(t, 201)["correction_id"].(string)
	second := s.do("POST", "/v1/context/correct", proposal("new_value", `"longer"`)).object(t, 201)["correction_id"].(string)
	at := func(id, decision string) string { return "/v1/context/corrections/" + id + "/" + decision }
	t.Run("ENGRAM-3.9-CORR-9 the owner is shown who proposes what", func(t *testing.T) {
		r := s.do("GET", "/v1/context/corrections?status=pending", "")
		list := r.object(t, 200)["corrections"].([]any)
		if len(list) != 2 {
			t.Fatalf("there are %s", r.body)
		}
		shown := list[0].(map[string]any)
		for name, want := range map[string]string{
			"id": first, "runtime_id": "notes-v1", "new_value": "long", "current_value": "short", "context": "in a session", "key": "email_style", "category": "communication",
		} {
			if shown[name] != want {
				t.Errorf("%s is %v", name, shown[name])
			}
		}
	})
	t.Run("ENGRAM-3.9-CORR-21 nobody but the owner decides", func(t *testing.T) {
		agent := memory.Caller{Owner: owner.Owner, Role: memory.Agent}
		s.runtime("full", memory.Verbs()...)
		for _, who := range []memory.Caller{s.who, agent, {Owner: owner.Owner}} {
			s.who = who
			s.do("POST", at(first, "confirm"), "").refused(t, 403, engram.Forbidden)
			s.do("POST", at(first, "reject"), "").refused(t, 403, engram.Forbidden)
			s.do("GET", "/v1/context/corrections", "").refused(t, 403, engram.Forbidden)
		}
		s.who = owner
		if s.service.cases[0].Status != engram.Pending {
			t.Error("it was decided")
		}
	})
	t.Run("ENGRAM-3.9-CORR-12 ENGRAM-3.9-CORR-13 the owner does", func(t *testing.T) {
		if said := s.do("POST", at(first, "confirm"), "").object(t, 200); said["status"] != "confirmed" || said["id"] != first {
			t.Errorf("it says %v", said)
		}
		if said := s.do("POST", at(second, "reject"), `{"note":"no"}`).object(t, 200); said["status"] != "rejected" || said["note"] != "no" {
			t.Errorf("it says %v", said)
		}
	})
	t.Run("ENGRAM-3.9-CORR-14 once", func(t *testing.T) {
		if message := s.do("POST", at(first, "confirm"), "").refused(t, 400, engram.InvalidRequest); !strings.Contains(message, "already resolved") {
			t.Errorf("it says %s", message)
		}
		s.do("POST", at("nobody's", "confirm"), "").refused(t, 404, engram.InvalidRequest)
	})
	t.Run("wrong requests", func(t *testing.T) {
		s.do("GET", "/v1/context/corrections?status=maybe", "").refused(t, 400, engram.InvalidRequest)
		s.do("POST", at(first, "confirm"), `{"note":5}`).refused(t, 400, engram.InvalidRequest)
		s.do("POST", at(first, "confirm"), `[]`).refused(t, 400, engram.InvalidRequest)
		s.do("POST", at(first, "confirm")+"?note=x", "").refused(t, 400, engram.InvalidRequest)
	})
	if list := s.do("GET", "/v1/context/corrections?status=pending_user_confirmation", "").object(t, 200)["corrections"].([]any); len(list) > 0 {
		t.Errorf("there are %v", list)
	}
}
