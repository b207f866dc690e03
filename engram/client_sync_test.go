package engram_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/engram"
)

// news is an answer of diff: one belief is deleted, another added.
const news = `{"engram_version":"0.1","since":"2026-05-01T11:59:00Z","generated_at":"2026-05-01T12:30:00.5Z","changes":{
"beliefs":{"added":[{"id":"77777777-7777-4777-8777-777777777777","category":"communication","key":"flag","value":"blue","confidence":1,"source":"user_stated","status":"active","created_at":"2026-05-01T12:20:00Z"}],
"updated":[],"deleted":[{"id":"11111111-1111-4111-8111-111111111111","status":"deleted","deleted_at":"2026-05-01T12:10:00Z"}]},
"corrections":{"added":[]},"evolution":{"added":[]}}}`

func TestClientSync(t *testing.T) {
	ctx := t.Context()
	t.Run("ENGRAM-3.9-DIFF-9 ENGRAM-12.5-2 changes are applied, and what is deleted is gone", func(t *testing.T) {
		s, c, _ := openShop(t, func(o *engram.ClientOptions) { o.Query.Scope = engram.Full })
		s.say("GET /v1/context/diff", news)
		if h, err := c.Sync(ctx); err != nil || h.Trust != engram.Verified {
			t.Fatalf("the first is no whole context: %+v, %v", h, err)
		}
		s.requests()
		h, err := c.Sync(ctx)
		if err != nil || !slices.Equal(s.requests(), []string{"GET /v1/context/diff?scope=full&since=2026-05-01T11%3A59%3A00Z"}) {
			t.Errorf("%v", err)
		}
		if h.Trust != engram.Unverified || h.Kid != "" || h.Document.Signature.Value != engram.Unsigned {
			t.Errorf("ENGRAM-3.9-DIFF-11: it counts as signed: %+v", h.Verdict)
		}
		if !h.Document.ExpiresAt.Equal(noon(t).Add(12 * time.Hour)) {
			t.Errorf("it ends at %s", h.Document.ExpiresAt)
		}
		p, err := c.Prompt(engram.PromptOptions{})
		if err != nil || strings.Contains(p.Text, "short words") || !strings.Contains(p.Text, "- flag: blue\n") {
			t.Errorf("%q, %v", p.Text, err)
		}
		if _, err := c.Sync(ctx); err != nil || !slices.Equal(s.requests(), []string{"GET /v1/context/diff?scope=full&since=2026-05-01T12%3A30%3A00.5Z"}) {
			t.Errorf("generated_at is not where the next begins: %v", err)
		}
		if h, err := c.Fetch(ctx); err != nil || h.Trust != engram.Verified {
			t.Errorf("a whole context makes it signed again: %+v, %v", h, err)
		}
	})
	t.Run("ENGRAM-3.9-DIFF-11 where all has to be signed nothing asks for changes", func(t *testing.T) {
		s, c, _ := openShop(t, func(o *engram.ClientOptions) { o.RequireSigned = true })
		s.say("GET /v1/context/diff", news)
		for range 3 {
			if h, err := c.Sync(ctx); err != nil || h.Trust != engram.Verified {
				t.Fatalf("%+v, %v", h, err)
			}
		}
		if _, err := c.Changes(ctx, noon(t)); err == nil {
			t.Error("it tells of changes")
		}
		if asked := strings.Join(s.requests(), "\n"); strings.Contains(asked, "diff") || strings.Count(asked, "/v1/context") != 3 {
			t.Errorf("asked for %s", asked)
		}
	})
	t.Run("a store without changes is asked for the whole", func(t *testing.T) {
		s, c, _ := openShop(t, nil)
		for range 2 {
			if h, err := c.Sync(ctx); err != nil || h.Trust != engram.Verified {
				t.Fatalf("%+v, %v", h, err)
			}
		}
		if asked := s.requests(); asked[len(asked)-1] != "GET /v1/context" {
			t.Errorf("asked for %q", asked)
		}
	})
	t.Run("changes that cannot be read leave what there was", func(t *testing.T) {
		s, c, _ := openShop(t, nil)
		s.say("GET /v1/context/diff", `{"engram_version":"0.1"}`)
		if _, err := c.Sync(ctx); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Sync(ctx); err == nil {
			t.Error("they are taken")
		}
		if h, ok := c.Snapshot(); !ok || h.Trust != engram.Verified {
			t.Errorf("%+v", h)
		}
	})
}

func TestClientCorrect(t *testing.T) {
	ctx := t.Context()
	recorded := engram.Response{Status: 201, Body: []byte(`{"correction_id":"c1","belief_id":"` + radio + `","status":"pending_user_confirmation","message":"x"}`)}
	t.Run("ENGRAM-3.9-CORR-19 ENGRAM-6-3 a correction is proposed and never applied here", func(t *testing.T) {
		s, c, _ := openShop(t, func(o *engram.ClientOptions) { o.Tier = engram.WriterTier })
		s.says["POST /v1/context/correct"] = recorded
		if _, err := c.Fetch(ctx); err != nil {
			t.Fatal(err)
		}
		got, err := c.Correct(ctx, engram.Proposal{Belief: radio, New: "long words", Context: "at noon"})
		if err != nil || got.Correction != "c1" || got.Status != engram.Pending {
			t.Errorf("%+v, %v", got, err)
		}
		const want = `{"belief_id":"` + radio + `","new_value":"long words","context":"at noon","runtime_id":"radio-1","timestamp":"2026-05-01T12:00:00Z"}`
		if r := s.asked[len(s.asked)-1]; string(r.Body) != want || r.Token != "tk" {
			t.Errorf("sent %s", r.Body)
		}
		if p, err := c.Prompt(engram.PromptOptions{}); err != nil || !strings.Contains(p.Text, "short words") || strings.Contains(p.Text, "long words") {
			t.Errorf("%q, %v", p.Text, err)
		}
		s.requests()
		if _, err := c.Sync(ctx); err != nil || strings.Contains(strings.Join(s.requests(), "\n"), "diff") {
			t.Errorf("a Writer asks for changes: %v", err)
		}
	})
	t.Run("ENGRAM-6-2 a Reader only asks", func(t *testing.T) {
		s, c, _ := openShop(t, func(o *engram.ClientOptions) { o.Tier = engram.ReaderTier })
		s.says["POST /v1/context/correct"] = recorded
		if _, err := c.Sync(ctx); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Sync(ctx); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Correct(ctx, engram.Proposal{Belief: radio, New: "x"}); err == nil {
			t.Error("it corrects")
		}
		for _, asked := range s.requests() {
			if !strings.HasPrefix(asked, "GET ") || strings.Contains(asked, "diff") {
				t.Errorf("it asked %s", asked)
			}
		}
	})
	t.Run("ENGRAM-6-4 the tier Full uses every endpoint", func(t *testing.T) {
		s, c, _ := openShop(t, nil)
		s.says["POST /v1/context/correct"] = recorded
		s.say("GET /v1/context/diff", news)
		for range 2 {
			if _, err := c.Sync(ctx); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := c.Correct(ctx, engram.Proposal{Belief: radio, New: "x"}); err != nil {
			t.Fatal(err)
		}
		all := strings.Join(s.requests(), "\n")
		for _, want := range []string{"GET /.well-known/engram\n", "GET /v1/context\n", "engram-keys", "/diff?", "POST /v1/context/correct"} {
			if !strings.Contains(all, want) {
				t.Errorf("no %s in %s", want, all)
			}
		}
	})
	t.Run("ENGRAM-3.9-DISC-6 paths are taken from where the store advertises them", func(t *testing.T) {
		s, c, _ := openShop(t, nil)
		s.say("GET /.well-known/engram", `{"endpoints":{"context":"/engram/v1/context","correct":"https://evil.example/take","diff":"//evil.example/diff"}}`)
		s.says["GET /engram/v1/context"] = s.says["GET /v1/context"]
		delete(s.says, "GET /v1/context")
		s.says["POST /v1/context/correct"] = recorded
		if _, err := c.Fetch(ctx); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Correct(ctx, engram.Proposal{Belief: radio, New: "x"}); err != nil {
			t.Errorf("a path that leads elsewhere is taken: %v", err)
		}
	})
}
