package engramhttp_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/engram/engramhttp"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// together is a batch of corrections.
func together(more string, items ...string) string {
	return `{"corrections":[` + strings.Join(items, ",") + `]` + more + `}`
}

func TestBatch(t *testing.T) {
	with := engramhttp.Options{Next: engramhttp.Next{Batch: true}}
	unknown := proposal("belief_id", `"b_999"`)
	t.Run("ENGRAM-12.4-1 each correction has a result of its own", func(t *testing.T) {
		s := serve(t, with)
		s.runtime("full", memory.WriteVerb)
		results := s.do("POST", "/v1/context/correct/batch", together("", proposal(), unknown, proposal("new_value", `"longer"`), proposal("new_value", ""))).object(t, 200)["results"].([]any)
		if len(results) != 4 || len(s.service.cases) != 2 {
			t.Fatalf("%v", results)
		}
		for i, want := range []string{"pending_user_confirmation", "belief_not_found", "pending_user_confirmation", "invalid_request"} {
			got := results[i].(map[string]any)
			if e, ok := got["error"].(map[string]any); ok && (e["code"] != want || got["status"] != "refused" || got["correction_id"] != nil) || !ok && (got["status"] != want || got["correction_id"] == "") || got["index"] != float64(i) {
				t.Errorf("%d is %v", i, got)
			}
		}
	})
	t.Run("ENGRAM-12.4-1 atomic, all or none", func(t *testing.T) {
		for name, bad := range map[string]string{"unknown": unknown, "malformed": proposal("runtime_id", "")} {
			s := serve(t, with)
			results := s.do("POST", "/v1/context/correct/batch", together(`,"atomic":true`, proposal(), bad)).object(t, 200)["results"].([]any)
			if first := results[0].(map[string]any); first["status"] != "not_recorded" || first["correction_id"] != nil || len(s.service.cases) > 0 {
				t.Errorf("%s: %v", name, results)
			}
			if second := results[1].(map[string]any); second["error"] == nil {
				t.Errorf("%s: %v", name, results)
			}
		}
	})
	for name, body := range map[string]string{
		"none": together(""), "no list": `{}`, "another type": `{"corrections":{}}`, "atomic is a text": together(`,"atomic":"yes"`, proposal()),
		"one too many": together("", strings.Split(strings.Repeat(proposal()+"|", 101), "|")[:101]...),
	} {
		t.Run("ENGRAM-12.4-1 refused: "+name, func(t *testing.T) {
			s := serve(t, with)
			s.do("POST", "/v1/context/correct/batch", body).refused(t, 400, engram.InvalidRequest)
		})
	}
	t.Run("ENGRAM-12.4-1 a hundred are taken", func(t *testing.T) {
		var items []string
		for i := range 100 {
			items = append(items, proposal("new_value", fmt.Sprintf(`"%d%s"`, i, strings.Repeat("x", 2000))))
		}
		s := serve(t, with)
		s.do("POST", "/v1/context/correct/batch", together("", items...)).object(t, 200)
		if len(s.service.cases) != 100 {
			t.Errorf("%d", len(s.service.cases))
		}
	})
	t.Run("ENGRAM-12.4-1 a token that only reads proposes none", func(t *testing.T) {
		s := serve(t, with)
		s.runtime("full", memory.ReadVerb)
		s.do("POST", "/v1/context/correct/batch", together("", proposal())).refused(t, 403, engram.Forbidden)
	})
	t.Run("ENGRAM-12.4-2 off, there is no such route", func(t *testing.T) {
		s := serve(t, engramhttp.Options{})
		s.do("POST", "/v1/context/correct/batch", together("", proposal())).refused(t, 404, engram.InvalidRequest)
	})
}

func TestWebFinger(t *testing.T) {
	with := engramhttp.Options{Next: engramhttp.Next{Accounts: []string{"acct:ana@memory.example"}}}
	t.Run("ENGRAM-12.2-1 an account leads to its store", func(t *testing.T) {
		s := serve(t, with)
		s.denied = &memory.Error{Kind: memory.Unauthorized}
		r := s.do("GET", "/.well-known/webfinger?resource=acct:Ana@memory.example", "")
		said := r.object(t, 200)
		links := said["links"].([]any)
		if len(links) != 1 || said["subject"] != "acct:Ana@memory.example" || r.Header.Get("Content-Type") != "application/jrd+json" {
			t.Fatalf("%v %v", said, r.Header)
		}
		if link := links[0].(map[string]any); link["rel"] != "https://engramspec.org/rel/store" || link["href"] != home {
			t.Errorf("%v", link)
		}
		if other := s.do("GET", "/.well-known/webfinger?resource=acct:ana@memory.example&rel=http://x.example/rel", "").object(t, 200)["links"].([]any); len(other) != 0 {
			t.Errorf("%v", other)
		}
	})
	t.Run("ENGRAM-12.2-1 of others nothing is known", func(t *testing.T) {
		s := serve(t, with)
		s.do("GET", "/.well-known/webfinger?resource=acct:bob@memory.example", "").refused(t, 404, engram.InvalidRequest)
		for _, q := range []string{"", "?resource=", "?resource=ana", "?resource=acct:a@b&resource=acct:b@b"} {
			s.do("GET", "/.well-known/webfinger"+q, "").refused(t, 400, engram.InvalidRequest)
		}
	})
	t.Run("ENGRAM-12.2-1 off, there is no such route", func(t *testing.T) {
		serve(t, engramhttp.Options{}).do("GET", "/.well-known/webfinger?resource=acct:ana@memory.example", "").refused(t, 404, engram.InvalidRequest)
	})
}

func TestJWKS(t *testing.T) {
	key, err := keys.FromSeed(make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	set := engram.JWKS([]engram.Key{engram.NewKey("key-2026-06", key.Public(), noon)})
	issuer := func() (engramhttp.Issuer, error) { return engramhttp.Issuer{JWKS: set}, nil }
	t.Run("ENGRAM-3.8-32 the same keys as a JWK set, without a token", func(t *testing.T) {
		s := serve(t, engramhttp.Options{Issuer: issuer, Next: engramhttp.Next{JWKS: true}})
		s.denied = &memory.Error{Kind: memory.Unauthorized}
		r := s.do("GET", "/.well-known/jwks.json", "")
		if !bytes.Equal(r.body, set) || r.Header.Get("Content-Type") != "application/jwk-set+json" {
			t.Errorf("%s %v", r.body, r.Header)
		}
	})
	t.Run("ENGRAM-3.8-32 off, there is no such route and discovery says nothing", func(t *testing.T) {
		s := serve(t, engramhttp.Options{Issuer: issuer})
		s.do("GET", "/.well-known/jwks.json", "").refused(t, 404, engram.InvalidRequest)
		if said := s.do("GET", "/.well-known/engram", "").object(t, 200)["endpoints"].(map[string]any); len(said) != 4 {
			t.Errorf("%v", said)
		}
	})
}
