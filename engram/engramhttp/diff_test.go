package engramhttp_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/engram/engramhttp"
	"github.com/satchel-memory/satchel/memory"
)

func TestDiff(t *testing.T) {
	s := serve(t, engramhttp.Options{})
	for name, query := range map[string]string{
		"none": "", "empty": "since=", "no time": "since=x", "a day": "since=2026-04-19", "twice": "since=2026-04-19T10:00:00Z&since=2026-04-19T10:00:00Z",
	} {
		t.Run("ENGRAM-3.9-DIFF-1 "+name, func(t *testing.T) {
			s.do("GET", "/v1/context/diff?"+query, "").refused(t, 400, engram.InvalidRequest)
		})
	}
	t.Run("ENGRAM-3.9-DIFF-2 ENGRAM-3.9-DIFF-3 ENGRAM-3.9-DIFF-10 all members, and no signature", func(t *testing.T) {
		r := s.do("GET", "/v1/context/diff?since=2026-04-19T10:00:00.1200000Z&scope=minimal", "")
		said := r.object(t, 200)
		if len(said) != 4 || said["since"] != "2026-04-19T10:00:00.1200000Z" || said["engram_version"] != "0.1" {
			t.Errorf("it says %s", r.body)
		}
		changes := said["changes"].(map[string]any)
		beliefs := changes["beliefs"].(map[string]any)
		for _, list := range []any{
			beliefs["added"], beliefs["updated"], beliefs["deleted"],
			changes["corrections"].(map[string]any)["added"], changes["evolution"].(map[string]any)["added"],
		} {
			if items, ok := list.([]any); !ok || len(items) > 0 {
				t.Errorf("it says %s", r.body)
			}
		}
		if _, ok := changes["constraints"]; ok {
			t.Error("constraints are shown in the first edition")
		}
		if s.service.query.Scope != engram.Minimal || !s.service.since.Equal(time.Date(2026, 4, 19, 10, 0, 0, 12e7, time.UTC)) {
			t.Errorf("asked was %+v since %v", s.service.query, s.service.since)
		}
	})
	t.Run("decision E-38 a space is a plus", func(t *testing.T) {
		if said := s.do("GET", "/v1/context/diff?since=2026-04-19T10:00:00+02:00", "").object(t, 200); said["since"] != "2026-04-19T10:00:00+02:00" {
			t.Errorf("since %v", said["since"])
		}
		if s.service.since.Hour() != 8 {
			t.Errorf("asked was since %v", s.service.since)
		}
	})
}

func TestDiscovery(t *testing.T) {
	s := serve(t, engramhttp.Options{})
	said := s.do("GET", "/.well-known/engram", "").object(t, 200)
	t.Run("ENGRAM-3.9-DISC-1 its members", func(t *testing.T) {
		if said["engram_version"] != "0.1" || said["auth_note"] == "" || len(said) != 5 {
			t.Errorf("it says %v", said)
		}
	})
	t.Run("ENGRAM-3.9-DISC-7 who issues tokens, and what a later version does", func(t *testing.T) {
		note, _ := said["auth_note"].(string)
		for _, want := range []string{"The owner of this store issues tokens", "Version 0.2 is to standardise delegation"} {
			if !strings.Contains(note, want) {
				t.Errorf("%q does not say %q", note, want)
			}
		}
	})
	t.Run("ENGRAM-3.9-AUTH-1 every endpoint is there", func(t *testing.T) {
		for _, asked := range []string{"GET /v1/context", "GET /v1/context?scope=minimal", "GET /v1/context?categories=work_style",
			"GET /v1/context/diff?since=2026-01-01T00:00:00Z", "GET /.well-known/engram", "GET /.well-known/engram-keys"} {
			method, target, _ := strings.Cut(asked, " ")
			if got := s.do(method, target, ""); got.StatusCode != 200 {
				t.Errorf("%s: %d %s", asked, got.StatusCode, got.body)
			}
		}
		s.do("POST", "/v1/context/correct", "{}").refused(t, 400, engram.InvalidRequest)
	})
	t.Run("ENGRAM-3.9-DISC-2 endpoints", func(t *testing.T) {
		want := map[string]any{"context": "/v1/context", "correct": "/v1/context/correct", "diff": "/v1/context/diff", "keys": "/.well-known/engram-keys"}
		got := said["endpoints"].(map[string]any)
		for name, path := range want {
			if got[name] != path || s.do("GET", path.(string), "").StatusCode == 404 {
				t.Errorf("%s is at %v", name, got[name])
			}
		}
		if len(got) != len(want) {
			t.Errorf("there are %v", got)
		}
	})
	t.Run("ENGRAM-3.9-AUTH-9 what a later version is to say about consent is not there", func(t *testing.T) {
		for _, path := range []string{"/v1/authorize", "/v1/token", "/v1/token/revoke"} {
			for _, method := range []string{"GET", "POST"} {
				s.do(method, path, "").refused(t, 404, engram.InvalidRequest)
			}
		}
	})
	t.Run("ENGRAM-3.9-DISC-3 scopes", func(t *testing.T) {
		if got := said["scopes_supported"].([]any); !slices.Equal(got, []any{"full", "professional", "personal", "financial", "minimal"}) {
			t.Errorf("there are %v", got)
		}
	})
	t.Run("ENGRAM-3.9-DISC-5 the issuer is that of contexts", func(t *testing.T) {
		d := s.verified(t, s.do("GET", "/v1/context", "")).Document
		if got := said["issuer"].(map[string]any); got["name"] != d.Issuer.Name || got["url"] != d.Issuer.URL {
			t.Errorf("it is %v, and %+v", got, d.Issuer)
		}
	})
	t.Run("ENGRAM-3.8-16 keys", func(t *testing.T) {
		keys := s.do("GET", "/.well-known/engram-keys", "").object(t, 200)["keys"].([]any)
		if len(keys) != 1 || len(keys[0].(map[string]any)) != 6 {
			t.Errorf("there are %v", keys)
		}
	})
}

func TestSchemas(t *testing.T) {
	s := serve(t, engramhttp.Options{})
	s.denied = &memory.Error{Kind: memory.Unauthorized}
	t.Run("ENGRAM-12.3-1 the schemas are served to all", func(t *testing.T) {
		for path, p := range map[string]engram.Profile{"/schema/v0.1.json": engram.StrictWrite, "/schema/v0.1-read.json": engram.TolerantRead} {
			r := s.do("GET", path, "", "Accept: application/schema+json")
			if r.StatusCode != 200 || len(r.body) == 0 || string(r.body) != string(engram.Schema(p)) || r.Header.Get("Content-Type") != "application/schema+json" {
				t.Errorf("%s: status %d, %v", path, r.StatusCode, r.Header)
			}
		}
	})
}
