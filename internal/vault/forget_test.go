package vault_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/belief"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

func TestForget(t *testing.T) { onEach(t, testForget) }

func testForget(t *testing.T, open opener) {
	h := open(t)
	id := h.Tell("likes quinces")
	t.Run("UMP-3.6-3 a reason is required", func(t *testing.T) {
		_, err := h.Call(ump.OpForget, h.Me(), `{"id":"`+string(id)+`"}`)
		vaulttest.WantKind(t, err, memory.InvalidRecord)
		_, err = h.Forget(h.Ctx, h.Me(), memory.ForgetRequest{ID: id, Reason: "because"})
		vaulttest.WantKind(t, err, memory.InvalidRecord)
	})
	t.Run("UMP-3.6-1 UMP-3.6-2 the record becomes a tombstone", func(t *testing.T) {
		v, err := h.Call(ump.OpForget, h.Agent(), `{"id":"`+string(id)+`","reason":"incorrect","note":"it was medlars"}`)
		if err != nil || v["result"] != "tombstoned" {
			t.Fatalf("%v, %v", v, err)
		}
		rec := h.MustGet(id)
		if rec.Lifecycle.Status != memory.Tombstoned || rec.ID != id {
			t.Fatalf("status %q", rec.Lifecycle.Status)
		}
		vaulttest.Verified(t, rec)
	})
	t.Run("UMP-3.6-3 the reason stands beside the text", func(t *testing.T) {
		if s := string(h.MustGet(id).Body.Structured); !strings.Contains(s, `"incorrect"`) || !strings.Contains(s, "medlars") {
			t.Fatalf("structured %s", s)
		}
	})
	t.Run("UMP-3.3-7 a secret in the note is masked", func(t *testing.T) {
		secret := h.Tell("the deploy key is old")
		_, err := h.Forget(h.Ctx, h.Me(), memory.ForgetRequest{ID: secret, Reason: "other", Note: "it had ghp_" + strings.Repeat("a1B2", 9)})
		if s := string(h.MustGet(secret).Form()); err != nil || strings.Contains(s, "ghp_") || !strings.Contains(s, "it had") {
			t.Fatalf("kept %s, %v", s, err)
		}
		_, err = h.Forget(h.Ctx, h.Me(), memory.ForgetRequest{ID: secret, Reason: "other", Hard: true})
		if err != nil {
			t.Fatal(err)
		}
	})
	t.Run("UMP-3.6-4 UMP-3.2-12 recall and list are silent about it", func(t *testing.T) {
		vaulttest.WantTexts(t, h.Texts(memory.Query{Text: "quinces"}))
		page, err := h.List(h.Ctx, h.Me(), vault.ListQuery{})
		if err != nil || len(page.Records) != 0 {
			t.Fatalf("list tells of %d records, %v", len(page.Records), err)
		}
		if text, report := h.dump(vault.ExportQuery{}); text != "[]" || report.Omitted["forgotten"] != 1 {
			t.Fatalf("export wrote %s, %+v", text, report)
		}
	})
	t.Run("the owner finds it when asking for tombstones, as a shell; others do not", func(t *testing.T) {
		q := memory.Query{Text: "quinces", Filter: memory.Filter{Statuses: []memory.Status{memory.Tombstoned}}}
		vaulttest.WantTexts(t, h.Texts(q), "[erased]")
		vaulttest.WantTexts(t, h.TextsFor(h.Peer(), q))
	})
	t.Run("UMP-3.4-3 UMP-3.6-5 the owner's get still has the text", func(t *testing.T) {
		if rec := h.MustGet(id); rec.Body.Text != "likes quinces" {
			t.Fatalf("text %q", rec.Body.Text)
		}
	})
	t.Run("every other shell says erased", func(t *testing.T) {
		all, err := h.History(h.Ctx, h.Me(), id)
		if err != nil || len(all) != 1 || all[0].Body.Text != "[erased]" || all[0].Body.Structured != nil {
			t.Fatalf("%+v, %v", all, err)
		}
		vaulttest.Verified(t, all[0])
	})
	t.Run("UMP-3.6-8 again is fine, unknown is not found", func(t *testing.T) {
		if v := h.Must(ump.OpForget, `{"id":"`+string(id)+`","reason":"incorrect"}`); v["result"] != "tombstoned" {
			t.Fatalf("result %v", v)
		}
		_, err := h.Call(ump.OpForget, h.Me(), `{"id":"urn:ump:aaaa","reason":"other"}`)
		vaulttest.WantKind(t, err, memory.NotFound)
	})
	t.Run("UMP-3.6-7 every kind can be forgotten", func(t *testing.T) {
		for _, k := range memory.Kinds() {
			id := h.Tell("a record of kind "+string(k), `"kind":"`+string(k)+`"`)
			h.Must(ump.OpForget, `{"id":"`+string(id)+`","reason":"other"}`)
			if h.MustGet(id).Lifecycle.Status != memory.Tombstoned {
				t.Fatalf("%s is still there", k)
			}
		}
	})
}

func TestForgetChain(t *testing.T) { onEach(t, testForgetChain) }

func testForgetChain(t *testing.T, open opener) {
	h := open(t)
	first := h.Tell("Works at Acme.")
	h.Pass(time.Hour)
	v := h.Must(ump.OpRevise, `{"id":"`+string(first)+`","patch":{"body":{"text":"Works at Bolt."}}}`)
	h.Must(ump.OpForget, `{"id":"`+v["id"].(string)+`","reason":"user_revoked","chain":true}`)
	if s := h.MustGet(first).Lifecycle.Status; s != memory.Tombstoned {
		t.Fatalf("the older version is %q", s)
	}
	q := memory.Query{Text: "Where does she work?"}
	q.Filter.ValidAt = vaulttest.Start().Add(time.Minute)
	vaulttest.WantTexts(t, h.Texts(q))
}

func TestForgetHard(t *testing.T) {
	h := open(t)
	canary := "zanzibarquince"
	id := h.Tell("the secret word is "+canary, `"relations":[{"type":"about","target":"entity:`+canary+`"}]`)
	h.Tell("something else")
	t.Run("UMP-3.6-6 an agent may not erase", func(t *testing.T) {
		_, err := h.Call(ump.OpForget, h.Agent(), `{"id":"`+string(id)+`","reason":"user_revoked","hard":true}`)
		vaulttest.WantKind(t, err, memory.ForbiddenScope)
	})
	t.Run("UMP-3.6-6 the owner erases without a trace", func(t *testing.T) {
		v := h.Must(ump.OpForget, `{"id":"`+string(id)+`","reason":"user_revoked","hard":true}`)
		if v["result"] != "erased" {
			t.Fatalf("result %v", v)
		}
		_, err := h.Call(ump.OpGet, h.Me(), `{"id":"`+string(id)+`"}`)
		vaulttest.WantKind(t, err, memory.NotFound)
		files, err := filepath.Glob(h.Path + "*")
		if err != nil || len(files) == 0 {
			t.Fatalf("no store files: %v", err)
		}
		for _, f := range files {
			raw, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Contains(raw, []byte(canary[:10])) {
				t.Fatalf("%s still holds the text", filepath.Base(f))
			}
		}
	})
}

func TestRetention(t *testing.T) { onEach(t, testRetention) }

func testRetention(t *testing.T, open opener) {
	h := open(t)
	id := h.Tell("the gate code is 4711", `"consent":{"retention":"P1D"}`)
	vaulttest.WantTexts(t, h.Texts(memory.Query{Text: "gate code"}), "the gate code is 4711")
	h.Pass(24*time.Hour - time.Millisecond)
	if rec := h.MustGet(id); rec.Body.Text != "the gate code is 4711" {
		t.Fatalf("it went too early: %q", rec.Body.Text)
	}
	h.Pass(time.Millisecond) // and not one later
	gone := func(t *testing.T) {
		t.Helper()
		vaulttest.WantTexts(t, h.Texts(memory.Query{Text: "gate code"}))
		rec := h.MustGet(id)
		if rec.Lifecycle.Status != memory.Tombstoned || rec.Body.Text != "[erased: retention expired]" || rec.ID != id {
			t.Fatalf("got %q %q", rec.Lifecycle.Status, rec.Body.Text)
		}
		vaulttest.Verified(t, rec)
	}
	t.Run("UMP-2.7-2 UMP-2.7-3 no sweeper is needed", gone)
	t.Run("the end of retention ends its validity, and its words are gone from search", func(t *testing.T) {
		if to := h.MustGet(id).Time.ValidTo; !to.Equal(vaulttest.Start().Add(24 * time.Hour)) {
			t.Fatalf("valid to %v", to)
		}
		q := memory.Query{Text: "gate code", Filter: memory.Filter{Statuses: []memory.Status{memory.Tombstoned}}}
		vaulttest.WantTexts(t, h.Texts(q))
	})
	shell := string(h.MustGet(id).Form())
	t.Run("UMP-2.7-2 the sweeper empties it", func(t *testing.T) {
		if n, err := h.Sweep(h.Ctx, h.Key.DID()); n != 1 || err != nil {
			t.Fatalf("swept %d, %v", n, err)
		}
		if n, err := h.Sweep(h.Ctx, h.Key.DID()); n != 0 || err != nil {
			t.Fatalf("swept %d again, %v", n, err)
		}
		if !h.Clears() {
			if pending, err := h.Pending(h.Ctx); !pending || err != nil {
				t.Fatalf("pending %v, %v: the operator would not know", pending, err)
			}
		} else if raw, err := os.ReadFile(h.Path); err != nil || bytes.Contains(raw, []byte("4711")) {
			t.Fatalf("the text is still on disk (%v)", err)
		}
		gone(t)
		if swept := string(h.MustGet(id).Form()); swept != shell {
			t.Fatalf("the shell was\n%s\nand is\n%s", shell, swept)
		}
		keyless := vault.New(vault.Options{Beliefs: belief.Open, Store: h.Store, Now: func() time.Time { return h.Now }})
		rec, err := keyless.Get(h.Ctx, h.Me(), id, memory.CurrentView)
		if err != nil || string(rec.Form()) != shell {
			t.Fatalf("without the key it reads %s, %v", rec.Form(), err)
		}
	})
	t.Run("a retention without end in sight is kept", func(t *testing.T) {
		id := h.Tell("for the ages", `"consent":{"retention":"P300000Y"}`)
		if n, err := h.Sweep(h.Ctx, h.Key.DID()); n != 0 || err != nil {
			t.Fatalf("swept %d, %v", n, err)
		}
		if h.MustGet(id).Body.Text != "for the ages" {
			t.Fatal("it is gone")
		}
	})
	t.Run("UMP-3.6-5 a forgotten record keeps its text until retention ends", func(t *testing.T) {
		id := h.Tell("the door code is 0815", `"consent":{"retention":"P1D"}`)
		h.Must(ump.OpForget, `{"id":"`+string(id)+`","reason":"other"}`)
		if h.MustGet(id).Body.Text != "the door code is 0815" {
			t.Fatal("the text went too early")
		}
		h.Pass(25 * time.Hour)
		if h.MustGet(id).Body.Text == "the door code is 0815" {
			t.Fatal("the text stayed too long")
		}
		if n, err := h.Sweep(h.Ctx, h.Key.DID()); n != 1 || err != nil {
			t.Fatalf("swept %d, %v", n, err)
		}
	})
}

// damage writes over a stored record.
func (h *house) damage(id memory.ID) {
	h.T.Helper()
	err := h.Store.Update(h.Ctx, h.Key.DID(), func(w store.Writer) error {
		r, err := w.Row(id)
		if err != nil {
			return err
		}
		r.Origin, r.Current = []byte(`{"ump":`), nil
		return w.Replace(r, store.Links{})
	})
	if err != nil {
		h.T.Fatal(err)
	}
}

func TestDamaged(t *testing.T) {
	h := open(t)
	broken := h.Tell("this one breaks", `"consent":{"retention":"P1D"}`)
	other := h.Tell("this one expires", `"consent":{"retention":"P1D"}`)
	h.Tell("this one stays")
	h.damage(broken)
	t.Run("a damaged record hides no other", func(t *testing.T) {
		vaulttest.WantTexts(t, h.Texts(memory.Query{Text: "stays"}), "this one stays")
		page, err := h.List(h.Ctx, h.Me(), vault.ListQuery{})
		if err != nil || len(page.Records) != 2 {
			t.Fatalf("%d listed, %v", len(page.Records), err)
		}
		if _, report := h.dump(vault.ExportQuery{}); report.Omitted["damaged"] != 1 {
			t.Fatalf("%+v", report)
		}
	})
	t.Run("its text can be remembered anew", func(t *testing.T) {
		h.Tell("this one breaks", `"consent":{"retention":"P1D"}`, `"time":{"created":"2026-06-04T10:00:01Z"}`)
		vaulttest.WantTexts(t, h.Texts(memory.Query{Text: "breaks"}))
		h.Pass(time.Minute)
		vaulttest.WantTexts(t, h.Texts(memory.Query{Text: "breaks"}), "this one breaks")
	})
	t.Run("it lets others expire", func(t *testing.T) {
		h.Pass(25 * time.Hour)
		if n, err := h.Sweep(h.Ctx, h.Key.DID()); n != 2 || err != nil || h.MustGet(other).Body.Text == "this one expires" {
			t.Fatalf("swept %d, %v", n, err)
		}
	})
	t.Run("it can be erased", func(t *testing.T) {
		h.Must(ump.OpForget, `{"id":"`+string(broken)+`","reason":"other","hard":true}`)
		_, err := h.Call(ump.OpGet, h.Me(), `{"id":"`+string(broken)+`"}`)
		vaulttest.WantKind(t, err, memory.NotFound)
	})
}
