package engramhttp_test

import (
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/engram/engramhttp"
	"github.com/satchel-memory/satchel/memory"
)

const rule = `{"rule":"Never use emoji","category":"communication","set_by":"user_stated","note":"said at the start"}`

func TestConstrain(t *testing.T) {
	t.Run("edition 0.1.2 the owner's constraint is in force at once", func(t *testing.T) {
		s := serve(t, engramhttp.Options{Constraints: true})
		said := s.do("POST", "/v1/context/constrain", rule).object(t, 201)
		if len(said) != 4 || said["status"] != "active" || said["rule"] != "Never use emoji" || said["created_at"] != "2026-06-01T12:00:00Z" || !engram.IsID(said["constraint_id"].(string)) {
			t.Errorf("%v", said)
		}
		if got := s.service.memory.Constraints[1]; got.Note != "said at the start" || got.SetBy != "user_stated" {
			t.Errorf("%+v", got)
		}
		gone := s.do("DELETE", "/v1/context/constrain/"+said["constraint_id"].(string), "").object(t, 200)
		if len(gone) != 3 || gone["constraint_id"] != said["constraint_id"] || gone["status"] != "deleted" || gone["deleted_at"] != "2026-06-01T12:00:00Z" {
			t.Errorf("%v", gone)
		}
		s.do("DELETE", "/v1/context/constrain/none", "").refused(t, 404, engram.ConstraintNotFound)
	})
	t.Run("edition 0.1.2 a rule that describes the user is kept, with a warning", func(t *testing.T) {
		s := serve(t, engramhttp.Options{Constraints: true})
		said := s.do("POST", "/v1/context/constrain", `{"rule":"User dislikes emoji","category":"communication","set_by":"user_stated"}`).object(t, 201)
		if message, _ := said["message"].(string); !strings.HasPrefix(message, "The rule describes the user") || said["status"] != "active" {
			t.Errorf("%v", said)
		}
		said = s.do("POST", "/v1/context/constrain", `{"rule":"Always answer in English","category":"communication","set_by":"user_stated"}`).object(t, 201)
		if said["message"] != nil {
			t.Errorf("%v", said)
		}
	})
	t.Run("edition 0.1.2 that of a runtime waits for the owner", func(t *testing.T) {
		s := serve(t, engramhttp.Options{Constraints: true})
		owner := s.who
		s.runtime("minimal", memory.WriteVerb)
		said := s.do("POST", "/v1/context/constrain", rule).object(t, 201)
		id, _ := said["constraint_id"].(string)
		if said["status"] != "pending_user_confirmation" || len(s.service.memory.Constraints) != 1 {
			t.Errorf("%v", said)
		}
		s.do("DELETE", "/v1/context/constrain/"+id, "").refused(t, 403, engram.Forbidden)
		s.do("GET", "/v1/context/constraints", "").refused(t, 403, engram.Forbidden)
		s.do("POST", "/v1/context/constraints/"+id+"/confirm", "").refused(t, 403, engram.Forbidden)
		s.who = owner
		if list := s.do("GET", "/v1/context/constraints?status=pending", "").object(t, 200)["constraints"].([]any); len(list) != 1 {
			t.Errorf("%v", list)
		}
		if list := s.do("GET", "/v1/context/constraints", "").object(t, 200)["constraints"].([]any); len(list) != 2 {
			t.Errorf("%v", list)
		}
		if done := s.do("POST", "/v1/context/constraints/"+id+"/confirm", "").object(t, 200); done["status"] != "active" {
			t.Errorf("%v", done)
		}
		if done := s.do("POST", "/v1/context/constraints/"+id+"/reject", "{}").object(t, 200); done["status"] != "rejected" {
			t.Errorf("%v", done)
		}
		s.do("POST", "/v1/context/constraints/none/reject", "").refused(t, 404, engram.ConstraintNotFound)
		s.do("GET", "/v1/context/constraints?status=set", "").refused(t, 400, engram.InvalidRequest)
	})
	for name, body := range map[string]string{
		"no rule":                   `{"category":"data","set_by":"user_stated"}`,
		"an empty rule":             strings.Replace(rule, "Never use emoji", " ", 1),
		"no category":               `{"rule":"Never","set_by":"user_stated"}`,
		"nobody set it":             `{"rule":"Never","category":"data"}`,
		"set by law":                strings.Replace(rule, "user_stated", "legal", 1),
		"set by an operator":        strings.Replace(rule, "user_stated", "operator", 1),
		"a scope that is no URI":    strings.Replace(rule, `"note":"said`, `"scope":"notes","note":"said`, 1),
		"a scope of no runtime":     strings.Replace(rule, `"note":"said`, `"scope":"https://","note":"said`, 1),
		"a rule that is a number":   `{"rule":5,"category":"data","set_by":"user_stated"}`,
		"a rule with a control":     strings.Replace(rule, "emoji", `\u001b[2J`, 1),
		"a note that is a number":   strings.Replace(rule, `"said at the start"`, "5", 1),
		"what is no object":         `[]`,
		"a member that comes twice": strings.Replace(rule, `{`, `{"rule":"Always",`, 1),
	} {
		t.Run("edition 0.1.2 refused: "+name, func(t *testing.T) {
			s := serve(t, engramhttp.Options{Constraints: true})
			s.do("POST", "/v1/context/constrain", body).refused(t, 400, engram.InvalidRequest)
			if len(s.service.memory.Constraints) != 1 {
				t.Errorf("%+v", s.service.memory.Constraints)
			}
		})
	}
	t.Run("decision E-46 in the first edition the owner sees them, and there is no way to set them", func(t *testing.T) {
		s := serve(t, engramhttp.Options{})
		s.do("POST", "/v1/context/constrain", rule).refused(t, 404, engram.InvalidRequest)
		s.do("DELETE", "/v1/context/constrain/x", "").refused(t, 404, engram.InvalidRequest)
		s.do("POST", "/v1/context/constraints/x/confirm", "").refused(t, 404, engram.InvalidRequest)
		if list := s.do("GET", "/v1/context/constraints", "").object(t, 200)["constraints"].([]any); len(list) != 1 {
			t.Errorf("%v", list)
		}
	})
	t.Run("edition 0.1.2 a diff always has constraints, in the first edition never", func(t *testing.T) {
		for with, want := range map[bool]bool{true: true, false: false} {
			s := serve(t, engramhttp.Options{Constraints: with})
			changes := s.do("GET", "/v1/context/diff?since=2026-06-01T00:00:00Z", "").object(t, 200)["changes"].(map[string]any)
			if _, has := changes["constraints"]; has != want {
				t.Errorf("with %v: %v", with, changes)
			}
		}
	})
	t.Run("methods, tokens and discovery", func(t *testing.T) {
		s := serve(t, engramhttp.Options{Constraints: true})
		if r := s.do("GET", "/v1/context/constrain", ""); r.StatusCode != 405 || r.Header.Get("Allow") != "POST" {
			t.Errorf("%d %v", r.StatusCode, r.Header)
		}
		if r := s.do("GET", "/v1/context/constrain/x", ""); r.StatusCode != 405 || r.Header.Get("Allow") != "DELETE" {
			t.Errorf("%d %v", r.StatusCode, r.Header)
		}
		if at := s.do("GET", "/.well-known/engram", "").object(t, 200)["endpoints"].(map[string]any)["constrain"]; at != "/v1/context/constrain" {
			t.Errorf("%v", at)
		}
		s.runtime("full", memory.ReadVerb)
		s.do("POST", "/v1/context/constrain", rule).refused(t, 403, engram.Forbidden)
	})
}
