package vault_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/belief"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

func TestRevise(t *testing.T) { onEach(t, testRevise) }

func testRevise(t *testing.T, open opener) {
	h := open(t)
	old := h.Tell("Use pnpm, never npm.", `"kind":"procedural"`,
		`"relations":[{"type":"about","target":"entity:pnpm"}]`, `"consent":{"exportable":true}`)
	origin := h.MustGet(old)
	h.Pass(24 * time.Hour)
	v := h.Must(ump.OpRevise, `{"id":"`+string(old)+`","patch":{"body":{"text":"Use bun, not pnpm."}}}`)
	next := memory.ID(v["id"].(string))
	prior, successor := h.MustGet(old), h.MustGet(next)

	t.Run("UMP-3.5-1 UMP-3.5-2 the answer names successor and prior", func(t *testing.T) {
		got := v["supersedes"].([]any)
		if next == old || len(got) != 1 || got[0] != string(old) || successor.Supersedes[0] != old {
			t.Fatalf("answer %v", v)
		}
	})
	t.Run("UMP-3.5-3 UMP-2.3-2 the prior is closed where the successor begins", func(t *testing.T) {
		if !prior.Time.ValidTo.Equal(successor.Time.ValidFrom) || len(prior.SupersededBy) != 1 || prior.SupersededBy[0] != next {
			t.Fatalf("prior %+v superseded by %v", prior.Time, prior.SupersededBy)
		}
	})
	t.Run("UMP-3.5-5 what the patch does not name carries over", func(t *testing.T) {
		if successor.Kind != memory.Procedural || len(successor.Relations) != 1 || successor.Consent == nil {
			t.Fatalf("successor %+v", successor)
		}
		if !successor.Time.Created.Equal(h.Now) {
			t.Fatalf("created %v, want %v", successor.Time.Created, h.Now)
		}
	})
	t.Run("UMP-3.5-8 UMP-3.5-9 both are signed and the prior keeps its id", func(t *testing.T) {
		vaulttest.Verified(t, prior)
		vaulttest.Verified(t, successor)
		if prior.ID != old || prior.Integrity.ContentHash == origin.Integrity.ContentHash {
			t.Fatal("the prior's integrity was not issued again")
		}
	})
	t.Run("UMP-1-5 the prior stays, also as authored", func(t *testing.T) {
		rec, err := h.Get(h.Ctx, h.Me(), old, memory.OriginView)
		if err != nil || string(rec.Form()) != string(origin.Form()) {
			t.Fatalf("origin view: %v", err)
		}
	})
	t.Run("UMP-3.2-7 UMP-3.2-8 UMP-3.5-4 UMP-2.3-3 recall knows then from now", func(t *testing.T) {
		q := memory.Query{Text: "pnpm or bun?"}
		vaulttest.WantTexts(t, h.Texts(q), "Use bun, not pnpm.")
		q.Filter.ValidAt = vaulttest.Start().Add(time.Hour)
		vaulttest.WantTexts(t, h.Texts(q), "Use pnpm, never npm.")
		q.Filter.ValidAt = vaulttest.Start().Add(-time.Hour)
		vaulttest.WantTexts(t, h.Texts(q))
	})
	t.Run("history tells both, oldest first", func(t *testing.T) {
		all, err := h.History(h.Ctx, h.Me(), next)
		if err != nil || len(all) != 2 || all[0].ID != old {
			t.Fatalf("%d versions, %v", len(all), err)
		}
	})
	t.Run("a future valid_from schedules the switch", func(t *testing.T) {
		id := h.Tell("Works at Acme.")
		h.Must(ump.OpRevise, `{"id":"`+string(id)+`","patch":{"body":{"text":"Works at Bolt."},"time":{"valid_from":"2027-01-01T00:00:00Z"}}}`)
		vaulttest.WantTexts(t, h.Texts(memory.Query{Text: "Where does she work?"}), "Works at Acme.")
		q := memory.Query{Text: "Where does she work?"}
		q.Filter.ValidAt = time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
		vaulttest.WantTexts(t, h.Texts(q), "Works at Bolt.")
	})
	t.Run("what was to end later ends with its successor, and what had ended stays as it ended", func(t *testing.T) {
		for _, after := range []time.Duration{10_000 * time.Hour, time.Minute} {
			ends := h.Now.Add(after)
			id := h.Tell("The gate is old until "+ends.String(), `"time":{"valid_to":"`+ends.UTC().Format(time.RFC3339)+`"}`)
			h.Pass(time.Hour)
			h.Must(ump.OpRevise, `{"id":"`+string(id)+`","patch":{"body":{"text":"The gate is new since `+h.Now.String()+`"},"time":{"valid_to":null}}}`)
			want := h.Now
			if ends.Before(want) {
				want = ends
			}
			if p := h.MustGet(id); !p.Time.ValidTo.Equal(want) {
				t.Errorf("%v, want %v", p.Time.ValidTo, want)
			}
		}
	})
	t.Run("remember with supersedes closes the prior like revise", func(t *testing.T) {
		id := h.Tell("The sky is green.")
		h.Pass(time.Hour)
		h.Tell("The sky is blue.", `"supersedes":["`+string(id)+`"]`)
		if p := h.MustGet(id); !p.Time.ValidTo.Equal(h.Now) || len(p.SupersededBy) != 1 {
			t.Fatalf("prior %+v", p.Time)
		}
	})
}

// broken is a store whose Replace fails: the closing of a prior.
type broken struct{ store.Store }

type brokenWriter struct{ store.Writer }

var errBroken = errors.New("the disk is gone")

func (b broken) Update(ctx context.Context, owner memory.DID, fn func(store.Writer) error) error {
	return b.Store.Update(ctx, owner, func(w store.Writer) error { return fn(brokenWriter{w}) })
}

func (brokenWriter) Replace(store.Row, store.Links) error { return errBroken }

func TestReviseIsAtomic(t *testing.T) {
	h := open(t)
	id := h.Tell("Use pnpm.")
	before, _ := h.dump(vault.ExportQuery{})
	half := vault.New(vault.Options{Beliefs: belief.Open, Store: broken{h.Store}, Now: func() time.Time { return h.Now.Add(time.Hour) },
		Key: func(memory.DID) (keys.Private, bool) { return h.Key, true }})
	t.Run("UMP-3.5-11 successor and closing come together or not at all", func(t *testing.T) {
		_, err := half.Revise(h.Ctx, h.Me(), memory.Revision{ID: id, Patch: []byte(`{"body":{"text":"Use bun."}}`)})
		if !errors.Is(err, errBroken) {
			t.Fatalf("%v", err)
		}
		if after, _ := h.dump(vault.ExportQuery{}); after != before {
			t.Fatalf("something was stored:\n%s", after)
		}
	})
}

func TestReviseRefuses(t *testing.T) {
	cases := []struct{ name, patch string }{
		{"UMP-3.5-6 a body that is an array", `{"body":["x"]}`},
		{"UMP-3.5-6 a kind nobody knows", `{"kind":"x"}`},
		{"UMP-3.5-6 a kind taken away", `{"kind":null}`},
		{"UMP-3.5-6 a text taken away", `{"body":{"text":null}}`},
		{"UMP-3.5-7 id", `{"id":"urn:ump:aaaa"}`},
		{"UMP-3.5-7 ump", `{"ump":"1.0"}`},
		{"UMP-3.5-7 integrity", `{"integrity":{}}`},
		{"UMP-3.5-7 superseded_by", `{"superseded_by":["urn:ump:aaaa"]}`},
		{"UMP-3.5-7 created", `{"time":{"created":"2020-01-01T00:00:00Z"}}`},
		{"UMP-3.5-7 owner", `{"scope":{"owner":"did:key:zX"}}`},
		{"a patch that is no object", `[]`},
	}
	h := open(t)
	id := h.Tell("Use pnpm.")
	before := string(h.MustGet(id).Form())
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := h.Call(ump.OpRevise, h.Me(), `{"id":"`+string(id)+`","patch":`+c.patch+`}`)
			vaulttest.WantKind(t, err, memory.InvalidRecord)
			if string(h.MustGet(id).Form()) != before || h.Count() != 1 {
				t.Fatal("something changed")
			}
		})
	}
	t.Run("UMP-3.5-10 an unknown id", func(t *testing.T) {
		_, err := h.Call(ump.OpRevise, h.Me(), `{"id":"urn:ump:aaaa","patch":{"body":{"text":"x"}}}`)
		vaulttest.WantKind(t, err, memory.NotFound)
	})
	t.Run("UMP-3.5-10 a forgotten record", func(t *testing.T) {
		h.Must(ump.OpForget, `{"id":"`+string(id)+`","reason":"outdated"}`)
		_, err := h.Call(ump.OpRevise, h.Me(), `{"id":"`+string(id)+`","patch":{"body":{"text":"x"}}}`)
		if refused, ok := errors.AsType[*memory.Error](err); !ok || refused.Kind != memory.InvalidRecord || refused.Path != "/id" {
			t.Errorf("got %v", err)
		}
	})
	t.Run("an agent may not widen visibility", func(t *testing.T) {
		id := h.Tell("Use make.")
		_, err := h.Call(ump.OpRevise, h.Agent(), `{"id":"`+string(id)+`","patch":{"scope":{"visibility":"public"}}}`)
		vaulttest.WantKind(t, err, memory.ForbiddenScope)
	})
}

func TestReviseByAnAgent(t *testing.T) {
	h := open(t)
	owner := string(h.Key.DID())
	public := h.Tell("The build needs Go.", `"scope":{"owner":"`+owner+`","visibility":"public"}`)
	strict := h.Tell("Lives at 12 Elm Street.", `"consent":{"exportable":false,"retention":"P1D","redact":["body.structured.home"]}`)
	for name, c := range map[string]struct {
		id    memory.ID
		patch string
	}{
		"what others can read":     {public, `{"body":{"text":"buy my coin"}}`},
		"consent taken away":       {strict, `{"consent":null}`},
		"made exportable":          {strict, `{"consent":{"exportable":true}}`},
		"kept longer":              {strict, `{"consent":{"retention":"P9D"}}`},
		"kept without end":         {strict, `{"consent":{"retention":null}}`},
		"redaction taken away":     {strict, `{"consent":{"redact":[]}}`},
		"exportable left unsaid":   {strict, `{"consent":{"exportable":null}}`},
		"redacting something else": {strict, `{"consent":{"redact":["body.structured.other"]}}`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := h.Call(ump.OpRevise, h.Agent(), `{"id":"`+string(c.id)+`","patch":`+c.patch+`}`)
			vaulttest.WantKind(t, err, memory.ForbiddenScope)
		})
	}
	t.Run("text, and more care, are fine", func(t *testing.T) {
		_, err := h.Call(ump.OpRevise, h.Agent(), `{"id":"`+string(strict)+`","patch":{"body":{"text":"Lives in town."},
			"consent":{"redact":["body.structured.home","body.text"]}}}`)
		if err != nil {
			t.Fatal(err)
		}
	})
}
