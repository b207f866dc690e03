package belief_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// believes stores a belief and returns the id of its record.
func (h *house) believes(b engram.Belief, more ...string) memory.ID {
	h.T.Helper()
	if b.ID == "" {
		b.ID = engram.IDFrom("belief", b.Key, b.Text)
	}
	if b.Key == "" {
		b.Key = "key"
	}
	said := map[string]any{"category": b.Category, "key": b.Key, "confidence": 0.9, "source": "user_stated", "status": "active",
		"created_at": h.Now.Format(time.RFC3339), "tags": b.Tags}
	residue, err := json.Marshal(map[string]any{"engram": map[string]any{"v": 1, "id": b.ID, "belief": said}})
	if err != nil {
		h.T.Fatal(err)
	}
	members := append([]string{
		`"body":{"text":` + vaulttest.Quote(b.Key+": "+b.Text) + `,"structured":` + string(residue) + `}`,
	}, more...)
	v := h.Must(ump.OpRemember, `{"record":{`+strings.Join(members, ",")+`}}`)
	return memory.ID(v["id"].(string))
}

func (h *house) context(c memory.Caller, q engram.Query) engram.View {
	h.T.Helper()
	view, err := h.Context(h.Ctx, c, q)
	if err != nil {
		h.T.Fatalf("context %+v: %v", q, err)
	}
	return view
}

// runtime is who holds a token for an assistant.
func (h *house) runtime(r memory.Runtime) memory.Caller {
	return h.Granted(memory.Grant{Runtime: &r, Expires: h.Now.Add(time.Hour)})
}

// issued is what a view looks like on the wire.
func issued(t testing.TB, view engram.View, now time.Time) string {
	t.Helper()
	raw, err := engram.Signer{Issuer: engram.Issuer{Name: "here", URL: "https://here.example"}, Kid: "key-2026-06", Key: vaulttest.Seeded(t, 5), Lifetime: time.Hour}.Issue(view, now)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func beliefOf(view engram.View, id string) (engram.Belief, bool) {
	i := slices.IndexFunc(view.Beliefs, func(b engram.Belief) bool { return b.ID == id })
	if i < 0 {
		return engram.Belief{}, false
	}
	return view.Beliefs[i], true
}

func faultOf(err error) engram.Code {
	if f, ok := errors.AsType[*engram.Fault](err); ok {
		return f.Code
	}
	return engram.Code(fmt.Sprint("no fault: ", err))
}

func TestContext(t *testing.T) { onEach(t, testContext) }

func testContext(t *testing.T, open opener) {
	h := open(t)
	style := engram.Belief{ID: engram.IDFrom("style"), Category: engram.Communication, Key: "email_style", Text: "formal"}
	t.Run("ENGRAM-3.9-CTX-5 E-44 an owner without beliefs gets empty lists, an unknown one is not found", func(t *testing.T) {
		view := h.context(h.Me(), engram.Query{})
		if len(view.Beliefs) != 0 || view.Beliefs == nil || view.Corrections == nil || view.Evolution == nil || view.Constraints == nil {
			t.Errorf("%+v", view.Memory)
		}
		if view.Identity.DisplayName != "Owner" || view.Identity.Timezone != "UTC" {
			t.Errorf("identity %+v", view.Identity)
		}
		_, err := h.Context(h.Ctx, memory.Caller{Owner: vaulttest.Seeded(t, 77).DID(), Role: memory.Owner}, engram.Query{})
		if got := faultOf(err); got != engram.UserNotFound {
			t.Errorf("%v", got)
		}
	})
	first := h.believes(style)
	h.Pass(time.Hour)
	second := h.Change(first, `{"body":{"text":"email_style: short"}}`)
	native := h.Tell("we drink coffee at eleven")
	t.Run("ENGRAM-3.4-2 ENGRAM-3.4-18 ENGRAM-3.5-9 a changed belief keeps id and creation and tells its change", func(t *testing.T) {
		view := h.context(h.Me(), engram.Query{})
		b, ok := beliefOf(view, style.ID)
		if !ok || b.Text != "short" || !b.CreatedAt.Equal(vaulttest.Start()) || len(view.Beliefs) != 2 {
			t.Fatalf("%+v", view.Beliefs)
		}
		if len(view.Evolution) != 1 || view.Evolution[0].Old != "formal" || view.Evolution[0].New != "short" || view.Evolution[0].Belief != style.ID {
			t.Errorf("%+v", view.Evolution)
		}
		if b, ok := beliefOf(view, engram.IDFrom("engram-ump:"+string(native))); !ok || b.Text != "we drink coffee at eleven" {
			t.Errorf("what was remembered is no belief: %+v", view.Beliefs)
		}
	})
	t.Run("ENGRAM-3.5-11 ENGRAM-4-4 values are told as they were", func(t *testing.T) {
		for at, want := range map[time.Duration]string{time.Minute: "formal", time.Hour: "short"} {
			view := h.context(h.Me(), engram.Query{AsOf: vaulttest.Start().Add(at)})
			if b, _ := beliefOf(view, style.ID); b.Text != want {
				t.Errorf("after %v: %q, want %q", at, b.Text, want)
			}
		}
		if view := h.context(h.Me(), engram.Query{AsOf: vaulttest.Start().Add(-time.Hour)}); len(view.Beliefs) != 0 {
			t.Errorf("%+v before anything was known", view.Beliefs)
		}
	})
	t.Run("ENGRAM-3.4-13 ENGRAM-3.4-15 a deleted belief leaves a tombstone without a word", func(t *testing.T) {
		h.Pass(time.Hour)
		if _, err := h.Forget(h.Ctx, h.Me(), memory.ForgetRequest{ID: second, Reason: memory.UserRevoked}); err != nil {
			t.Fatal(err)
		}
		for _, q := range []engram.Query{{}, {AsOf: vaulttest.Start().Add(time.Minute)}} {
			view := h.context(h.Me(), q)
			b, ok := beliefOf(view, style.ID)
			if !ok || b.Status != engram.Deleted || b.Text != "" || b.Confidence != 0 || b.Key != "email_style" || !b.DeletedAt.Equal(h.Now) {
				t.Errorf("%+v: %+v", q, b)
			}
			if doc := issued(t, view, h.Now); strings.Contains(doc, "formal") || strings.Contains(doc, "short") {
				t.Errorf("%+v: it says what it was: %s", q, doc)
			}
		}
	})
	h.Healthy()
}

func TestContextWithholds(t *testing.T) {
	racing.Skip(t)
	onEach(t, testContextWithholds)
}

func testContextWithholds(t *testing.T, open opener) {
	h := open(t)
	t.Run("ENGRAM-3.9-CORR-3 a candidate is no belief", func(t *testing.T) {
		if _, err := h.Says(h.Agent(), "candidatus "+vaulttest.Canary, `"lifecycle":{"status":"candidate"}`); err != nil {
			t.Fatal(err)
		}
		withheld(t, h, vaulttest.Canary)
	})
	t.Run("E-21 what is not exportable stays, and its present value is not made up from the past", func(t *testing.T) {
		id := h.believes(engram.Belief{Category: engram.Values, Key: "a", Text: "known before"})
		h.Change(id, `{"body":{"text":"a: `+vaulttest.Canary+`"},"consent":{"exportable":false}}`)
		withheld(t, h, vaulttest.Canary)
		withheld(t, h, "known before")
		id = h.believes(engram.Belief{Category: engram.Values, Key: "b", Text: vaulttest.Canary}, `"consent":{"exportable":false}`)
		h.Change(id, `{"body":{"text":"b: open now"},"consent":{"exportable":true}}`)
		withheld(t, h, vaulttest.Canary)
		if view := h.context(h.Me(), engram.Query{}); len(view.Beliefs) != 1 || view.Beliefs[0].Text != "open now" || len(view.Evolution) != 0 {
			t.Errorf("%+v", view.Memory)
		}
	})
	t.Run("redaction comes before anything is told", func(t *testing.T) {
		h.Must(ump.OpRemember, `{"record":{"body":{"text":"my number is known","structured":{"phone":"`+vaulttest.Canary+`"}},"consent":{"redact":["body.structured.phone"]}}}`)
		withheld(t, h, vaulttest.Canary)
	})
	t.Run("what may be kept no longer is a tombstone, before and after it was swept", func(t *testing.T) {
		b := engram.Belief{ID: engram.IDFrom("brief"), Category: engram.Health, Key: "c", Text: vaulttest.Canary}
		h.believes(b, `"consent":{"retention":"P1D"}`)
		at := h.Now.Add(24 * time.Hour)
		view := h.context(h.Me(), engram.Query{})
		if got, _ := beliefOf(view, b.ID); got.Text != vaulttest.Canary || !view.Until.Equal(at) {
			t.Fatalf("%+v until %v", got, view.Until)
		}
		h.Pass(25 * time.Hour)
		for _, how := range []string{"kept", "swept"} {
			view := h.context(h.Me(), engram.Query{Scope: engram.Personal})
			got, ok := beliefOf(view, b.ID)
			if !ok || got.Status != engram.Deleted || got.Category != engram.Health || !got.DeletedAt.Equal(at) {
				t.Errorf("%s: %+v", how, got)
			}
			if _, ok := beliefOf(h.context(h.Me(), engram.Query{Scope: engram.Professional}), b.ID); ok {
				t.Errorf("%s: it is in another scope", how)
			}
			withheld(t, h, vaulttest.Canary)
			if _, err := h.Sweep(h.Ctx, h.Key.DID()); err != nil {
				t.Fatal(err)
			}
		}
	})
	t.Run("a version that was forgotten shows in no history", func(t *testing.T) {
		id := h.believes(engram.Belief{Category: engram.Values, Key: "d", Text: vaulttest.Canary})
		h.Pass(time.Minute)
		h.Change(id, `{"body":{"text":"d: fine"}}`)
		if !strings.Contains(issued(t, h.context(h.Me(), engram.Query{}), h.Now), vaulttest.Canary) {
			t.Fatal("it was not told before; the test could not fail")
		}
		if _, err := h.Forget(h.Ctx, h.Me(), memory.ForgetRequest{ID: id, Reason: memory.UserRevoked}); err != nil {
			t.Fatal(err)
		}
		withheld(t, h, vaulttest.Canary)
		withheld(t, h, vaulttest.Canary, engram.Query{AsOf: h.Now.Add(-30 * time.Second)})
	})
}

// withheld makes sure that a word is in no context and no diff.
func withheld(t *testing.T, h *house, word string, queries ...engram.Query) {
	t.Helper()
	for _, c := range []memory.Caller{h.Me(), h.Agent(), h.runtime(memory.Runtime{Name: "rt", Scope: "full"})} {
		for _, q := range append(queries, engram.Query{}) {
			if doc := issued(t, h.context(c, q), h.Now); strings.Contains(doc, word) {
				t.Errorf("role %v hears %q: %s", c.Role, word, doc)
			}
			delta, err := h.Diff(h.Ctx, c, q, vaulttest.Start().Add(-time.Hour))
			if err != nil {
				t.Fatal(err)
			}
			if raw := string(engram.EncodeDelta(delta)); strings.Contains(raw, word) {
				t.Errorf("role %v hears %q by diff: %s", c.Role, word, raw)
			}
		}
	}
}
