package engramhttp_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/engram/engramhttp"
	"github.com/satchel-memory/satchel/memory"
)

// proposal is a correction as a runtime sends it; changes are name and JSON value in
// turn, and a value "" leaves the member out.
func proposal(changes ...string) string {
	body := map[string]json.RawMessage{
		"belief_id": json.RawMessage(`"` + style + `"`), "new_value": json.RawMessage(`"long"`), "context": json.RawMessage(`"in a session"`),
		"runtime_id": json.RawMessage(`"notes-v1"`), "timestamp": json.RawMessage(`"2026-06-01T11:00:00+02:00"`),
	}
	for i := 0; i < len(changes); i += 2 {
		body[changes[i]] = json.RawMessage(changes[i+1])
		if changes[i+1] == "" {
			delete(body, changes[i])
		}
	}
	raw, err := json.Marshal(maps.Clone(body))
	if err != nil {
		panic(err)
	}
	return string(raw)
}

func TestCorrect(t *testing.T) {
	t.Run("ENGRAM-3.9-CORR-10 a correction is recorded and waits", func(t *testing.T) {
		s := serve(t, engramhttp.Options{})
		s.runtime("full", memory.WriteVerb)
		r := s.do("POST", "/v1/context/correct", proposal())
		said := r.object(t, 201)
		if len(said) != 4 || said["belief_id"] != style || said["status"] != "pending_user_confirmation" || !engram.IsID(said["correction_id"].(string)) ||
			said["message"] != "Correction recorded. Awaiting user confirmation before becoming authoritative." {
			t.Errorf("it says %s", r.body)
		}
		c := s.service.cases[0]
		if c.Runtime != "notes-v1" || c.New != "long" || c.Context != "in a session" || !c.ObservedAt.Equal(noon.Add(-3*60*60*1e9)) {
			t.Errorf("recorded is %+v", c)
		}
	})
	for name, body := range map[string]string{
		"ENGRAM-3.9-CORR-4 no belief_id":          proposal("belief_id", ""),
		"ENGRAM-3.9-CORR-4 a number for a belief": proposal("belief_id", "5"),
		"ENGRAM-3.9-CORR-5 no new_value":          proposal("new_value", ""),
		"ENGRAM-3.9-CORR-5 an empty new_value":    proposal("new_value", `""`),
		"ENGRAM-3.9-CORR-5 a number":              proposal("new_value", "5"),
		"ENGRAM-3.9-CORR-6 a context of a number": proposal("context", "5"),
		"ENGRAM-3.9-CORR-7 no runtime_id":         proposal("runtime_id", ""),
		"ENGRAM-3.9-CORR-7 an empty runtime_id":   proposal("runtime_id", `""`),
		"ENGRAM-3.9-CORR-7 two lines":             proposal("runtime_id", `"a\nb"`),
		"ENGRAM-3.9-CORR-8 no timestamp":          proposal("timestamp", ""),
		"ENGRAM-3.9-CORR-8 no time":               proposal("timestamp", `"now"`),
		"ENGRAM-3.9-CORR-11 an array":             "[]",
		"ENGRAM-3.9-CORR-11 no JSON":              "x",
		"ENGRAM-3.9-ERR-8 a broken object":        "{",
		"ENGRAM-3.9-CORR-11 nothing":              "",
		"ENGRAM-3.9-CORR-11 a member twice":       strings.Replace(proposal(), "{", `{"new_value":"x",`, 1),
		"ENGRAM-3.9-CORR-17 several corrections":  `{"corrections":[` + proposal() + `]}`,
		"ENGRAM-3.9-CORR-17 a list of them":       `[` + proposal() + `]`,
		"a value that is too long":                proposal("new_value", `"`+strings.Repeat("x", 17<<10)+`"`),
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, engramhttp.Options{})
			s.do("POST", "/v1/context/correct", body).refused(t, 400, engram.InvalidRequest)
			if len(s.service.cases) > 0 {
				t.Error("something was recorded")
			}
		})
	}
	s := serve(t, engramhttp.Options{})
	t.Run("ENGRAM-3.9-CORR-6 a context may be left out", func(t *testing.T) {
		s.do("POST", "/v1/context/correct", proposal("context", "")).object(t, 201)
		s.do("POST", "/v1/context/correct", proposal("context", "null", "new_value", `"other"`)).object(t, 201)
	})
	t.Run("ENGRAM-3.9-ERR-6 ENGRAM-3.9-ERR-12 ENGRAM-3.9-CORR-4 an unknown belief is named", func(t *testing.T) {
		for _, id := range []string{"b_999", engram.IDFrom("nobody's")} {
			message := s.do("POST", "/v1/context/correct", proposal("belief_id", `"`+id+`"`)).refused(t, 404, engram.BeliefNotFound)
			if message != "No belief with id "+id+" exists for this user" {
				t.Errorf("it says %s", message)
			}
		}
	})
	t.Run("ENGRAM-3.9-CORR-11 of another type", func(t *testing.T) {
		for _, media := range []string{"text/plain", "application/x-www-form-urlencoded", "application/json; charset=utf-16", ""} {
			s.do("POST", "/v1/context/correct", proposal(), "Content-Type: "+media).refused(t, 400, engram.InvalidRequest)
		}
		s.do("POST", "/v1/context/correct", proposal(), "Content-Encoding: gzip").refused(t, 400, engram.InvalidRequest)
	})
	t.Run("decision E-35 too large", func(t *testing.T) {
		s.do("POST", "/v1/context/correct", proposal("x", `"`+strings.Repeat("x", 64<<10)+`"`)).refused(t, 413, engram.InvalidRequest)
	})
	t.Run("decision E-32 a server that only reads", func(t *testing.T) {
		s.service.fails = &memory.Error{Kind: memory.Unsupported, Message: "this server is read-only"}
		s.do("POST", "/v1/context/correct", proposal()).refused(t, 403, engram.Forbidden)
	})
}

func TestVersions(t *testing.T) {
	s := serve(t, engramhttp.Options{})
	for _, v := range []string{"0.1", "0.2", "0.10", "0.1.2"} {
		if r := s.do("GET", "/v1/context?engram_version="+v, "", "Engram-Version: "+v); r.StatusCode != 200 {
			t.Errorf("ENGRAM-3.10-5 %s: status %d", v, r.StatusCode)
		}
	}
	for _, v := range []string{"1.0", "2.0", "abc", "0", "-1.0"} {
		t.Run("ENGRAM-3.10-9 ENGRAM-3.9-ERR-10 "+v, func(t *testing.T) {
			for _, r := range []reply{
				s.do("GET", "/v1/context?engram_version="+v, ""),
				s.do("GET", "/.well-known/engram", "", "Engram-Version: "+v),
				s.do("POST", "/v1/context/correct", proposal("engram_version", `"`+v+`"`)),
			} {
				if message := r.refused(t, 400, engram.UnsupportedVersion); message != "Supported versions: 0.x" {
					t.Errorf("it says %s", message)
				}
			}
		})
	}
	t.Run("ENGRAM-3.10-9 a number is no version", func(t *testing.T) {
		s.do("POST", "/v1/context/correct", proposal("engram_version", "0.1")).refused(t, 400, engram.UnsupportedVersion)
	})
	s.do("POST", "/v1/context/correct", proposal("engram_version", `"0.1"`)).object(t, 201)
}

func TestErrors(t *testing.T) {
	s := serve(t, engramhttp.Options{})
	t.Run("ENGRAM-3.9-ERR-13 ways that are not there", func(t *testing.T) {
		for _, path := range []string{"/v1/nope", "/v1/context/", "/v1/context/correct/batch", "/v1/context/subscribe", "/v1/context/corrections/confirm", "/v1/context/corrections/x/undo"} {
			s.do("GET", path, "").refused(t, 404, engram.InvalidRequest)
		}
	})
	t.Run("ENGRAM-3.9-ERR-13 methods that are not", func(t *testing.T) {
		for at, allow := range map[string]string{
			"PUT /v1/context": "GET, HEAD", "GET /v1/context/correct": "POST", "DELETE /v1/context/diff": "GET, HEAD",
			"OPTIONS /.well-known/engram-keys": "GET, HEAD", "GET /v1/context/corrections/x/confirm": "POST",
		} {
			method, path, _ := strings.Cut(at, " ")
			r := s.do(method, path, "")
			r.refused(t, 405, engram.InvalidRequest)
			if got := r.Header.Get("Allow"); got != allow {
				t.Errorf("%s: allowed is %q", at, got)
			}
		}
	})
	t.Run("ENGRAM-3.9-ERR-11 a failure tells nothing and is reported", func(t *testing.T) {
		s.service.fails = &memory.Error{Kind: memory.Internal, Message: "disk sda1", Err: errors.New("sda1 is broken")}
		if message := s.do("GET", "/v1/context", "").refused(t, 500, engram.ServerError); strings.Contains(message, "sda1") {
			t.Errorf("it says %s", message)
		}
		if len(s.causes) != 1 || !errors.Is(s.causes[0], s.service.fails) {
			t.Errorf("reported is %v", s.causes)
		}
	})
	t.Run("a failure that passes", func(t *testing.T) {
		s.service.fails = &memory.Error{Kind: memory.Internal, Err: memory.ErrUnavailable}
		if r := s.do("GET", "/v1/context", ""); r.Header.Get("Retry-After") == "" {
			t.Errorf("headers %v", r.Header)
		} else {
			r.refused(t, 503, engram.ServerError)
		}
	})
	t.Run("ENGRAM-3.9-ERR-9 too many", func(t *testing.T) {
		s.service.fails = &memory.Error{Kind: memory.RateLimited}
		if r := s.do("GET", "/v1/context", ""); r.Header.Get("Retry-After") == "" {
			t.Errorf("headers %v", r.Header)
		} else {
			r.refused(t, 429, engram.RateLimited)
		}
	})
}

func TestSecretsOfCorrections(t *testing.T) {
	secret := "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
	const masked = " 1 secret in the text was masked with [SECRET-REDACTED]."
	s := serve(t, engramhttp.Options{Constraints: true, Next: engramhttp.Next{Batch: true}})
	s.runtime("full", memory.WriteVerb)
	said := s.do("POST", "/v1/context/correct", proposal("new_value", `"key `+secret+`"`)).object(t, 201)
	if message, _ := said["message"].(string); !strings.HasSuffix(message, masked) || s.service.cases[0].New != "key [SECRET-REDACTED]" {
		t.Errorf("%v, recorded %+v", said, s.service.cases[0])
	}
	said = s.do("POST", "/v1/context/correct/batch", `{"corrections":[`+proposal("context", `"said `+secret+`"`)+`]}`).object(t, 200)
	if result := said["results"].([]any)[0].(map[string]any); " "+fmt.Sprint(result["message"]) != masked {
		t.Errorf("%v", result)
	}
	said = s.do("POST", "/v1/context/constrain", strings.Replace(rule, "Never use emoji", "Never use "+secret, 1)).object(t, 201)
	if message, _ := said["message"].(string); !strings.HasSuffix(message, masked) || said["rule"] != "Never use [SECRET-REDACTED]" {
		t.Errorf("%v", said)
	}
}
