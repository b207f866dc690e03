package engramhttp_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/engram/engramhttp"
	"github.com/satchel-memory/satchel/memory"
)

// verified reads a context and verifies it with the keys that are served.
func (s *site) verified(t *testing.T, r reply) engram.Verdict {
	t.Helper()
	v, err := engram.Verify(r.body, engram.VerifyOptions{Issuer: home, Now: s.now, Keys: func(bool) ([]engram.Key, error) {
		return engram.DecodeKeys(s.do("GET", "/.well-known/engram-keys", "").body)
	}})
	if err != nil {
		t.Fatalf("status %d, %v: %s", r.StatusCode, err, r.body)
	}
	return v
}

func TestContext(t *testing.T) {
	t.Run("ENGRAM-3.9-CTX-1 ENGRAM-3.9-CTX-2 a full context has all members and is signed", func(t *testing.T) {
		s := serve(t, engramhttp.Options{})
		r := s.do("GET", "/v1/context", "", "Accept: application/json")
		s.verified(t, r)
		said := r.object(t, 200)
		for _, name := range strings.Fields("engram_version schema issued_at expires_at kid issuer subject scope signature identity beliefs evolution corrections") {
			if _, ok := said[name]; !ok {
				t.Errorf("it has no %s: %s", name, r.body)
			}
		}
		if said["scope"] != "full" || r.Header.Get("Content-Type") != "application/json" || r.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("scope %v, headers %v", said["scope"], r.Header)
		}
		if _, ok := said["constraints"]; ok {
			t.Error("constraints are shown in the first edition")
		}
	})
	t.Run("constraints are in contexts of edition 0.1.2", func(t *testing.T) {
		s := serve(t, engramhttp.Options{Constraints: true})
		if _, ok := s.do("GET", "/v1/context", "").object(t, 200)["constraints"]; !ok {
			t.Error("there are none")
		}
	})
	t.Run("HEAD says what GET does, without the body", func(t *testing.T) {
		s := serve(t, engramhttp.Options{})
		get, head := s.do("GET", "/v1/context", ""), s.do("HEAD", "/v1/context", "")
		if head.StatusCode != 200 || head.Header.Get("Content-Length") != get.Header.Get("Content-Length") || len(head.body) > 0 {
			t.Errorf("status %d, %v, %d bytes", head.StatusCode, head.Header, len(head.body))
		}
	})
	t.Run("ENGRAM-3.9-CTX-3 JSON is what there is", func(t *testing.T) {
		s := serve(t, engramhttp.Options{})
		for _, accept := range []string{"application/json", "*/*", "application/*", "text/html, application/json;q=0.5", "application/json; charset=utf-8"} {
			s.verified(t, s.do("GET", "/v1/context", "", "Accept: "+accept))
		}
		for _, accept := range []string{"text/html", "application/json;q=0", "application/json;q=0.00, text/plain"} {
			s.do("GET", "/v1/context", "", "Accept: "+accept).refused(t, 406, engram.InvalidRequest)
		}
	})
	t.Run("decision E-11 what waits is left out where that is said", func(t *testing.T) {
		s := serve(t, engramhttp.Options{NoPending: true})
		if s.do("GET", "/v1/context", ""); !s.service.query.NoPending {
			t.Error("it was asked for")
		}
	})
	t.Run("without a key nothing is sent", func(t *testing.T) {
		s := serve(t, engramhttp.Options{Issuer: func() (engramhttp.Issuer, error) { return engramhttp.Issuer{}, nil }})
		s.do("GET", "/v1/context", "").refused(t, 503, engram.ServerError)
		if s.service.reads > 0 {
			t.Error("the memory was read for nothing")
		}
	})
}

func TestScopes(t *testing.T) {
	s := serve(t, engramhttp.Options{})
	t.Run("ENGRAM-3.9-SCOPE-1 ENGRAM-3.9-DISC-4 every scope that is offered works", func(t *testing.T) {
		for _, scope := range engram.Scopes() {
			if v := s.verified(t, s.do("GET", "/v1/context?scope="+string(scope), "")); v.Document.Scope != scope {
				t.Errorf("%s is answered with %s", scope, v.Document.Scope)
			}
		}
	})
	t.Run("ENGRAM-3.9-SCOPE-2 the signature covers what is included", func(t *testing.T) {
		r := s.do("GET", "/v1/context?scope=minimal", "")
		s.verified(t, r)
		if bytes.Contains(r.body, []byte("nuts")) {
			t.Errorf("health is in the minimal scope: %s", r.body)
		}
	})
	for query, rule := range map[string]string{
		"scope=work": "ENGRAM-3.9-SCOPE-3 ENGRAM-3.9-ERR-7 unknown", "scope=": "ENGRAM-3.9-SCOPE-3 ENGRAM-3.9-ERR-7 empty", "scope": "ENGRAM-3.9-SCOPE-3 bare",
		"scope=full&scope=minimal": "ENGRAM-3.9-SCOPE-3 two", "scope=custom": "ENGRAM-3.9-SCOPE-4 custom alone",
		"scope=Professional": "ENGRAM-3.9-SCOPE-5 another case", "scope=professional&categories=health": "ENGRAM-3.9-CAT-5 outside",
	} {
		t.Run(rule, func(t *testing.T) { s.do("GET", "/v1/context?"+query, "").refused(t, 400, engram.InvalidScope) })
	}
	for query, rule := range map[string]string{
		"categories=communication,work_style": "ENGRAM-3.9-CAT-3 joined", "categories=foo": "ENGRAM-3.9-CAT-4 unknown",
		"categories=": "ENGRAM-3.9-CAT-4 empty", "category=health": "a misspelt parameter", "scope=%zz": "a broken query",
	} {
		t.Run(rule, func(t *testing.T) {
			message := s.do("GET", "/v1/context?"+query, "").refused(t, 400, engram.InvalidRequest)
			if strings.Contains(rule, "joined") && !strings.Contains(message, "communication,work_style") {
				t.Errorf("it does not name the category: %s", message)
			}
		})
	}
	t.Run("ENGRAM-3.9-CAT-1 ENGRAM-3.9-CAT-2 a list of categories is custom", func(t *testing.T) {
		for _, query := range []string{"categories=health&categories=values&categories=health", "scope=custom&categories=health&categories=values"} {
			v := s.verified(t, s.do("GET", "/v1/context?"+query, ""))
			if d := v.Document; d.Scope != engram.Custom || len(d.Beliefs) != 1 || d.Beliefs[0].ID != diet ||
				len(d.Definition.Included) != 2 || d.Definition.Included[0] != engram.Health {
				t.Errorf("%s: scope %s, %+v, %+v", query, d.Scope, d.Definition, d.Beliefs)
			}
		}
	})
	t.Run("ENGRAM-3.9-CAT-5 scope and categories intersect", func(t *testing.T) {
		v := s.verified(t, s.do("GET", "/v1/context?scope=professional&categories=values", ""))
		if len(v.Document.Beliefs) > 0 {
			t.Errorf("there are %+v", v.Document.Beliefs)
		}
	})
}

func TestWhoMayHaveContext(t *testing.T) {
	t.Run("ENGRAM-3.9-AUTH-2 ENGRAM-3.9-ERR-2 ENGRAM-3.9-ERR-1 ENGRAM-3.9-DIFF-16 nobody without a token", func(t *testing.T) {
		s := serve(t, engramhttp.Options{})
		s.denied = &memory.Error{Kind: memory.Unauthorized}
		for _, at := range []string{"GET /v1/context", "GET /v1/context/diff", "POST /v1/context/correct", "GET /v1/context/corrections", "POST /v1/context/corrections/x/confirm"} {
			method, path, _ := strings.Cut(at, " ")
			r := s.do(method, path, "")
			r.refused(t, 401, engram.Unauthorized)
			if !strings.HasPrefix(r.Header.Get("WWW-Authenticate"), "Bearer") {
				t.Errorf("%s: headers %v", at, r.Header)
			}
		}
	})
	t.Run("ENGRAM-3.9-AUTH-4 ENGRAM-3.9-ERR-3 a token that has expired is told so", func(t *testing.T) {
		s := serve(t, engramhttp.Options{})
		s.denied = &engram.Fault{Code: engram.TokenExpired, Detail: "over"}
		s.do("GET", "/v1/context", "").refused(t, 401, engram.TokenExpired)
	})
	t.Run("decision E-49 a runtime has what its token is for", func(t *testing.T) {
		s := serve(t, engramhttp.Options{})
		s.runtime("minimal", memory.ReadVerb)
		if v := s.verified(t, s.do("GET", "/v1/context", "")); v.Document.Scope != engram.Minimal {
			t.Errorf("scope %s", v.Document.Scope)
		}
		s.do("GET", "/v1/context?scope=full", "").refused(t, 403, engram.Forbidden)
	})
	t.Run("ENGRAM-3.9-AUTH-5 verbs", func(t *testing.T) {
		s := serve(t, engramhttp.Options{})
		s.runtime("full", memory.ReadVerb)
		s.do("POST", "/v1/context/correct", proposal()).refused(t, 403, engram.Forbidden)
		s.runtime("full", memory.WriteVerb)
		s.do("GET", "/v1/context", "").refused(t, 403, engram.Forbidden)
		s.do("GET", "/v1/context/diff?since=2026-06-01T00:00:00Z", "").refused(t, 403, engram.Forbidden)
		if len(s.told) != 3 || s.service.state > 0 {
			t.Errorf("told of %v, state %d", s.told, s.service.state)
		}
	})
	t.Run("other tokens, and strangers who were let in, have nothing", func(t *testing.T) {
		s := serve(t, engramhttp.Options{})
		s.who = memory.Caller{Owner: s.who.Owner, Role: memory.Peer, Grant: &memory.Grant{Verbs: memory.Verbs()}}
		if message := s.do("GET", "/v1/context", "").refused(t, 403, engram.Forbidden); !strings.Contains(message, "--runtime") {
			t.Errorf("it says %s", message)
		}
		s.who = memory.Caller{Owner: s.who.Owner}
		s.do("GET", "/v1/context", "").refused(t, 403, engram.Forbidden)
	})
	t.Run("ENGRAM-3.9-ERR-5 ENGRAM-3.9-CTX-5 a subject of whom nothing is kept", func(t *testing.T) {
		for _, err := range []error{&memory.Error{Kind: memory.NotFound}, &engram.Fault{Code: engram.UserNotFound}} {
			s := serve(t, engramhttp.Options{})
			s.service.fails = err
			s.do("GET", "/v1/context", "").refused(t, 404, engram.UserNotFound)
			s.do("GET", "/v1/context/diff?since=2026-06-01T00:00:00Z", "").refused(t, 404, engram.UserNotFound)
		}
	})
	t.Run("ENGRAM-3.9-AUTH-7 discovery and keys are for all", func(t *testing.T) {
		s := serve(t, engramhttp.Options{})
		s.denied = &memory.Error{Kind: memory.Unauthorized}
		for _, path := range []string{"/.well-known/engram", "/.well-known/engram-keys"} {
			if r := s.do("GET", path, ""); r.StatusCode != http.StatusOK {
				t.Errorf("%s: status %d", path, r.StatusCode)
			}
		}
	})
}
