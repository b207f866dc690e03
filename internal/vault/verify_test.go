package vault_test

import (
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/belief"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

func TestEditedRecords(t *testing.T) {
	racing.Skip(t)
	for name, change := range map[string]string{
		"text":                        `UPDATE records SET origin = replace(origin, 'basalt', 'butter') WHERE id = ?`,
		"visibility":                  `UPDATE records SET origin = replace(origin, '"private"', '"public"') WHERE id = ?`,
		"integrity":                   `UPDATE records SET origin = replace(origin, '"integrity"', '"Integrity"') WHERE id = ?`,
		"signature":                   `UPDATE records SET origin = replace(origin, '"ed25519:', '"ed25519:A') WHERE id = ?`,
		"another record in its place": `UPDATE records SET origin = (SELECT origin FROM records WHERE CAST(origin AS TEXT) LIKE '%granite%') WHERE id = ?`,
	} {
		t.Run("UMP-7-7 UMP-2.8-5 "+name, func(t *testing.T) {
			h := open(t)
			id := h.Tell("the tower is made of basalt")
			other := h.Tell("the tower is made of granite")
			h.Edit(change, string(id))
			_, err := h.Get(h.Ctx, h.Me(), id, memory.CurrentView)
			if k := memory.KindOf(err); k != memory.SignatureInvalid && k != memory.Internal {
				t.Fatalf("get: %v", err)
			}
			vaulttest.WantTexts(t, h.Texts(memory.Query{Text: "tower"}), "the tower is made of granite")
			if n := h.Count(); n != 1 {
				t.Fatalf("list tells of %d records", n)
			}
			text, report := h.dump(vault.ExportQuery{})
			if report.Omitted["damaged"] != 1 || !strings.Contains(text, string(other)) || strings.Contains(text, "butter") {
				t.Fatalf("export: %+v", report)
			}
			for _, op := range []func() error{
				func() error {
					_, err := h.Call(ump.OpRevise, h.Agent(), `{"id":"`+string(id)+`","patch":{"body":{"text":"x"}}}`)
					return err
				},
				func() error {
					_, err := h.Call(ump.OpForget, h.Agent(), `{"id":"`+string(id)+`","reason":"other"}`)
					return err
				},
				func() error { return h.Feedback(h.Ctx, h.Agent(), id, "followed", "") },
			} {
				if err := op(); err == nil {
					t.Fatal("what was changed behind the owner's back was worked on")
				}
			}
			events, _, err := h.Changes(h.Ctx, h.Me(), memory.Subscription{})
			if err != nil || len(events) != 1 || events[0].ID != other {
				t.Fatalf("events %v, %v", events, err)
			}
			findings, err := h.Health(h.Ctx)
			if err != nil || !strings.Contains(strings.Join(findings, "\n"), string(id)) {
				t.Fatalf("doctor finds %q, %v", findings, err)
			}
			h.Flush(h.Ctx)
			if !h.audited(audit.Damage) {
				t.Fatal("the audit log does not tell of the damage")
			}
			if _, err := h.Forget(h.Ctx, h.Me(), memory.ForgetRequest{ID: id, Reason: memory.OtherReason, Hard: true}); err != nil {
				t.Fatalf("the owner cannot erase it: %v", err)
			}
		})
	}
}

func (h *house) audited(act audit.Act) bool {
	h.T.Helper()
	entries, err := h.Audit(h.Ctx, h.Me(), 0, 1000)
	if err != nil {
		h.T.Fatal(err)
	}
	for _, e := range entries {
		if e.Act == act {
			return true
		}
	}
	return false
}

func TestEditedColumns(t *testing.T) {
	racing.Skip(t)
	h := open(t)
	h.Tell("the well is deep", `"consent":{"retention":"P1Y"}`, `"time":{"valid_to":"2027-01-01T00:00:00Z"}`)
	id := h.Tell("the tower is tall", `"consent":{"retention":"P1Y"}`, `"time":{"valid_to":"2027-01-01T00:00:00Z"}`)
	if found, err := h.Health(h.Ctx); err != nil || len(found) != 0 {
		t.Fatalf("before: %q, %v", found, err)
	}
	for column, value := range map[string]string{
		"kind": `'procedural'`, "status": `'candidate'`, "visibility": `'public'`, "project": `'p'`, "user": `'u'`, "agent": `'a'`,
		"session": `'s'`, "created": `created + 1000`, "valid_from": `valid_from - 1000`, "valid_to": `NULL`, "expires": `NULL`, "duplicate": `'d'`,
	} {
		t.Run(column, func(t *testing.T) {
			h.Edit(`CREATE TABLE kept AS SELECT id AS kept_id, `+column+` AS was FROM records; UPDATE records SET `+column+` = `+value+` WHERE id = ?`, string(id))
			findings, err := h.Health(h.Ctx)
			if err != nil || !strings.Contains(strings.Join(findings, "\n"), "filed other than it says") {
				t.Errorf("doctor finds %q, %v", findings, err)
			}
			_, err = h.Get(h.Ctx, h.Me(), id, memory.CurrentView)
			vaulttest.WantKind(t, err, memory.SignatureInvalid)
			wantNone(t, h.Texts(memory.Query{Text: "tower"}))
			wantNone(t, h.TextsFor(memory.Caller{Owner: h.Key.DID()}, memory.Query{Text: "tower"}))
			h.Edit(`UPDATE records SET ` + column + ` = (SELECT was FROM kept WHERE kept_id = records.id); DROP TABLE kept`)
		})
	}
}

func wantNone(t *testing.T, texts []string) {
	t.Helper()
	if len(texts) != 0 {
		t.Errorf("found %q", texts)
	}
}

func TestLevel(t *testing.T) {
	t.Run("UMP-3.1-3 the level is the one in force", func(t *testing.T) {
		h := open(t)
		for _, c := range []struct {
			signed, tokens, key bool
			want                string
		}{{true, true, true, "L3"}, {true, true, false, "L2"}, {true, false, true, "L2"}, {false, true, true, "L2"}} {
			o := vault.Options{Store: h.Store, Beliefs: belief.Open, Signed: c.signed, Tokens: c.tokens, Owner: h.Key.DID()}
			if c.key {
				o.Key = h.Holds
			}
			caps, err := vault.New(o).Capabilities(h.Ctx, memory.Caller{})
			if err != nil || caps.Conformance != c.want {
				t.Errorf("%+v: %s, %v", c, caps.Conformance, err)
			}
		}
	})
	t.Run("UMP-2-26 UMP-2.8-4 UMP-3.3-2 what is remembered without integrity is signed", func(t *testing.T) {
		h := open(t)
		rec := h.MustGet(h.Tell("signed on write"))
		if rec.Integrity == nil || rec.Integrity.ContentHash == "" || rec.Integrity.Signature == "" || rec.Integrity.Signer != h.Key.DID() {
			t.Fatalf("%+v", rec.Integrity)
		}
		vaulttest.Verified(t, rec)
	})
}
