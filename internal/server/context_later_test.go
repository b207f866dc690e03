package server_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/engram/engramhttp"
	"github.com/satchel-memory/satchel/internal/server"
	"github.com/satchel-memory/satchel/internal/vault/belief"
	"github.com/satchel-memory/satchel/memory"
)

// said reads one member of an answer.
func (a answer) said(t *testing.T, status int, name string) string {
	t.Helper()
	var all map[string]any
	if err := json.Unmarshal(a.body, &all); err != nil || a.StatusCode != status {
		t.Fatalf("status %d, want %d: %s", a.StatusCode, status, a.body)
	}
	text, _ := all[name].(string)
	return text
}

func TestConstraints(t *testing.T) {
	t.Parallel()
	h, _, _ := hosting(t, server.Options{Contexts: server.Contexts{Constraints: true}})
	runtime := h.runtime(t, memory.Runtime{Name: "notes", Scope: "minimal"}, time.Hour)
	const rule = `{"rule":"Never use kumquats","category":"communication","set_by":"user_stated"}`
	id := h.do(t, "POST", "/v1/context/constrain", rule, runtime, asJSON).said(t, 201, "constraint_id")
	scopes := []string{"full", "professional", "personal", "financial", "minimal"}
	t.Run("edition 0.1.2 a runtime's constraint is in no context until the owner confirms it", func(t *testing.T) {
		for _, scope := range scopes {
			if a := h.do(t, "GET", "/v1/context?scope="+scope, ""); strings.Contains(string(a.body), "kumquats") {
				t.Errorf("%s: %s", scope, a.body)
			}
		}
		h.do(t, "POST", "/v1/context/constraints/"+id+"/confirm", "", runtime).fault(t, 403, engram.Forbidden)
		h.do(t, "DELETE", "/v1/context/constrain/"+id, "", runtime).fault(t, 403, engram.Forbidden)
		h.do(t, "POST", "/v1/context/constraints/"+id+"/confirm", "").said(t, 200, "status")
	})
	t.Run("edition 0.1.2 it is in every scope then, and first in the prompt", func(t *testing.T) {
		for _, scope := range scopes {
			d := h.document(t, h.do(t, "GET", "/v1/context?scope="+scope, ""))
			if len(d.Constraints) != 1 || d.Constraints[0].Rule != "Never use kumquats" || d.Constraints[0].SetBy != "user_confirmed" {
				t.Errorf("%s: %+v", scope, d.Constraints)
			}
			p, err := engram.Render(d, engram.PromptOptions{Now: time.Now()})
			if rule, known := strings.Index(p.Text, "Never use kumquats"), strings.Index(p.Text, "What I know"); err != nil || rule < 0 || rule > known || len(p.Rules) != 1 {
				t.Errorf("%s: %v %q", scope, err, p.Text)
			}
		}
	})
	t.Run("edition 0.1.2 deleted, a tombstone is in contexts and diff", func(t *testing.T) {
		since := time.Now().UTC().Add(-2 * time.Millisecond).Format(time.RFC3339Nano) // changes are dated to the millisecond
		if status := h.do(t, "DELETE", "/v1/context/constrain/"+id, "").said(t, 200, "status"); status != "deleted" {
			t.Errorf("%s", status)
		}
		h.do(t, "DELETE", "/v1/context/constrain/"+id, "").fault(t, 404, engram.ConstraintNotFound)
		d := h.document(t, h.do(t, "GET", "/v1/context", ""))
		if len(d.Constraints) != 1 || d.Constraints[0].Status != "deleted" || d.Constraints[0].DeletedAt.IsZero() || d.Constraints[0].Rule != "" {
			t.Errorf("%+v", d.Constraints)
		}
		delta, err := engram.ParseDelta(h.do(t, "GET", "/v1/context/diff?since="+since, "").body, engram.ReadOptions{})
		if err != nil || len(delta.DeletedConstraints) != 1 || delta.DeletedConstraints[0].ID != id {
			t.Errorf("%+v, %v", delta, err)
		}
	})
}

func TestNothingOfLater(t *testing.T) {
	t.Parallel()
	h, _, _ := hosting(t, server.Options{})
	for _, at := range []string{
		"POST /v1/context/constrain", "DELETE /v1/context/constrain/x", "POST /v1/context/correct/batch", "POST /v1/context/subscribe",
		"DELETE /v1/context/subscribe/x", "GET /.well-known/webfinger?resource=acct:a@b", "GET /.well-known/jwks.json",
	} {
		method, path, _ := strings.Cut(at, " ")
		t.Run("ENGRAM-12.4-2 ENGRAM-12.5-2 "+at, func(t *testing.T) {
			h.do(t, method, path, "").fault(t, 404, engram.InvalidRequest)
		})
	}
}

func TestBatchOverAVault(t *testing.T) {
	h, style, diet := hosting(t, server.Options{Contexts: server.Contexts{Next: engramhttp.Next{Batch: true}}})
	narrow := h.runtime(t, memory.Runtime{Name: "notes", Scope: "professional"}, time.Hour)
	item := func(belief string) string {
		return `{"belief_id":"` + belief + `","new_value":"long","runtime_id":"notes-v1","timestamp":"2026-06-01T12:00:00Z"}`
	}
	t.Run("ENGRAM-12.4-1 two wait, one is not there for this token", func(t *testing.T) {
		a := h.do(t, "POST", "/v1/context/correct/batch", `{"corrections":[`+item(style.ID)+`,`+item(diet.ID)+`]}`, narrow, asJSON)
		if said := string(a.body); a.StatusCode != 200 || strings.Count(said, "correction_id") != 1 || strings.Count(said, "belief_not_found") != 1 || strings.Contains(said, "walnuts") {
			t.Errorf("%d %s", a.StatusCode, a.body)
		}
		waiting, err := belief.Of(h.vault).Corrections(t.Context(), memory.Caller{Owner: h.owner, Role: memory.Owner}, true)
		if err != nil || len(waiting) != 1 || waiting[0].Belief != style.ID {
			t.Errorf("%+v, %v", waiting, err)
		}
	})
}
