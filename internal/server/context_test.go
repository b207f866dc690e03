package server_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/engram/engramhttp"
	"github.com/satchel-memory/satchel/internal/server"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/belief"
	"github.com/satchel-memory/satchel/memory"
)

const asJSON = "Content-Type: application/json"

// issuing is how a house issues contexts.
func issuing(t testing.TB, more server.Contexts) server.Contexts {
	t.Helper()
	key, err := engram.IssuerKey(seeded(t, 7), 1)
	if err != nil {
		t.Fatal(err)
	}
	signer := engram.Signer{Issuer: engram.Issuer{Name: "Satchel", URL: "https://memory.example"}, Kid: "key-2026-06", Key: key}
	list := engram.EncodeKeys([]engram.Key{engram.NewKey(signer.Kid, key.Public(), time.Now().Add(-time.Minute))})
	more.Issuer = func() (engramhttp.Issuer, error) {
		return engramhttp.Issuer{Signer: signer, Keys: list}, nil
	}
	return more
}

// hosting is a house that issues contexts, whose owner has stated two beliefs.
func hosting(t *testing.T, more server.Options) (h house, style, diet engram.Belief) {
	t.Helper()
	more.Contexts = issuing(t, more.Contexts)
	h = buildAs(t, vault.Options{}, more)
	state := func(b engram.Belief) engram.Belief {
		b.Confidence, b.Source, b.Status = 1, engram.UserStated, engram.Active
		said, err := belief.Of(h.vault).Believe(t.Context(), memory.Caller{Owner: h.owner, Role: memory.Owner}, b, false)
		if err != nil {
			t.Fatal(err)
		}
		return said.Belief
	}
	style = state(engram.Belief{Category: engram.Communication, Key: "email_style", Text: "short mails"})
	return h, style, state(engram.Belief{Category: engram.Health, Key: "diet", Text: "no walnuts"})
}

// runtime mints a token for an assistant and returns the header that shows it.
func (h house) runtime(t *testing.T, r memory.Runtime, good time.Duration, verbs ...memory.Verb) string {
	t.Helper()
	if verbs == nil {
		verbs = []memory.Verb{memory.ReadVerb, memory.WriteVerb}
	}
	token, _, err := h.vault.MintToken(t.Context(), memory.Caller{Owner: h.owner, Role: memory.Owner},
		vault.TokenOrder{Verbs: verbs, Runtime: &r, Expires: time.Now().Add(good)})
	if err != nil {
		t.Fatal(err)
	}
	return "Authorization: Bearer " + token
}

// fault checks that an answer is an error of Engram 3.9.
func (a answer) fault(t *testing.T, status int, code engram.Code) {
	t.Helper()
	var said struct{ Error engramhttp.Problem }
	if err := json.Unmarshal(a.body, &said); err != nil || a.StatusCode != status || said.Error.Status != status || said.Error.Code != code || said.Error.Message == "" {
		t.Errorf("status %d, %s; want %d %s", a.StatusCode, a.body, status, code)
	}
}

// document verifies a context with the keys that the server lists.
func (h house) document(t *testing.T, a answer) engram.Document {
	t.Helper()
	v, err := engram.Verify(a.body, engram.VerifyOptions{Issuer: "https://memory.example", Now: time.Now(), Keys: func(bool) ([]engram.Key, error) {
		return engram.DecodeKeys(h.do(t, "GET", "/.well-known/engram-keys", "", "Authorization:").body)
	}})
	if err != nil {
		t.Fatalf("status %d, %v: %s", a.StatusCode, err, a.body)
	}
	return v.Document
}

func TestContexts(t *testing.T) {
	t.Parallel()
	h, style, diet := hosting(t, server.Options{})
	t.Run("ENGRAM-3.9-CTX-1 ENGRAM-3.8-21 the owner has everything, signed", func(t *testing.T) {
		a := h.do(t, "GET", "/v1/context", "")
		d := h.document(t, a)
		if len(d.Beliefs) != 2 || d.Scope != engram.Full {
			t.Errorf("it is %s", a.body)
		}
		if again := h.document(t, h.do(t, "GET", "/v1/context", "")); !reflect.DeepEqual(again.Beliefs, d.Beliefs) {
			t.Errorf("an unchanged store answers with other beliefs: %+v, %+v", d.Beliefs, again.Beliefs)
		}
	})
	t.Run("ENGRAM-12.1-2 ENGRAM-3.9-AUTH-5 decision E-49 a narrow token", func(t *testing.T) {
		narrow := h.runtime(t, memory.Runtime{Name: "notes", Scope: "professional", IssuedTo: "urn:x:notes"}, time.Hour)
		a := h.do(t, "GET", "/v1/context", "", narrow)
		d := h.document(t, a)
		if d.Scope != engram.Professional || len(d.Beliefs) != 1 || d.Beliefs[0].ID != style.ID || d.Definition.IssuedTo != "urn:x:notes" || bytes.Contains(a.body, []byte("walnuts")) {
			t.Errorf("it is %s", a.body)
		}
		for _, query := range []string{"scope=full", "scope=financial", "categories=health"} {
			h.do(t, "GET", "/v1/context?"+query, "", narrow).fault(t, 403, engram.Forbidden)
		}
		if d := h.document(t, h.do(t, "GET", "/v1/context?scope=minimal", "", narrow)); d.Scope != engram.Minimal {
			t.Errorf("a narrower scope is %s", d.Scope)
		}
		if a := h.do(t, "GET", "/v1/context/diff?since=2026-01-01T00:00:00Z", "", narrow); a.StatusCode != 200 || bytes.Contains(a.body, []byte(diet.ID)) || !bytes.Contains(a.body, []byte(style.ID)) {
			t.Errorf("the diff is %d %s", a.StatusCode, a.body)
		}
		proposal := `{"belief_id":"` + diet.ID + `","new_value":"x","runtime_id":"n","timestamp":"2026-06-01T00:00:00Z"}`
		t.Run("ENGRAM-3.9-CORR-16 cannot tell whether there is more", func(t *testing.T) {
			h.do(t, "POST", "/v1/context/correct", proposal, narrow, asJSON).fault(t, 404, engram.BeliefNotFound)
		})
		reads := h.runtime(t, memory.Runtime{Name: "reader", Scope: "full"}, time.Hour, memory.ReadVerb)
		h.do(t, "POST", "/v1/context/correct", proposal, reads, asJSON).fault(t, 403, engram.Forbidden)
	})
	t.Run("ENGRAM-3.9-AUTH-5 a token for an assistant opens nothing else", func(t *testing.T) {
		whole := h.runtime(t, memory.Runtime{Name: "all", Scope: "full"}, time.Hour, memory.Verbs()...)
		for _, at := range []string{
			"GET /ump/capabilities", "POST /ump/recall", "POST /ump/remember", "POST /ump/revise", "POST /ump/forget", "GET /ump/export", "POST /ump/feedback",
			"GET /ump/subscribe", "GET /ump/memory/urn:ump:x", "POST /mcp", "GET /metrics", "GET /v1/brain/export", "POST /v1/brain/import", "DELETE /v1/brain",
			"GET /aaif/agents", "POST /aaif/agents", "POST /aaif/states", "POST /aaif/handoff",
		} {
			method, path, _ := strings.Cut(at, " ")
			if a := h.do(t, method, path, "", whole); a.StatusCode != 403 || bytes.Contains(a.body, []byte("walnuts")) {
				t.Errorf("%s: %d %s", at, a.StatusCode, a.body)
			}
		}
	})
	t.Run("a token that is for no assistant has no context", func(t *testing.T) {
		token, _, err := h.vault.MintToken(t.Context(), memory.Caller{Owner: h.owner, Role: memory.Owner},
			vault.TokenOrder{Verbs: []memory.Verb{memory.ReadVerb, memory.WriteVerb}, Expires: time.Now().Add(time.Hour)})
		if err != nil {
			t.Fatal(err)
		}
		h.do(t, "GET", "/v1/context", "", "Authorization: Bearer "+token).fault(t, 403, engram.Forbidden)
	})
	t.Run("ENGRAM-7-4 ENGRAM-3.9-AUTH-2 ENGRAM-3.9-AUTH-3 ENGRAM-3.9-AUTH-4 no token, a wrong one, one that has expired", func(t *testing.T) {
		h.do(t, "GET", "/v1/context", "", "Authorization:").fault(t, 401, engram.Unauthorized)
		for _, wrong := range []string{"Basic x", "Bearer", "Bearer nope"} {
			h.do(t, "GET", "/v1/context", "", "Authorization: "+wrong).fault(t, 401, engram.Unauthorized)
		}
		short := h.runtime(t, memory.Runtime{Name: "short", Scope: "full"}, time.Second)
		time.Sleep(1100 * time.Millisecond)
		h.do(t, "GET", "/v1/context", "", short).fault(t, 401, engram.TokenExpired)
	})
	t.Run("ENGRAM-3.9-ERR-13 errors before the API have its shape", func(t *testing.T) {
		h.do(t, "GET", "/v1/nope", "").fault(t, 404, engram.InvalidRequest)
		h.do(t, "PUT", "/v1/context", "").fault(t, 405, engram.InvalidRequest)
		h.do(t, "GET", "/v1/context", "", "Origin: https://evil.example").fault(t, 403, engram.Forbidden)
		h.do(t, "GET", "/.well-known/engram", "", "Host: evil.example").fault(t, 403, engram.Forbidden)
		h.do(t, "GET", "/v1//context", "").fault(t, 404, engram.InvalidRequest)
	})
	t.Run("ENGRAM-3.9-CORR-3 ENGRAM-3.9-CORR-21 a proposal counts once the owner confirms it", func(t *testing.T) {
		whole := h.runtime(t, memory.Runtime{Name: "all", Scope: "full"}, time.Hour)
		var said struct {
			ID string `json:"correction_id"`
		}
		a := h.do(t, "POST", "/v1/context/correct", `{"belief_id":"`+style.ID+`","new_value":"long mails","runtime_id":"n","timestamp":"2026-06-01T00:00:00Z"}`, whole, asJSON)
		if err := json.Unmarshal(a.body, &said); err != nil || a.StatusCode != 201 {
			t.Fatalf("%d %s", a.StatusCode, a.body)
		}
		value := func() string {
			for _, b := range h.document(t, h.do(t, "GET", "/v1/context", "", whole)).Beliefs {
				if b.ID == style.ID {
					return b.Text
				}
			}
			return ""
		}
		at := "/v1/context/corrections/" + said.ID + "/confirm"
		h.do(t, "POST", at, "", whole).fault(t, 403, engram.Forbidden)
		if got := value(); got != "short mails" {
			t.Errorf("before, it is %s", got)
		}
		if a := h.do(t, "POST", at, ""); a.StatusCode != 200 {
			t.Errorf("%d %s", a.StatusCode, a.body)
		}
		if got := value(); got != "long mails" {
			t.Errorf("after, it is %s", got)
		}
		h.do(t, "POST", at, "").fault(t, 400, engram.InvalidRequest)
	})
	t.Run("what was kept goes with an owner who erases everything", func(t *testing.T) {
		h.document(t, h.do(t, "GET", "/v1/context", ""))
		if a := h.do(t, "DELETE", "/v1/brain?confirm="+string(h.owner), ""); a.StatusCode >= 300 {
			t.Fatalf("%d %s", a.StatusCode, a.body)
		}
		if a := h.do(t, "GET", "/v1/context", ""); bytes.Contains(a.body, []byte("mails")) {
			t.Errorf("it is %s", a.body)
		}
	})
}

func TestContextLimits(t *testing.T) {
	t.Parallel()
	h, _, _ := hosting(t, server.Options{Contexts: server.Contexts{Rate: 2}})
	notes, other := h.runtime(t, memory.Runtime{Name: "notes", Scope: "full"}, time.Hour), h.runtime(t, memory.Runtime{Name: "other", Scope: "full"}, time.Hour)
	t.Run("ENGRAM-3.9-ERR-9 decision E-36 each token has so many a minute", func(t *testing.T) {
		for range 2 {
			h.document(t, h.do(t, "GET", "/v1/context", "", notes))
		}
		a := h.do(t, "GET", "/v1/context", "", notes)
		a.fault(t, 429, engram.RateLimited)
		if a.Header.Get("Retry-After") == "" {
			t.Errorf("headers %v", a.Header)
		}
		h.document(t, h.do(t, "GET", "/v1/context", "", other))
		h.document(t, h.do(t, "GET", "/v1/context", ""))
	})
}

func TestContextLog(t *testing.T) {
	var log record
	h, style, _ := hosting(t, server.Options{Log: log.logger()})
	notes := h.runtime(t, memory.Runtime{Name: "notes", Scope: "full"}, time.Hour)
	h.do(t, "GET", "/v1/context", "", notes)
	h.do(t, "POST", "/v1/context/corrections/some-id/confirm", "", notes)
	h.do(t, "GET", "/v1/context", "", notes[:len(notes)-4]+"AAAA").fault(t, 401, engram.Unauthorized)
	t.Run("ENGRAM-3.9-AUTH-8 tokens and content stay out of the log", func(t *testing.T) {
		said := log.String()
		for i := 0; i < 200 && strings.Count(said, `"route"`) < 3; i++ { // lines are written behind the answers
			time.Sleep(5 * time.Millisecond)
			said = log.String()
		}
		for _, secret := range []string{strings.TrimPrefix(notes, "Authorization: Bearer ")[:40], token, style.Text, "some-id"} {
			if strings.Contains(said, secret) {
				t.Errorf("%s stands in the log: %s", secret, said)
			}
		}
		for _, route := range []string{`"route":"/v1/context"`, `"route":"/v1/context/corrections/{id}/confirm"`} {
			if !strings.Contains(said, route) {
				t.Errorf("%s is not told apart: %s", route, said)
			}
		}
	})
}
