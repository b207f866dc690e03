package vault_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/belief"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

func TestRecall(t *testing.T) { onEach(t, testRecall) }

func testRecall(t *testing.T, open opener) {
	h := open(t)
	owner := string(h.Key.DID())
	h.Tell("Sam lives in Hanoi", `"kind":"identity"`)
	h.Tell("Use pnpm in this repository", `"kind":"procedural"`, `"scope":{"owner":"`+owner+`","project":"github.com/a/one"}`)
	h.Tell("Use cargo in this repository", `"kind":"procedural"`, `"scope":{"owner":"`+owner+`","project":"github.com/a/two"}`)
	h.Tell("A proposal about repositories", `"lifecycle":{"status":"candidate"}`)

	t.Run("plain language finds it", func(t *testing.T) {
		vaulttest.WantTexts(t, h.Texts(memory.Query{Text: "So, where does Sam live these days?"}), "Sam lives in Hanoi")
	})
	t.Run("UMP-2.1-3 UMP-3.2-6 a kind hides the others", func(t *testing.T) {
		q := memory.Query{Text: "Sam repository"}
		q.Filter.Kinds = []memory.Kind{memory.Identity}
		vaulttest.WantTexts(t, h.Texts(q), "Sam lives in Hanoi")
	})
	t.Run("UMP-2.2-1 another project's records stay out, this one's come", func(t *testing.T) {
		q := memory.Query{Text: "which tool in this repository?", Scope: memory.Scope{Project: "github.com/a/one"}}
		vaulttest.WantTexts(t, h.Texts(q), "Use pnpm in this repository")
	})
	t.Run("records without a project are global", func(t *testing.T) {
		q := memory.Query{Text: "Hanoi", Scope: memory.Scope{Project: "github.com/a/one"}}
		vaulttest.WantTexts(t, h.Texts(q), "Sam lives in Hanoi")
	})
	t.Run("candidates come on request only", func(t *testing.T) {
		q := memory.Query{Text: "proposal"}
		vaulttest.WantTexts(t, h.Texts(q))
		q.Filter.Statuses = []memory.Status{memory.Candidate}
		vaulttest.WantTexts(t, h.Texts(q), "A proposal about repositories")
	})
	t.Run("an alias joins projects that were split", func(t *testing.T) {
		if err := h.AliasProject(h.Ctx, h.Me(), "github.com/a/two", "github.com/a/one"); err != nil {
			t.Fatal(err)
		}
		for _, p := range []string{"github.com/a/one", "github.com/a/two"} {
			got := h.Texts(memory.Query{Text: "which tool in this repository?", Scope: memory.Scope{Project: p}})
			slices.Sort(got)
			vaulttest.WantTexts(t, got, "Use cargo in this repository", "Use pnpm in this repository")
		}
		hits, err := h.Recall(h.Ctx, h.Me(), memory.Query{Text: "cargo"})
		if err != nil || hits[0].Record.Scope.Project != "github.com/a/two" {
			t.Fatalf("the record left with another project: %v %v", hits, err)
		}
		vaulttest.Verified(t, hits[0].Record)
	})
	t.Run("UMP-3.2-2 an empty question is refused", func(t *testing.T) {
		for _, q := range []string{`{}`, `{"query":""}`, `{"query":"  "}`, `{"query":5}`} {
			_, err := h.Call(ump.OpRecall, h.Me(), q)
			vaulttest.WantKind(t, err, memory.InvalidRecord)
		}
	})
	t.Run("UMP-3.2-6 an unknown kind is refused", func(t *testing.T) {
		_, err := h.Call(ump.OpRecall, h.Me(), `{"query":"x","filter":{"kind":["foo"]}}`)
		vaulttest.WantKind(t, err, memory.InvalidRecord)
	})
	t.Run("UMP-3.2-10 limits are positive whole numbers", func(t *testing.T) {
		for _, l := range []string{"0", "-1", "1.5", `"three"`} {
			_, err := h.Call(ump.OpRecall, h.Me(), `{"query":"x","limit":`+l+`}`)
			vaulttest.WantKind(t, err, memory.InvalidRecord)
		}
	})
	t.Run("other wordings of a question", func(t *testing.T) {
		vaulttest.WantTexts(t, h.Texts(memory.Query{Text: "whereabouts", Also: []string{"Hanoi"}}), "Sam lives in Hanoi")
		vaulttest.WantTexts(t, h.Texts(memory.Query{Text: "whereabouts", Also: []string{"what do you know about me?", "*"}}))
		q := memory.Query{Text: "toolchain", Also: []string{"pnpm cargo"}, Scope: memory.Scope{Project: "github.com/b/three"}}
		vaulttest.WantTexts(t, h.Texts(q))
		_, err := h.Recall(h.Ctx, h.Me(), memory.Query{Text: "x", Also: make([]string, 6)})
		vaulttest.WantKind(t, err, memory.InvalidRecord)
		if err == nil || !strings.Contains(err.Error(), "/also/5") {
			t.Errorf("the refusal does not name the member: %v", err)
		}
		for _, q := range []memory.Query{{Text: "*"}, {Text: "what do you know about me?"}} {
			broad := h.Texts(q)
			q.Also = []string{"cargo"}
			vaulttest.WantTexts(t, h.Texts(q), broad...)
		}
	})
	t.Run("odd questions are no errors", func(t *testing.T) {
		for _, q := range []string{`"`, `AND OR NOT`, `a* NEAR(b)`, `'; DROP TABLE records; --`, "\u0000", strings.Repeat("word ", 5000), "的", "?"} {
			if _, err := h.Recall(h.Ctx, h.Me(), memory.Query{Text: q}); err != nil {
				t.Errorf("%.20q: %v", q, err)
			}
		}
	})
	t.Run("UMP-3.2-14 recall changes nothing", func(t *testing.T) {
		before, _ := h.dump(vault.ExportQuery{})
		for range 100 {
			h.Texts(memory.Query{Text: "repository"})
		}
		if after, _ := h.dump(vault.ExportQuery{}); after != before {
			t.Fatal("records changed")
		}
	})
}

func TestRecallLimits(t *testing.T) {
	h := open(t)
	for i := range 60 {
		h.Tell(fmt.Sprintf("note number %d about gardens", i))
	}
	for limit, want := range map[int]int{0: 8, 3: 3, 50: 50, 51: 50, 1000: 50} {
		if got := len(h.Texts(memory.Query{Text: "gardens", Limit: limit})); got != want {
			t.Errorf("UMP-3.1-6 UMP-3.2-10 limit %d gave %d, want %d", limit, got, want)
		}
	}
}

func TestWalls(t *testing.T) { onEach(t, testWalls) }

func testWalls(t *testing.T, open opener) {
	h := open(t)
	other := vaulttest.Seeded(t, 11)
	both := vault.New(vault.Options{Beliefs: belief.Open, Store: h.Store, Key: func(did memory.DID) (keys.Private, bool) {
		return map[memory.DID]keys.Private{h.Key.DID(): h.Key, other.DID(): other}[did], true
	}})
	stranger := memory.Caller{Owner: other.DID(), Role: memory.Owner}
	for i := range 51 {
		_, err := both.Remember(context.Background(), stranger, memory.Draft{Record: memory.Record{
			Body: memory.Body{Text: fmt.Sprintf("the launch code is %d", i)}}})
		if err != nil {
			t.Fatal(err)
		}
	}
	mine := h.Tell("somewhere a launch happens")
	public := h.Tell("the launch is public", `"scope":{"owner":"`+string(h.Key.DID())+`","visibility":"public"}`)
	t.Run("UMP-2.2-6 UMP-3.2-13 another owner's records never crowd out one's own", func(t *testing.T) {
		got := h.Texts(memory.Query{Text: "what is the launch code"})
		if len(got) != 2 {
			t.Fatalf("got %q", got)
		}
	})
	t.Run("UMP-2.2-3 UMP-3.4-4 no id of another owner can be read or guessed", func(t *testing.T) {
		for _, c := range []memory.Caller{stranger, {Owner: h.Key.DID()}} {
			_, err := both.Get(h.Ctx, c, mine, memory.CurrentView)
			vaulttest.WantKind(t, err, memory.NotFound)
		}
	})
	t.Run("UMP-2.2-3 UMP-2.2-5 UMP-2.2-6 a stranger sees what is public and nothing else", func(t *testing.T) {
		vaulttest.WantTexts(t, h.TextsFor(memory.Caller{Owner: h.Key.DID()}, memory.Query{Text: "launch"}), "the launch is public")
		q := memory.Query{Text: "launch", Scope: memory.Scope{Owner: h.Key.DID()}}
		hits, err := both.Recall(h.Ctx, stranger, q)
		if err != nil || len(hits) != 1 || hits[0].Record.ID != public {
			t.Fatalf("%d hits, %v", len(hits), err)
		}
	})
	t.Run("UMP-2.2-4 a peer sees what is shared, redacted", func(t *testing.T) {
		h.Must(ump.OpRemember, `{"record":{"body":{"text":"the launch pad","structured":{"token":"s3cret","n":1}},
			"scope":{"owner":"`+string(h.Key.DID())+`","visibility":"shared"},"consent":{"redact":["body.structured.token"]}}}`)
		hits, err := h.Recall(h.Ctx, h.Peer(), memory.Query{Text: "launch pad"})
		if err != nil || len(hits) != 2 {
			t.Fatalf("%d hits, %v", len(hits), err)
		}
		form := string(hits[0].Record.Form())
		if strings.Contains(form, "s3cret") || !strings.Contains(form, `"n":1`) {
			t.Fatalf("UMP-2.7-4 not redacted: %s", form)
		}
		vaulttest.Verified(t, hits[0].Record) // UMP-2.7-8
	})
	t.Run("UMP-2.7-7 a peer cannot find a record by a word that is redacted", func(t *testing.T) {
		h.Must(ump.OpRemember, `{"record":{"body":{"text":"the meeting is with somebody","structured":{"tags":["quuxington"]}},
			"scope":{"owner":"`+string(h.Key.DID())+`","visibility":"shared"},"consent":{"redact":["body.structured.tags"]},
			"relations":[{"type":"about","target":"entity:quuxington"}]}}`)
		h.Must(ump.OpRemember, `{"record":{"body":{"text":"the name is quuxling"},
			"scope":{"owner":"`+string(h.Key.DID())+`","visibility":"shared"},"consent":{"redact":["body.text"]}}}`)
		vaulttest.WantTexts(t, h.TextsFor(h.Peer(), memory.Query{Text: "quuxling"}))
		vaulttest.WantTexts(t, h.TextsFor(h.Peer(), memory.Query{Text: "x", Also: []string{"quuxling", "who is quuxling"}}))
		vaulttest.WantTexts(t, h.Texts(memory.Query{Text: "quuxling"}), "the name is quuxling")
	})
}
