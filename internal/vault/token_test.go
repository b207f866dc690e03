package vault_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/vaulttest"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

const projectX, projectY = "github.com/o/x", "github.com/o/y"

const shared = `"scope":{"visibility":"shared","project":"` + projectX + `"}`

func TestTokens(t *testing.T) { onEach(t, testTokens) }

func testTokens(t *testing.T, open opener) {
	h := open(t)
	in := h.Tell("the bridge is built of basalt", shared)
	other := h.Tell("the bridge is painted blue", `"scope":{"visibility":"shared","project":"`+projectY+`"}`)
	private := h.Tell("the bridge is guarded by Boris", `"scope":{"project":"`+projectX+`"}`)
	published := h.Tell("the bridge is open to bicycles", `"scope":{"visibility":"public","project":"`+projectX+`"}`)
	reader, _ := h.Bearer(vault.TokenOrder{Project: projectX})
	bridge := memory.Query{Text: "bridge"}

	t.Run("UMP-5.2-1 UMP-2.2-4 recall reaches what is shared within the scope", func(t *testing.T) {
		vaulttest.WantSet(t, h.TextsFor(reader, bridge), "the bridge is built of basalt", "the bridge is open to bicycles")
		asked := bridge
		asked.Scope.Project = projectX
		vaulttest.WantSet(t, h.TextsFor(reader, asked), "the bridge is built of basalt", "the bridge is open to bicycles")
	})
	t.Run("UMP-5.2-1 UMP-3.7-3 another project is forbidden", func(t *testing.T) {
		for _, scope := range []memory.Scope{{Project: projectY}, {Owner: "did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK"}, {Visibility: memory.Private}} {
			_, err := h.Recall(h.Ctx, reader, memory.Query{Text: "bridge", Scope: scope})
			vaulttest.WantKind(t, err, memory.ForbiddenScope)
		}
		_, err := h.Get(h.Ctx, reader, other, memory.CurrentView)
		vaulttest.WantKind(t, err, memory.ForbiddenScope)
	})
	t.Run("UMP-5.2-1 a token for one agent does not reach what another agent keeps, nor what is of none", func(t *testing.T) {
		of := func(agent, text string) memory.ID {
			return h.Tell(text, `"scope":{"visibility":"shared","agent":"`+agent+`"}`)
		}
		of("coder", "the ferry runs at noon")
		foreign := []memory.ID{of("writer", "the ferry is green"), h.Tell("the ferry is full", `"scope":{"visibility":"shared"}`)}
		coder, _ := h.Bearer(vault.TokenOrder{Agent: "coder"})
		vaulttest.WantSet(t, h.TextsFor(coder, memory.Query{Text: "ferry"}), "the ferry runs at noon")
		for _, id := range foreign {
			_, err := h.Get(h.Ctx, coder, id, memory.CurrentView)
			vaulttest.WantKind(t, err, memory.ForbiddenScope)
		}
	})
	t.Run("UMP-2.2-3 what is private is not there", func(t *testing.T) {
		for _, id := range []memory.ID{private, "urn:ump:nothere"} {
			_, err := h.Get(h.Ctx, reader, id, memory.CurrentView)
			vaulttest.WantKind(t, err, memory.NotFound)
		}
		if _, err := h.Get(h.Ctx, h.Granted(memory.Grant{Scope: memory.Scope{Visibility: memory.Private}}), private, memory.CurrentView); err != nil {
			t.Fatalf("a token that reaches what is private: %v", err)
		}
		_, err := h.Get(h.Ctx, h.Granted(memory.Grant{Scope: memory.Scope{Visibility: memory.Public}}), in, memory.CurrentView)
		vaulttest.WantKind(t, err, memory.NotFound)
	})
	t.Run("UMP-5.2-2 a verb that is not granted is forbidden", func(t *testing.T) {
		_, err := h.Call(ump.OpRemember, reader, `{"kind":"semantic","body":{"text":"x"}}`)
		vaulttest.WantKind(t, err, memory.ForbiddenScope)
		_, err = h.Call(ump.OpForget, reader, `{"id":"`+string(in)+`","reason":"incorrect"}`)
		vaulttest.WantKind(t, err, memory.ForbiddenScope)
		_, err = h.Call(ump.OpRevise, reader, `{"id":"`+string(in)+`","patch":{"body":{"text":"x"}}}`)
		vaulttest.WantKind(t, err, memory.ForbiddenScope)
		vaulttest.WantKind(t, h.Feedback(h.Ctx, reader, in, "followed", ""), memory.ForbiddenScope)
		writer, _ := h.Bearer(vault.TokenOrder{Verbs: []memory.Verb{memory.WriteVerb}})
		_, err = h.Recall(h.Ctx, writer, bridge)
		vaulttest.WantKind(t, err, memory.ForbiddenScope)
		_, err = h.Brief(h.Ctx, writer, vault.BriefQuery{})
		vaulttest.WantKind(t, err, memory.ForbiddenScope)
		_, _, err = h.Changes(h.Ctx, writer, memory.Subscription{})
		vaulttest.WantKind(t, err, memory.ForbiddenScope)
	})
	t.Run("UMP-5.2-5 read does not imply export", func(t *testing.T) {
		_, err := h.Export(h.Ctx, reader, vault.ExportQuery{}, func(memory.Record) error { return nil })
		vaulttest.WantKind(t, err, memory.ForbiddenScope)
		exporter, _ := h.Bearer(vault.TokenOrder{Verbs: []memory.Verb{memory.ExportVerb}, Project: projectX})
		var texts []string
		_, err = h.Export(h.Ctx, exporter, vault.ExportQuery{}, func(r memory.Record) error { texts = append(texts, r.Body.Text); return nil })
		if err != nil {
			t.Fatal(err)
		}
		vaulttest.WantSet(t, texts, "the bridge is built of basalt", "the bridge is open to bicycles")
	})
	t.Run("UMP-5.2-7 a token never erases, widens, shares or manages", func(t *testing.T) {
		all, _ := h.Bearer(vault.TokenOrder{Verbs: memory.Verbs(), Project: projectX, Visibility: memory.Private})
		whole, _ := h.Bearer(vault.TokenOrder{Verbs: memory.Verbs()})
		for _, c := range []memory.Caller{all, whole} {
			_, err := h.Forget(h.Ctx, c, memory.ForgetRequest{ID: in, Reason: memory.OtherReason, Hard: true})
			vaulttest.WantKind(t, err, memory.ForbiddenScope)
			_, err = h.Call(ump.OpRevise, c, `{"id":"`+string(private)+`","patch":{"scope":{"visibility":"shared"}}}`)
			vaulttest.WantKind(t, err, memory.ForbiddenScope)
			_, err = h.Call(ump.OpRevise, c, `{"id":"`+string(published)+`","patch":{"body":{"text":"x"}}}`)
			vaulttest.WantKind(t, err, memory.ForbiddenScope)
			_, err = h.Call(ump.OpRemember, c, `{"kind":"semantic","body":{"text":"x"},"scope":{"visibility":"public"}}`)
			vaulttest.WantKind(t, err, memory.ForbiddenScope)
			_, _, err = h.MintToken(h.Ctx, c, vault.TokenOrder{Verbs: memory.Verbs(), Expires: h.Now.Add(time.Hour)})
			vaulttest.WantKind(t, err, memory.ForbiddenScope)
			vaulttest.WantKind(t, h.RevokeToken(h.Ctx, c, "x"), memory.ForbiddenScope)
			_, err = h.Tokens(h.Ctx, c)
			vaulttest.WantKind(t, err, memory.ForbiddenScope)
			_, err = h.EraseOwner(h.Ctx, c)
			vaulttest.WantKind(t, err, memory.ForbiddenScope)
			_, err = h.Audit(h.Ctx, c, 0, 10)
			vaulttest.WantKind(t, err, memory.ForbiddenScope)
		}
	})
	t.Run("a token with all verbs for everything is the owner's agent, one with sub the owner", func(t *testing.T) {
		whole, _ := h.Bearer(vault.TokenOrder{Verbs: memory.Verbs()})
		own, _ := h.Bearer(vault.TokenOrder{Verbs: memory.Verbs(), Own: true})
		if whole.Role != memory.Agent || own.Role != memory.Owner || reader.Role != memory.Peer {
			t.Fatalf("roles %v, %v, %v", whole.Role, own.Role, reader.Role)
		}
	})
}

func TestTokenWrites(t *testing.T) {
	h := open(t)
	in := h.Tell("tea is served at four", shared)
	other := h.Tell("coffee is served at five", `"scope":{"visibility":"shared","project":"`+projectY+`"}`)
	secret := h.Tell("the safe is behind the tea pots", `"scope":{"project":"`+projectX+`"}`)
	writer, _ := h.Bearer(vault.TokenOrder{Verbs: []memory.Verb{memory.ReadVerb, memory.WriteVerb}, Project: projectX})

	t.Run("what it remembers lands in its scope, signed by the owner, and it can see it", func(t *testing.T) {
		v, err := h.Call(ump.OpRemember, writer, `{"kind":"semantic","body":{"text":"tea is best from Assam"}}`)
		if err != nil || v["result"] != "created" {
			t.Fatal(v, err)
		}
		rec := h.MustGet(memory.ID(v["id"].(string)))
		vaulttest.Verified(t, rec)
		if rec.Scope.Project != projectX || rec.Scope.Visibility != memory.Private {
			t.Fatalf("scope %+v", rec.Scope)
		}
		vaulttest.WantSet(t, h.TextsFor(writer, memory.Query{Text: "tea"}), "tea is served at four", "tea is best from Assam")
	})
	t.Run("it is marked as the token's whoever it says asserted it", func(t *testing.T) {
		v, err := h.Call(ump.OpRemember, writer, `{"kind":"semantic","body":{"text":"the owner wants tea at three"},"provenance":{"actor":"did:x:y","actor_kind":"user","method":"user_correction"}}`)
		if err != nil {
			t.Fatal(err)
		}
		if p := h.MustGet(memory.ID(v["id"].(string))).Provenance; len(p.Evidence) != 1 || p.Evidence[0].Ref != writer.Session {
			t.Fatalf("provenance %+v", p)
		}
	})
	t.Run("another project is forbidden", func(t *testing.T) {
		_, err := h.Call(ump.OpRemember, writer, `{"kind":"semantic","body":{"text":"x"},"scope":{"project":"`+projectY+`"}}`)
		vaulttest.WantKind(t, err, memory.ForbiddenScope)
		for _, op := range []struct {
			op   ump.Operation
			body string
		}{{ump.OpRevise, `,"patch":{"body":{"text":"x"}}}`}, {ump.OpForget, `,"reason":"other"}`}} {
			_, err = h.Call(op.op, writer, `{"id":"`+string(other)+`"`+op.body)
			vaulttest.WantKind(t, err, memory.ForbiddenScope)
			_, err = h.Call(op.op, writer, `{"id":"`+string(secret)+`"`+op.body)
			vaulttest.WantKind(t, err, memory.NotFound)
		}
		_, err = h.Call(ump.OpRevise, writer, `{"id":"`+string(in)+`","patch":{"scope":{"project":"`+projectY+`"}}}`)
		vaulttest.WantKind(t, err, memory.ForbiddenScope)
	})
	t.Run("no guess of a hidden text is confirmed by merging", func(t *testing.T) {
		v, err := h.Call(ump.OpRemember, writer, `{"kind":"semantic","body":{"text":"the safe is behind the tea pots"}}`)
		if err != nil || v["result"] != "created" || v["id"] == string(secret) {
			t.Fatal(v, err)
		}
	})
	t.Run("UMP-5.2-4 building on others needs derive", func(t *testing.T) {
		deriver, _ := h.Bearer(vault.TokenOrder{Verbs: []memory.Verb{memory.ReadVerb, memory.WriteVerb, memory.DeriveVerb}, Project: projectX})
		for name, more := range map[string]string{
			"relation":   `"relations":[{"type":"derived_from","target":"` + string(in) + `"}]`,
			"successor":  `"relations":[{"type":"supersedes","target":"` + string(in) + `"}]`,
			"evidence":   `"provenance":{"actor":"a","actor_kind":"agent","method":"m","evidence":[{"ref":"` + string(in) + `"}]}`,
			"supersedes": `"supersedes":["` + string(in) + `"]`,
		} {
			body := `{"kind":"semantic","body":{"text":"tea follows from ` + name + `"},` + more + `}`
			_, err := h.Call(ump.OpRemember, writer, body)
			vaulttest.WantKind(t, err, memory.ForbiddenScope)
			if v, err := h.Call(ump.OpRemember, deriver, body); err != nil || v["result"] != "created" {
				t.Fatalf("%s: %v, %v", name, v, err)
			}
		}
		for _, hidden := range []memory.ID{secret, "urn:ump:nothere"} { // the same, whether it is there or not
			v, err := h.Call(ump.OpRemember, deriver, `{"kind":"semantic","body":{"text":"instead of `+string(hidden)+`"},"supersedes":["`+string(hidden)+`"]}`)
			if err != nil || len(h.MustGet(memory.ID(v["id"].(string))).Supersedes) != 0 {
				t.Fatalf("%v, %v", v, err)
			}
		}
		if rec := h.MustGet(secret); !rec.Time.ValidTo.IsZero() {
			t.Fatal("a token closed what it cannot see")
		}
	})
	t.Run("it revises and forgets what is shared in its scope", func(t *testing.T) {
		id := h.Tell("cake is served at six", shared)
		v, err := h.Call(ump.OpRevise, writer, `{"id":"`+string(id)+`","patch":{"body":{"text":"cake is served at seven"}}}`)
		if err != nil {
			t.Fatal(err)
		}
		if v, err = h.Call(ump.OpForget, writer, `{"id":"`+v["id"].(string)+`","reason":"outdated"}`); err != nil || v["result"] != "tombstoned" {
			t.Fatal(v, err)
		}
	})
	t.Run("UMP-5.2-4 nor does revising get round that", func(t *testing.T) {
		id := h.Tell("jam is served at nine", shared)
		for name, patch := range map[string]string{
			"relation": `"relations":[{"type":"derived_from","target":"` + string(in) + `"}]`,
			"evidence": `"provenance":{"actor":"a","actor_kind":"agent","method":"m","evidence":[{"ref":"` + string(in) + `"}]}`,
		} {
			_, err := h.Call(ump.OpRevise, writer, `{"id":"`+string(id)+`","patch":{`+patch+`}}`)
			if memory.KindOf(err) != memory.ForbiddenScope {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
	t.Run("UMP-5.2-7 no token changes who may see a record, what is done with it, or that it ever held", func(t *testing.T) {
		id := h.Tell("honey is served at ten", shared)
		for _, patch := range []string{`"scope":{"visibility":"private"}`, `"scope":{"visibility":"public"}`, `"consent":{"retention":"PT1S"}`, `"time":{"valid_from":"1900-01-01T00:00:00Z"}`} {
			_, err := h.Call(ump.OpRevise, writer, `{"id":"`+string(id)+`","patch":{`+patch+`}}`)
			if memory.KindOf(err) != memory.ForbiddenScope {
				t.Errorf("%s: %v", patch, err)
			}
		}
	})
	t.Run("a mark in a record opens nothing", func(t *testing.T) {
		id := h.Tell("the vault key hangs in the barn", `"scope":{"project":"`+projectX+`"}`,
			`"provenance":{"actor":"a","actor_kind":"agent","method":"m","source":{"ref":"`+writer.Session+`"},"evidence":[{"ref":"`+writer.Session+`"}]}`)
		_, err := h.Get(h.Ctx, writer, id, memory.CurrentView)
		vaulttest.WantKind(t, err, memory.NotFound)
	})
	t.Run("what is hidden from it cannot be asked for by trying", func(t *testing.T) {
		said := `{"kind":"semantic","body":{"text":"the pin is here","structured":{"pin":4711}},"consent":{"redact":["body.structured.pin"]},"scope":{"visibility":"shared","project":"` + projectX + `"}}`
		if _, err := h.Call(ump.OpRemember, h.Me(), said); err != nil {
			t.Fatal(err)
		}
		private, _ := h.Bearer(vault.TokenOrder{Verbs: memory.Verbs(), Project: projectX, Visibility: memory.Private})
		guess := `{"id":"` + string(secret) + `","kind":"semantic","body":{"text":"the safe is behind the tea pots"},"scope":{"project":"` + projectX + `"}}`
		v, err := h.Call(ump.OpRemember, writer, guess)
		if err != nil || v["id"] == string(secret) || v["result"] == "merged" && v["id"] == string(secret) {
			t.Fatalf("%v, %v", v, err)
		}
		hidden := `{"kind":"semantic","body":{"text":"the pot is old","structured":{"pin":1}},"consent":{"redact":["body.structured.pin"]},"scope":{"project":"` + projectX + `"}}`
		if _, err := h.Call(ump.OpRemember, h.Me(), hidden); err != nil {
			t.Fatal(err)
		}
		if v, err = h.Call(ump.OpRemember, private, hidden); err != nil || v["result"] != "created" {
			t.Fatalf("the right guess of what is redacted: %v, %v", v, err)
		}
		candidate := h.Tell("pancakes on Sunday, perhaps", `"lifecycle":{"status":"candidate"}`, shared)
		forgotten := h.Tell("waffles on Monday", shared)
		h.Must(ump.OpForget, `{"id":"`+string(forgotten)+`","reason":"outdated"}`)
		for _, id := range []memory.ID{candidate, forgotten} {
			_, err = h.Call(ump.OpForget, writer, `{"id":"`+string(id)+`","reason":"other"}`)
			vaulttest.WantKind(t, err, memory.NotFound)
			vaulttest.WantKind(t, h.Feedback(h.Ctx, writer, id, "followed", ""), memory.NotFound)
		}
	})
	t.Run("no receipt of the owner's answers it", func(t *testing.T) {
		patch := []byte(`{"body":{"text":"the safe is under the stairs"}}`)
		if _, err := h.Revise(h.Ctx, h.Me(), memory.Revision{ID: secret, Patch: patch, Key: "k-1"}); err != nil {
			t.Fatal(err)
		}
		for _, key := range []string{"k-1", "k-2"} {
			_, err := h.Revise(h.Ctx, writer, memory.Revision{ID: secret, Patch: patch, Key: key})
			vaulttest.WantKind(t, err, memory.NotFound)
		}
	})
	t.Run("it brings in nothing that is signed, also not what was erased", func(t *testing.T) {
		id := h.Tell("the spare key is in the pot", shared)
		form := h.MustGet(id).Form()
		if _, err := h.Forget(h.Ctx, h.Me(), memory.ForgetRequest{ID: id, Reason: memory.OtherReason, Hard: true}); err != nil {
			t.Fatal(err)
		}
		_, err := h.Call(ump.OpRemember, writer, string(form))
		vaulttest.WantKind(t, err, memory.ForbiddenScope)
	})
	t.Run("erasing what it said takes nothing of the owner's with it", func(t *testing.T) {
		deriver, _ := h.Bearer(vault.TokenOrder{Verbs: []memory.Verb{memory.ReadVerb, memory.WriteVerb, memory.DeriveVerb}, Project: projectX})
		for _, hard := range []bool{true, false} {
			id := h.Tell(fmt.Sprint("supper is at eight, ", hard), shared)
			v, err := h.Call(ump.OpRemember, deriver, `{"kind":"semantic","body":{"text":"supper is never"},"supersedes":["`+string(id)+`"]}`)
			if err != nil || h.MustGet(id).Time.ValidTo.IsZero() {
				t.Fatalf("%v, %v: the test could not fail", v, err)
			}
			if _, err := h.Forget(h.Ctx, h.Me(), memory.ForgetRequest{ID: memory.ID(v["id"].(string)), Reason: memory.Incorrect, Hard: hard}); err != nil {
				t.Fatal(err)
			}
			if rec := h.MustGet(id); !rec.Time.ValidTo.IsZero() {
				t.Errorf("hard %v: the owner's fact stays closed", hard)
			}
		}
	})
	t.Run("it has one voice on a record", func(t *testing.T) {
		id := h.Tell("porridge with salt", shared)
		for range 5 {
			if err := h.Feedback(h.Ctx, writer, id, "contradicted", ""); err != nil {
				t.Fatal(err)
			}
		}
		err := h.Store.View(h.Ctx, h.Key.DID(), func(r store.Reader) error {
			row, err := r.Row(id)
			if err != nil {
				return err
			}
			lessons, err := r.Lessons([]int64{row.Number})
			if err == nil && lessons[0].Contradicted != 1 {
				t.Errorf("%+v", lessons[0])
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	})
	t.Run("keys of requests are its own", func(t *testing.T) {
		d := memory.Draft{Record: memory.Record{Kind: memory.Semantic, Body: memory.Body{Text: "scones"}}, Key: "k1"}
		first, err := h.Remember(h.Ctx, h.Agent(), d)
		if err != nil {
			t.Fatal(err)
		}
		second, err := h.Remember(h.Ctx, writer, d)
		if err != nil || second.ID == first.ID {
			t.Fatalf("%+v, %v", second, err)
		}
	})
}

func TestAdmit(t *testing.T) { onEach(t, testAdmit) }

func testAdmit(t *testing.T, open opener) {
	h := open(t)
	h.Tell("anything")
	mint := func(change func(*ump.Claims)) string {
		c := ump.Claims{Issuer: h.Key.DID(), Verbs: []memory.Verb{memory.ReadVerb}, Expires: h.Now.Add(time.Hour), ID: "j1"}
		if change != nil {
			change(&c)
		}
		token, err := ump.MintToken(c, h.Key)
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	good := mint(nil)
	stranger := vaulttest.Seeded(t, 9)
	foreign, err := ump.MintToken(ump.Claims{Issuer: stranger.DID(), Verbs: []memory.Verb{memory.ReadVerb}, Expires: h.Now.Add(time.Hour), ID: "j"}, stranger)
	if err != nil {
		t.Fatal(err)
	}
	payload := strings.Split(mint(func(c *ump.Claims) { c.Verbs = memory.Verbs() }), ".")[1]
	parts := strings.Split(good, ".")
	for _, c := range []struct {
		name, token string
		want        error
	}{
		{"UMP-5.2-9 expired", mint(func(c *ump.Claims) { c.Expires = h.Now.Add(-2 * time.Minute) }), ump.ErrTokenExpired},
		{"UMP-5.2-9 not yet", mint(func(c *ump.Claims) { c.NotBefore = h.Now.Add(2 * time.Minute) }), ump.ErrTokenEarly},
		{"for another server", mint(func(c *ump.Claims) { c.Audience = "did:web:elsewhere.example" }), ump.ErrTokenAudience},
		{"UMP-5.2-3 widened claims", parts[0] + "." + payload + "." + parts[2], ump.ErrTokenSignature},
		{"UMP-5.2-3 another owner's", foreign, ump.ErrTokenIssuer},
		{"malformed base64", parts[0] + ".!" + parts[1] + "." + parts[2], ump.ErrTokenForm},
		{"100 kB", parts[0] + "." + strings.Repeat("a", 100_000) + "." + parts[2], ump.ErrTokenLong},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := h.Admit(h.Ctx, c.token)
			vaulttest.WantKind(t, err, memory.Unauthorized)
			if !errors.Is(err, c.want) {
				t.Fatalf("got %v, want %v", err, c.want)
			}
		})
	}
	t.Run("for this server, within the skew of clocks", func(t *testing.T) {
		for _, change := range []func(*ump.Claims){
			nil,
			func(c *ump.Claims) { c.Audience = string(h.Key.DID()) },
			func(c *ump.Claims) { c.Expires = h.Now.Add(-30 * time.Second) },
			func(c *ump.Claims) { c.NotBefore = h.Now.Add(30 * time.Second) },
		} {
			if _, err := h.Admit(h.Ctx, mint(change)); err != nil {
				t.Error(err)
			}
		}
	})
	t.Run("UMP-5.2-8 revoked, and only that one", func(t *testing.T) {
		if err := h.RevokeToken(h.Ctx, h.Me(), "j1"); err != nil {
			t.Fatal(err)
		}
		_, err := h.Admit(h.Ctx, good)
		vaulttest.WantKind(t, err, memory.Unauthorized)
		if !errors.Is(err, ump.ErrTokenRevoked) {
			t.Fatal(err)
		}
		if _, err := h.Admit(h.Ctx, mint(func(c *ump.Claims) { c.ID = "j2" })); err != nil {
			t.Fatal(err)
		}
		grants, err := h.Tokens(h.Ctx, h.Me())
		if err != nil || len(grants) != 1 || grants[0].Revoked.IsZero() {
			t.Fatalf("%+v, %v", grants, err)
		}
	})
}

func TestErasureEndsTokens(t *testing.T) { onEach(t, testErasureEndsTokens) }

// testErasureEndsTokens looks at what is left of tokens when everything of
// their owner's is erased.
func testErasureEndsTokens(t *testing.T, open opener) {
	h := open(t)
	mint := func(good time.Duration) (string, string) {
		token, g, err := h.MintToken(h.Ctx, h.Me(), vault.TokenOrder{
			Verbs: []memory.Verb{memory.ReadVerb}, Name: "of a friend", Expires: h.Now.Add(good)})
		if err != nil {
			t.Fatal(err)
		}
		return token, g.ID
	}
	token, id := mint(time.Hour)
	_, short := mint(time.Minute)
	good, _ := mint(time.Hour)
	for _, id := range []string{id, short} {
		if err := h.RevokeToken(h.Ctx, h.Me(), id); err != nil {
			t.Fatal(err)
		}
	}
	h.Now = h.Now.Add(10 * time.Minute)
	if _, err := h.EraseOwner(h.Ctx, h.Me()); err != nil {
		t.Fatal(err)
	}
	for _, token := range []string{token, good} {
		if _, err := h.Admit(h.Ctx, token); !errors.Is(err, ump.ErrTokenRevoked) {
			t.Errorf("a token of before: %v", err)
		}
	}
	left, err := h.Tokens(h.Ctx, h.Me())
	if err != nil || len(left) != 2 || slices.ContainsFunc(left, func(g store.Grant) bool {
		return g.ID == short || g.Claims != nil || g.Name != ""
	}) {
		t.Errorf("left of tokens: %+v, %v", left, err)
	}
	h.Healthy()
}
