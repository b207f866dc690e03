package vault_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

func TestEditionActor(t *testing.T) {
	onEach(t, func(t *testing.T, open opener) {
		h := open(t)
		h.goOver()
		t.Run("UMP1-9-2 capabilities say that operations are logged", func(t *testing.T) {
			if caps, err := h.Capabilities(h.Ctx, h.Me()); err != nil || !caps.Audit {
				t.Errorf("capabilities are %+v, %v; want audit", caps, err)
			}
		})
		t.Run("UMP1-2.9-2 the outcome of an admission comes back as it was said, signed", func(t *testing.T) {
			h.T = t
			const outcome = `{"admission":{"outcome":"accepted","score":0.5}}`
			id := memory.ID(h.Must(ump.OpRemember, `{"record":{"body":{"text":"the gate was let in","structured":`+outcome+`},`+
				`"provenance":{"actor":"ann","actor_kind":"user","method":"reviewed"}}}`)["id"].(string))
			rec := h.MustGet(id)
			if p := rec.Provenance; p == nil || p.Actor != "ann" || p.Method != "reviewed" {
				t.Errorf("provenance is %+v", p)
			}
			if string(rec.Body.Structured) != outcome {
				t.Errorf("body.structured is %s", rec.Body.Structured)
			}
			for _, said := range []string{"accepted", "reviewed"} {
				if forged := strings.Replace(string(rec.Form()), said, "refused", 1); ump.Verify([]byte(forged)) == nil {
					t.Errorf("%q is not signed", said)
				}
			}
			vaulttest.Verified(t, rec)
		})
		id := h.Tell("the lamp is red")
		patch := []byte(`{"body":{"text":"the lamp is green"}}`)
		t.Run("UMP1-9-1 a peer names nobody", func(t *testing.T) {
			peer := memory.Caller{Owner: h.Key.DID(), Role: memory.Peer, Grant: &memory.Grant{Verbs: memory.Verbs()}}
			_, err := h.Revise(h.Ctx, peer, memory.Revision{ID: id, Patch: patch, Actor: "ann"})
			if e := memory.KindOf(err); e != memory.ForbiddenScope || !named(err, "UMP1-9-1") {
				t.Errorf("revise: %v", err)
			}
			if _, err = h.Forget(h.Ctx, peer, memory.ForgetRequest{ID: id, Reason: memory.Outdated, Actor: "ann"}); !named(err, "UMP1-9-1") {
				t.Errorf("forget: %v", err)
			}
		})
		t.Run("UMP1-9-1 who acted stands in successor and tombstone, signed", func(t *testing.T) {
			h.T = t
			next := memory.ID(h.Must(ump.OpRevise, `{"id":"`+string(id)+`","patch":`+string(patch)+`,"actor":"ann"}`)["id"].(string))
			rec := h.MustGet(next)
			if rec.Provenance.Actor != "ann" {
				t.Errorf("the successor says %+v", rec.Provenance)
			}
			vaulttest.Verified(t, rec)
			h.Must(ump.OpForget, `{"id":"`+string(next)+`","reason":"outdated","actor":"ben"}`)
			if rec = h.MustGet(next); rec.Provenance.Actor != "ben" || rec.Lifecycle.Status != memory.Tombstoned {
				t.Errorf("the tombstone says %+v, %s", rec.Provenance, rec.Lifecycle.Status)
			}
			vaulttest.Verified(t, rec)
		})
		t.Run("UMP1-2.9-1 a candidate stays one until the owner confirms it", func(t *testing.T) {
			h.T = t
			proposed := h.Tell("the door is blue", `"lifecycle":{"status":"candidate"}`)
			agent := memory.Caller{Owner: h.Key.DID(), Role: memory.Agent, Agent: "a"}
			confirm := memory.Revision{ID: proposed, Patch: []byte(`{"lifecycle":{"status":"active"}}`)}
			if _, err := h.Revise(h.Ctx, agent, confirm); memory.KindOf(err) != memory.ForbiddenScope {
				t.Errorf("an agent confirms: %v", err)
			}
			if rec := h.MustGet(proposed); rec.Lifecycle.Status != memory.Candidate {
				t.Errorf("it is %s", rec.Lifecycle.Status)
			}
			done, err := h.Revise(h.Ctx, h.Me(), confirm)
			if err != nil {
				t.Fatal(err)
			}
			if rec := h.MustGet(done.ID); rec.Lifecycle.Status != memory.Active {
				t.Errorf("confirmed, it is %s", rec.Lifecycle.Status)
			}
		})
		t.Run("UMP1-9-1 who confirmed a correction stands in what it became", func(t *testing.T) {
			h.T = t
			belief := h.Tell("Use pnpm in this repo.")
			proposed := h.Tell("Use deno in this repo.", `"lifecycle":{"status":"candidate"}`, `"relations":[{"type":"contradicts","target":"`+string(belief)+`"}]`)
			h.Pass(1)
			done, err := h.Revise(h.Ctx, h.Me(), memory.Revision{ID: proposed, Patch: []byte(`{"lifecycle":{"status":"active"}}`), Actor: "ann"})
			if err != nil {
				t.Fatal(err)
			}
			if rec := h.MustGet(done.ID); rec.Provenance.Actor != "ann" || rec.Lifecycle.Status.Or() != memory.Active {
				t.Errorf("it became %s", rec.Form())
			}
		})
	})
}

// named reports whether an error cites a rule.
func named(err error, rule string) bool {
	var e *memory.Error
	return errors.As(err, &e) && e.Rule == rule
}
