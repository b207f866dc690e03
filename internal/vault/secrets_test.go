package vault_test

import (
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

const ghToken = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"

func TestSecretsAreMasked(t *testing.T) { onEach(t, testSecretsAreMasked) }

func testSecretsAreMasked(t *testing.T, open opener) {
	h := open(t)
	said := func(c memory.Caller, op ump.Operation, body string) (memory.Record, int) {
		t.Helper()
		v, err := h.Call(op, c, body)
		if err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		warnings, _ := v["warnings"].([]any)
		return h.MustGet(memory.ID(v["id"].(string))), len(warnings)
	}
	t.Run("UMP-3.3-7 a secret in a draft is masked before it is signed", func(t *testing.T) {
		for _, c := range []memory.Caller{h.Me(), h.Agent()} {
			rec, warnings := said(c, ump.OpRemember, `{"record":{"text":"The token of `+string(c.Session)+` is `+ghToken+`","body":{"structured":{"t":"`+ghToken+`"}}}}`)
			if strings.Contains(string(rec.Form()), ghToken) || !strings.Contains(rec.Body.Text, "[SECRET-REDACTED]") || warnings != 1 {
				t.Errorf("%d warnings: %s", warnings, rec.Form())
			}
			vaulttest.Verified(t, rec)
		}
	})
	t.Run("UMP-3.5-8 a secret in a patch is masked, and what links stays", func(t *testing.T) {
		id := h.Tell("The deploy token changes.")
		rec, warnings := said(h.Agent(), ump.OpRevise, `{"id":"`+string(id)+`","patch":{"text":"The deploy token is `+ghToken+`","relations":[{"type":"about","target":"`+string(id)+`"}]}}`)
		if strings.Contains(string(rec.Form()), ghToken) || warnings != 1 || rec.Relations[0].Target != string(id) {
			t.Errorf("%d warnings: %s", warnings, rec.Form())
		}
	})
	t.Run("UMP-3.3-7 the owner may keep it, nobody else", func(t *testing.T) {
		for _, body := range []string{`{"record":{"text":"Keep ` + ghToken + `"},"keep_secrets":true}`, `{"text":"Keep also ` + ghToken + `","keep_secrets":true}`} {
			rec, warnings := said(h.Me(), ump.OpRemember, body)
			if !strings.Contains(rec.Body.Text, ghToken) || warnings != 0 || strings.Contains(string(rec.Form()), "keep_secrets") {
				t.Errorf("%d warnings: %s", warnings, rec.Form())
			}
			for _, c := range []memory.Caller{h.Agent(), h.Granted(memory.Grant{Verbs: []memory.Verb{memory.WriteVerb}})} {
				if _, err := h.Call(ump.OpRemember, c, body); memory.KindOf(err) != memory.ForbiddenScope {
					t.Errorf("%v", err)
				}
			}
			if _, err := h.Call(ump.OpRevise, h.Agent(), `{"id":"`+string(rec.ID)+`","patch":{"text":"x"},"keep_secrets":true}`); memory.KindOf(err) != memory.ForbiddenScope {
				t.Errorf("%v", err)
			}
		}
	})
	t.Run("UMP-3.3-4 what is signed stays, and is warned of", func(t *testing.T) {
		signed, err := ump.Author(memory.Record{Kind: memory.Semantic, Body: memory.Body{Text: "Signed " + ghToken}, Scope: memory.Scope{Owner: h.Key.DID()},
			Time: memory.Times{Created: h.Now}, Provenance: &memory.Provenance{Actor: "a", ActorKind: memory.ByUser, Method: "user_stated"}}, &h.Key)
		if err != nil {
			t.Fatal(err)
		}
		rec, warnings := said(h.Me(), ump.OpRemember, string(signed.Form()))
		if string(rec.Form()) != string(signed.Form()) || warnings != 1 {
			t.Errorf("%d warnings: %s", warnings, rec.Form())
		}
	})
}

func TestMergedSpellings(t *testing.T) { onEach(t, testMergedSpellings) }

func testMergedSpellings(t *testing.T, open opener) {
	h := open(t)
	t.Run("UMP-3.3-12 a draft merges into the same sentence spelled otherwise", func(t *testing.T) {
		id := h.Tell("the user works at Globex")
		if v := h.Must(ump.OpRemember, `{"text":"The user works at  Globex."}`); v["result"] != "merged" || v["id"] != string(id) {
			t.Errorf("%v, want merged into %s", v, id)
		}
		h.Tell("US is spelled so.")
		h.Tell("us is spelled so.")
		h.Tell("The user works at globex")
	})
}
