package engram_test

import (
	"crypto/ed25519"
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/keys"
)

// reason returns why an export is refused; empty: it is not.
func reason(t testing.TB, raw []byte, o engram.VerifyOptions) engram.Reason {
	t.Helper()
	got, err := engram.Verify(raw, o)
	if err == nil {
		return ""
	}
	if got.Document.Version != "" || got.Trust != "" {
		t.Errorf("a refused export is handed on: %+v", got)
	}
	r, ok := err.(*engram.Refusal)
	if !ok || r.Rule == "" || r.Error() == "" {
		t.Fatalf("got %v", err)
	}
	return r.Reason
}

func expected(t testing.TB) engram.VerifyOptions {
	t.Helper()
	return engram.VerifyOptions{Issuer: "https://harbour.example", Keys: listed(testListed(t)), Now: noon(t)}
}

// resigned edits an export and signs what comes out with the test key over the bytes
// that form makes of it.
func resigned(t testing.TB, v canon.Value, form func(canon.Value) []byte) []byte {
	t.Helper()
	v = v.Without("signature")
	signature := base64.RawURLEncoding.EncodeToString(testKey(t).Sign(form(v)))
	return v.With("signature", canon.String(signature)).Append(nil)
}

func jcs(v canon.Value) []byte { return v.AppendCanonical(nil) }

func TestIssue(t *testing.T) {
	raw := issued(t)
	v := tree(t, string(raw))
	t.Run("ENGRAM-3.8-7 ENGRAM-3.8-1 the signature is 64 bytes of Ed25519 in base64url, over everything else", func(t *testing.T) {
		sig, err := base64.RawURLEncoding.DecodeString(v.Get("signature").Text())
		if err != nil || !ed25519.Verify(testKey(t).Public(), v.Without("signature").AppendCanonical(nil), sig) {
			t.Errorf("got %s, %v", v.Get("signature").Text(), err)
		}
	})
	t.Run("ENGRAM-3.8-5 numbers are canonical on the wire", func(t *testing.T) {
		if string(v.AppendCanonical(nil)) != string(raw) {
			t.Errorf("not canonical: %s", raw)
		}
		for _, want := range []string{`"confidence":0.9,`, `"confidence":1,`} {
			if !strings.Contains(string(raw), want) {
				t.Errorf("no %s in %s", want, raw)
			}
		}
	})
	t.Run("ENGRAM-3.8-1 signing is deterministic", func(t *testing.T) {
		if string(issued(t)) != string(raw) {
			t.Error("two signatures of the same")
		}
	})
	t.Run("ENGRAM-3.2-6 an export lives for 12 hours", func(t *testing.T) {
		if v.Get("issued_at").Text() != "2026-05-01T12:00:00Z" || v.Get("expires_at").Text() != "2026-05-02T00:00:00Z" {
			t.Errorf("got %s and %s", v.Get("issued_at").Text(), v.Get("expires_at").Text())
		}
	})
	t.Run("ENGRAM-3.2-22 times are UTC with whole seconds", func(t *testing.T) {
		s := signer(t)
		s.Lifetime = 90 * time.Minute
		out, err := s.Issue(view(t), noon(t).In(time.FixedZone("x", 3600)).Add(999*time.Millisecond))
		if err != nil {
			t.Fatal(err)
		}
		got := tree(t, string(out))
		if got.Get("issued_at").Text() != "2026-05-01T12:00:00Z" || got.Get("expires_at").Text() != "2026-05-01T13:30:00Z" {
			t.Errorf("got %s", out)
		}
	})
	t.Run("ENGRAM-3.2-4 what is issued is valid", func(t *testing.T) {
		if got := engram.Validate(raw, true); len(got) != 0 {
			t.Errorf("got %+v", got)
		}
		checkSchema(t, schema(t, engram.StrictWrite), raw, false)
	})
	t.Run("ENGRAM-3.9-CTX-2 every member is there, the empty ones too", func(t *testing.T) {
		out, err := signer(t).Issue(engram.View{Subject: engram.Subject{ID: engram.SubjectID("did:key:z6Mk")}, Scope: engram.Full,
			Memory: engram.Memory{Identity: engram.Identity{DisplayName: "Owner", Timezone: "UTC"}}}, noon(t))
		if err != nil {
			t.Fatal(err)
		}
		if got := engram.Validate(out, true); len(got) != 0 {
			t.Errorf("got %+v", got)
		}
		for _, name := range []string{"beliefs", "evolution", "corrections"} { // ENGRAM-3.1-1, ENGRAM-3.1-2
			if got := tree(t, string(out)).Get(name); got.Type() != canon.TypeArray || got.Len() != 0 {
				t.Errorf("%s is %s", name, got.Append(nil))
			}
		}
	})
	t.Run("ENGRAM-3.7-21 a scope is signed by itself, and has no name where it has little", func(t *testing.T) {
		w := view(t)
		w.Scope = engram.Financial
		w.Definition = engram.Query{Scope: engram.Financial}.Definition()
		out, err := signer(t).Issue(w, noon(t))
		if err != nil {
			t.Fatal(err)
		}
		got := tree(t, string(out))
		if got.Get("subject").Has("display_name") || got.Get("signature").Text() == v.Get("signature").Text() {
			t.Errorf("got %s", out)
		}
		if why := reason(t, out, expected(t)); why != "" {
			t.Error(why)
		}
	})
	t.Run("ENGRAM-12.6-4 without a key nothing is issued", func(t *testing.T) {
		for name, edit := range map[string]func(*engram.Signer){
			"key": func(s *engram.Signer) { s.Key = keys.Private{} }, "kid": func(s *engram.Signer) { s.Kid = "" },
			"name": func(s *engram.Signer) { s.Name = "" }, "url": func(s *engram.Signer) { s.URL = "harbour.example" },
			"lifetime": func(s *engram.Signer) { s.Lifetime = -1 },
		} {
			s := signer(t)
			edit(&s)
			if _, err := s.Issue(view(t), noon(t)); err == nil {
				t.Errorf("issued without %s", name)
			}
		}
	})
}
