package vault_test

import (
	"encoding/base32"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

func TestRemember(t *testing.T) {
	t.Run("UMP-3.3-1 the specification's example is created", func(t *testing.T) {
		h := open(t)
		v := h.Must(ump.OpRemember, `{"record":{"kind":"procedural","body":{"text":"run pnpm gate before handoff"},
			"scope":{"owner":"`+string(h.Key.DID())+`","project":"github.com/example/recall"},
			"provenance":{"actor":"`+string(h.Key.DID())+`","actor_kind":"user","method":"user_correction"}}}`)
		if v["result"] != "created" {
			t.Fatalf("result %v", v["result"])
		}
	})
	t.Run("UMP-3.3-2 UMP-2-12 UMP-2-13 UMP-2-14 id, times, visibility and signature are filled in", func(t *testing.T) {
		h := open(t)
		rec := h.MustGet(h.Tell("prefers pnpm"))
		switch {
		case rec.ID == "" || !rec.Time.Created.Equal(vaulttest.Start()) || !rec.Time.Observed.Equal(vaulttest.Start()):
			t.Fatalf("not filled: %+v", rec)
		case rec.Scope.Visibility != memory.Private, rec.Kind != memory.Semantic:
			t.Fatalf("visibility %q kind %q", rec.Scope.Visibility, rec.Kind)
		}
		vaulttest.Verified(t, rec)
	})
	t.Run("UMP-3.3-3 times the client gives are kept", func(t *testing.T) {
		h := open(t)
		rec := h.MustGet(h.Tell("lives in Hanoi", `"time":{"valid_from":"2020-01-01T00:00:00+07:00"}`))
		if !rec.Time.ValidFrom.Equal(time.Date(2019, 12, 31, 17, 0, 0, 0, time.UTC)) || !rec.Time.Created.Equal(vaulttest.Start()) {
			t.Fatalf("times %+v", rec.Time)
		}
		if !strings.Contains(string(rec.Form()), "2020-01-01T00:00:00+07:00") {
			t.Fatal("the received spelling of a time is lost")
		}
	})
	t.Run("UMP-3.3-4 a signed record is stored unchanged", func(t *testing.T) {
		h, g := open(t), open(t)
		rec := h.MustGet(h.Keep(`{"body":{"text":"prefers pnpm"},"x":{"new":1}}`).ID)
		if _, err := g.Call(ump.OpRemember, g.Me(), `{"record":`+string(rec.Form())+`}`); err != nil {
			t.Fatal(err)
		}
		if got := g.MustGet(rec.ID); string(got.Form()) != string(rec.Form()) {
			t.Fatalf("stored\n%s\nwant\n%s", got.Form(), rec.Form())
		}
	})
	t.Run("UMP-3.3-5 UMP-3.3-6 the same draft again is merged", func(t *testing.T) {
		h := open(t)
		id := h.Tell("prefers pnpm")
		v := h.Must(ump.OpRemember, `{"record":{"body":{"text":" prefers  pnpm "}}}`)
		if v["id"] != string(id) || v["result"] != "merged" || h.Count() != 1 {
			t.Fatalf("got %v with %d records, want %s merged", v, h.Count(), id)
		}
	})
	t.Run("UMP-3.3-12 merging loses nothing", func(t *testing.T) {
		for name, more := range map[string]string{
			"project":    `"scope":{"owner":"OWNER","project":"b"}`,
			"user":       `"scope":{"owner":"OWNER","user":"did:key:zOther"}`,
			"kind":       `"kind":"procedural"`,
			"structured": `"structured"`,
			"consent":    `"consent":{"retention":"P1D"}`,
			"validity":   `"time":{"valid_from":"2020-01-01T00:00:00Z"}`,
			"relation":   `"relations":[{"type":"about","target":"entity:pnpm"}]`,
			"confidence": `"lifecycle":{"confidence":0.5}`,
			"decay":      `"lifecycle":{"decay":"half_life:P9D"}`,
			"agent":      `"scope":{"owner":"OWNER","agent":"codex"}`,
			"session":    `"scope":{"owner":"OWNER","session":"s9"}`,
			"visibility": `"scope":{"owner":"OWNER","visibility":"public"}`,
			"created":    `"time":{"created":"2015-01-01T00:00:00Z"}`,
			"observed":   `"time":{"observed":"2015-01-01T00:00:00Z"}`,
			"supersedes": `"supersedes":["urn:ump:aaaa"]`,
			"unknown":    `"x-new":1`,
			"unknown in": `"scope":{"owner":"OWNER","x-new":[1]}`,
		} {
			t.Run(name, func(t *testing.T) {
				h := open(t)
				h.Tell("prefers pnpm")
				body := `{"body":{"text":"prefers pnpm"},` + strings.ReplaceAll(more, "OWNER", string(h.Key.DID())) + `}`
				if name == "structured" {
					body = `{"body":{"text":"prefers pnpm","structured":{"n":1}}}`
				}
				if done := h.Keep(body); done.Outcome != memory.Created {
					t.Fatalf("outcome %v, want created", done.Outcome)
				}
			})
		}
	})
	t.Run("a forgotten or closed record is not merged into", func(t *testing.T) {
		h := open(t)
		id := h.Tell("prefers pnpm")
		h.Must(ump.OpForget, `{"id":"`+string(id)+`","reason":"user_revoked"}`)
		h.Pass(time.Second)
		if v := h.Must(ump.OpRemember, `{"record":{"body":{"text":"prefers pnpm"}}}`); v["result"] != "created" {
			t.Fatalf("result %v, want created", v["result"])
		}
	})
	t.Run("merging adds evidence and signs anew", func(t *testing.T) {
		h := open(t)
		id := h.Tell("prefers pnpm")
		h.Must(ump.OpRemember, `{"record":{"body":{"text":"prefers pnpm"},"provenance":{"actor":"x","actor_kind":"user",
			"method":"said","evidence":[{"ref":"s#2","weight":0.5}]}}}`)
		rec := h.MustGet(id)
		if len(rec.Provenance.Evidence) != 1 || rec.Provenance.Evidence[0].Ref != "s#2" {
			t.Fatalf("evidence %v", rec.Provenance.Evidence)
		}
		vaulttest.Verified(t, rec)
	})
	t.Run("an idempotency key gives the first answer again", func(t *testing.T) {
		h := open(t)
		draft := memory.Draft{Key: "k1", Record: memory.Record{Body: memory.Body{Text: "one"}, Kind: memory.Episodic,
			Origin: []byte(`{"kind":"episodic","body":{"text":"one"}}`)}}
		first, err := h.Remember(h.Ctx, h.Me(), draft)
		if err != nil {
			t.Fatal(err)
		}
		h.Pass(time.Hour)
		again, err := h.Remember(h.Ctx, h.Me(), draft)
		if err != nil || again.ID != first.ID || again.Outcome != first.Outcome {
			t.Fatalf("got %v, %v, want %v", again, err, first)
		}
		other := draft
		other.Record.Body.Text, other.Record.Origin = "two", []byte(`{"kind":"episodic","body":{"text":"two"}}`)
		_, err = h.Remember(h.Ctx, h.Me(), other)
		vaulttest.WantKind(t, err, memory.InvalidRecord)
	})
}

func TestRememberRefuses(t *testing.T) {
	cases := []struct {
		name, record string
		kind         memory.ErrorKind
	}{
		{"UMP-3.3-7 public and not exportable", `{"body":{"text":"x"},"scope":{"owner":"OWNER","visibility":"public"},"consent":{"exportable":false}}`, memory.ConsentViolation},
		{"UMP-3.3-7 retention already over", `{"body":{"text":"x"},"time":{"created":"2020-01-01T00:00:00Z"},"consent":{"retention":"P1D"}}`, memory.ConsentViolation},
		{"UMP-3.3-10 another owner", `{"body":{"text":"x"},"scope":{"owner":"did:key:z6MkmNL6xksdEJENGk9Z1qqGsY5njKQdjU1UhnUEUvWyQUVX"}}`, memory.ForbiddenScope},
		{"UMP-2-9 UMP-5.1-3 an owner that is no DID", `{"body":{"text":"x"},"scope":{"owner":"alice"}}`, memory.InvalidRecord},
		{"UMP-3.3-13 a tombstone", `{"body":{"text":"x"},"lifecycle":{"status":"tombstoned"}}`, memory.InvalidRecord},
		{"UMP-2-22 superseded_by is the engine's", `{"body":{"text":"x"},"superseded_by":["urn:ump:aaaa"]}`, memory.InvalidRecord},
		{"UMP-2.6-4 import without provider", `{"body":{"text":"x"},"provenance":{"actor":"a","actor_kind":"import","method":"m"}}`, memory.InvalidRecord},
		{"UMP-2.7-5 a path that is none", `{"body":{"text":"x"},"consent":{"redact":["]["]}}`, memory.InvalidRecord},
		{"UMP-2.7-5 a path to a required member", `{"body":{"text":"x"},"consent":{"redact":["scope.owner"]}}`, memory.InvalidRecord},
		{"UMP-3.7-4 an edition nobody speaks", `{"ump":"9.0","body":{"text":"x"}}`, memory.Unsupported},
		{"UMP-2.5-3 a relation to nowhere", `{"body":{"text":"x"},"relations":[{"type":"about","target":"http://x"}]}`, memory.InvalidRecord},
		{"UMP-2-16 an end without a beginning before it", `{"body":{"text":"x"},"time":{"valid_to":"2020-01-01T00:00:00Z"}}`, memory.InvalidRecord},
		{"UMP-3.3-9 no body", `{"kind":"semantic"}`, memory.InvalidRecord},
	}
	h := open(t)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := h.Call(ump.OpRemember, h.Me(), `{"record":`+strings.ReplaceAll(c.record, "OWNER", string(h.Key.DID()))+`}`)
			vaulttest.WantKind(t, err, c.kind)
			if n := h.Count(); n != 0 {
				t.Fatalf("%d records stored", n)
			}
			if strings.Contains(err.Error(), `"x"`) {
				t.Fatalf("the message repeats the text: %v", err)
			}
		})
	}
}

func TestRememberSigned(t *testing.T) { onEach(t, testRememberSigned) }

func testRememberSigned(t *testing.T, open opener) {
	h := open(t)
	id := h.Tell("prefers pnpm")
	form := string(h.MustGet(id).Form())
	g := open(t)
	t.Run("UMP-3.3-8 UMP-2.8-5 a tampered record is refused and leaves no trace", func(t *testing.T) {
		before := g.everything()
		_, err := g.Call(ump.OpRemember, g.Me(), `{"record":`+strings.Replace(form, "pnpm", "pnqm", 1)+`}`)
		vaulttest.WantKind(t, err, memory.SignatureInvalid)
		if after := g.everything(); after != before {
			t.Errorf("the store holds\n%s\nand held\n%s", after, before)
		}
	})
	t.Run("UMP-2.8-3 a stranger's signature is refused", func(t *testing.T) {
		other := vaulttest.Seeded(t, 11)
		rec := h.MustGet(id)
		hash, err := ump.ContentHash(rec.Form())
		if err != nil {
			t.Fatal(err)
		}
		raw, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(strings.ToUpper(strings.TrimPrefix(hash, "blake3:")))
		if err != nil {
			t.Fatal(err)
		}
		forged := strings.NewReplacer(
			rec.Integrity.Signature, "ed25519:"+base64.StdEncoding.EncodeToString(other.Sign(raw)),
			`"signer":"`+string(h.Key.DID()), `"signer":"`+string(other.DID()),
		).Replace(string(rec.Form()))
		_, err = g.Call(ump.OpRemember, g.Me(), `{"record":`+forged+`}`)
		vaulttest.WantKind(t, err, memory.SignatureInvalid)
		if !errors.Is(err, ump.ErrSigner) {
			t.Fatalf("not refused for its signer: %v", err)
		}
	})
	t.Run("UMP-3.3-11 the same id with another content is refused", func(t *testing.T) {
		_, err := h.Call(ump.OpRemember, h.Me(), `{"record":{"id":"`+string(id)+`","body":{"text":"prefers npm"}}}`)
		vaulttest.WantKind(t, err, memory.InvalidRecord)
		if got := h.MustGet(id); got.Body.Text != "prefers pnpm" {
			t.Fatal("the stored record changed")
		}
	})
	t.Run("UMP-3.3-11 a draft with the client's own id can be sent again", func(t *testing.T) {
		h := open(t)
		body := `{"record":{"id":"urn:ump:retry1","kind":"semantic","body":{"text":"likes quinces"},"lifecycle":{"confidence":0.5}}}`
		if v := h.Must(ump.OpRemember, body); v["result"] != "created" {
			t.Fatalf("result %v", v["result"])
		}
		h.Pass(time.Hour)
		if v := h.Must(ump.OpRemember, body); v["result"] != "merged" || h.Count() != 1 {
			t.Fatalf("result %v with %d records", v["result"], h.Count())
		}
		_, err := h.Call(ump.OpRemember, h.Me(), strings.Replace(body, "0.5", "0.6", 1))
		vaulttest.WantKind(t, err, memory.InvalidRecord)
		h.Must(ump.OpForget, `{"id":"urn:ump:retry1","reason":"other"}`)
		_, err = h.Call(ump.OpRemember, h.Me(), body)
		vaulttest.WantKind(t, err, memory.InvalidRecord)
	})
	t.Run("UMP-3.3-11 the same record again is merged", func(t *testing.T) {
		if v := h.Must(ump.OpRemember, `{"record":`+form+`}`); v["result"] != "merged" {
			t.Fatalf("result %v", v["result"])
		}
	})
	if n := g.Count(); n != 0 {
		t.Fatalf("%d records stored", n)
	}
}

func TestRememberWho(t *testing.T) {
	h := open(t)
	draft := `{"record":{"body":{"text":"prefers pnpm"}}}`
	t.Run("UMP-2.6-3 UMP-2-24 the caller is stamped as the one who said it", func(t *testing.T) {
		v, err := h.Call(ump.OpRemember, h.Agent(), draft)
		if err != nil {
			t.Fatal(err)
		}
		p := h.MustGet(memory.ID(v["id"].(string))).Provenance
		if p == nil || p.ActorKind != memory.ByAgent || p.Method != "remember" || p.Source.Ref != "sess_1" {
			t.Fatalf("provenance %+v", p)
		}
	})
	t.Run("a stranger may not write", func(t *testing.T) {
		_, err := h.Call(ump.OpRemember, memory.Caller{Owner: h.Key.DID()}, draft)
		vaulttest.WantKind(t, err, memory.ForbiddenScope)
	})
	t.Run("nobody may not write", func(t *testing.T) {
		_, err := h.Call(ump.OpRemember, memory.Caller{}, `{"record":{"body":{"text":"y"},"scope":{"owner":"did:key:zX"}}}`)
		vaulttest.WantKind(t, err, memory.Unauthorized)
	})
	t.Run("an agent may not publish", func(t *testing.T) {
		_, err := h.Call(ump.OpRemember, h.Agent(),
			`{"record":{"body":{"text":"y"},"scope":{"owner":"`+string(h.Key.DID())+`","visibility":"public"}}}`)
		vaulttest.WantKind(t, err, memory.ForbiddenScope)
	})
}

func TestConcurrentRemember(t *testing.T) {
	h := open(t)
	var wg sync.WaitGroup
	errs := make(chan error, 64)
	for i := range 16 {
		wg.Go(func() {
			for j := range 4 {
				_, err := h.Call(ump.OpRemember, h.Agent(), fmt.Sprintf(`{"record":{"body":{"text":"fact %d of %d"}}}`, j, i))
				errs <- err
			}
		})
	}
	wg.Wait()
	close(errs)
	for err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
	if n := h.Count(); n != 64 {
		t.Fatalf("%d records, want 64", n)
	}
}

func TestRememberCandidates(t *testing.T) {
	h := open(t)
	id := h.Tell("the deploy needs approval")
	v, err := h.Call(ump.OpRemember, h.Agent(), `{"record":{"body":{"text":"the deploy needs nothing"},
		"lifecycle":{"status":"candidate"},"supersedes":["`+string(id)+`"]}}`)
	if err != nil {
		t.Fatal(err)
	}
	candidate := v["id"].(string)
	t.Run("a candidate ends nothing that is in force", func(t *testing.T) {
		if rec := h.MustGet(id); !rec.Time.ValidTo.IsZero() || len(rec.SupersededBy) > 0 {
			t.Fatalf("the owner's record was closed: %+v", rec)
		}
		vaulttest.WantTexts(t, h.Texts(memory.Query{Text: "deploy"}), "the deploy needs approval")
	})
	t.Run("an agent may not confirm it", func(t *testing.T) {
		for _, patch := range []string{`{"lifecycle":{"status":"active"}}`, `{"lifecycle":{"status":null}}`, `{"lifecycle":null}`} {
			_, err := h.Call(ump.OpRevise, h.Agent(), `{"id":"`+candidate+`","patch":`+patch+`}`)
			if err == nil {
				t.Fatalf("%s was accepted", patch)
			}
		}
		v, err := h.Call(ump.OpRevise, h.Agent(), `{"id":"`+candidate+`","patch":{"body":{"text":"the deploy needs luck"},
			"lifecycle":{"confidence":0.3}}}`)
		if err != nil || h.MustGet(memory.ID(v["id"].(string))).Lifecycle.Status != memory.Candidate {
			t.Fatalf("%v, %v", v, err)
		}
		candidate = v["id"].(string)
	})
	t.Run("the owner may", func(t *testing.T) {
		v := h.Must(ump.OpRevise, `{"id":"`+candidate+`","patch":{"lifecycle":{"status":"active"}}}`)
		if s := h.MustGet(memory.ID(v["id"].(string))).Lifecycle.Status; s != memory.Active {
			t.Fatalf("status %q", s)
		}
	})
}

func TestRememberChains(t *testing.T) { onEach(t, testRememberChains) }

func testRememberChains(t *testing.T, open opener) {
	h := open(t)
	t.Run("a record that comes after its successor is closed by it", func(t *testing.T) {
		h.Tell("Works at Bolt.", `"id":"urn:ump:later"`, `"supersedes":["urn:ump:earlier"]`)
		h.Tell("Works at Acme.", `"id":"urn:ump:earlier"`, `"time":{"created":"2020-01-01T00:00:00Z"}`)
		vaulttest.WantTexts(t, h.Texts(memory.Query{Text: "Works at"}), "Works at Bolt.")
		if all, err := h.History(h.Ctx, h.Me(), "urn:ump:later"); err != nil || len(all) != 2 {
			t.Fatalf("%d versions, %v", len(all), err)
		}
	})
	t.Run("superseding oneself or a tombstone closes nothing", func(t *testing.T) {
		h.Tell("likes tea", `"id":"urn:ump:selfish"`, `"supersedes":["urn:ump:selfish"]`)
		if rec := h.MustGet("urn:ump:selfish"); !rec.Time.ValidTo.IsZero() {
			t.Fatal("it closed itself")
		}
		h.Must(ump.OpForget, `{"id":"urn:ump:selfish","reason":"other"}`)
		h.Tell("likes coffee", `"supersedes":["urn:ump:selfish"]`)
		if rec := h.MustGet("urn:ump:selfish"); len(rec.SupersededBy) > 0 {
			t.Fatalf("the tombstone changed: %v", rec.SupersededBy)
		}
	})
	t.Run("a record that is full stays readable", func(t *testing.T) {
		many := func(from, n int) string {
			refs := make([]string, n)
			for i := range refs {
				refs[i] = fmt.Sprintf(`{"ref":"r%d"}`, from+i)
			}
			return `"provenance":{"actor":"a","actor_kind":"user","method":"m","evidence":[` + strings.Join(refs, ",") + `]}`
		}
		id := h.Tell("has many witnesses", many(0, 9_995))
		h.Must(ump.OpRemember, `{"record":{"body":{"text":"has many witnesses"},`+many(20_000, 10)+`}}`)
		if rec := h.MustGet(id); len(rec.Provenance.Evidence) != 9_995 {
			t.Fatalf("%d pieces of evidence", len(rec.Provenance.Evidence))
		}
	})
}
