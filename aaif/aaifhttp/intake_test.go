package aaifhttp_test

import (
	"bytes"
	"errors"
	"io"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/aaifhttp"
	"github.com/satchel-memory/satchel/aaif/aaiftest"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

func cbor(t testing.TB, raw []byte) string {
	t.Helper()
	v, err := aaif.FromJSON(raw, aaif.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	b, err := aaif.ToCBOR(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestIntake(t *testing.T) {
	post := func(s *site, body []byte, header ...string) said {
		return s.do("POST", "/aaif/agents", string(body), header...)
	}
	t.Run("AAIF-7-16_a_definition_is_taken_in", func(t *testing.T) {
		s := serve(t, aaifhttp.Options{})
		got := post(s, aaiftest.Definition(aaiftest.AgentID, "", "memory.vector"))
		v := got.object(t, 201)
		if v.Get("agent_id").Text() != aaiftest.AgentID || v.Get("revision").Float() != 1 || v.Get("level").Len() == 0 || v.Get("warnings").Len() == 0 ||
			v.Get("negotiation").Get("verdict").Text() != "degraded" || v.Get("disabled").Len() == 0 {
			t.Errorf("%s", got.body)
		}
		if at := got.Header.Get("Location"); at != "/aaif/agents/"+aaiftest.AgentID+"?revision=1" {
			t.Errorf("it is at %q", at)
		}
		if v := post(s, aaiftest.Definition(aaiftest.AgentID, "", "memory.vector")).object(t, 200); !v.Get("unchanged").True() {
			t.Error("the same once more is a change")
		}
		if v := post(s, aaiftest.Definition(aaiftest.AgentID, "")).object(t, 201); v.Get("revision").Float() != 2 {
			t.Error("another one is not the second revision")
		}
	})
	t.Run("AAIF-7-16_all_that_is_wrong_is_listed", func(t *testing.T) {
		s := serve(t, aaifhttp.Options{})
		v := post(s, []byte(`{"sc_standard":"SC-006","agent":{"name":"","tools":[{}]}}`)).refused(t, 422, aaif.SchemaViolation)
		if v.Get("errors").Len() < 3 {
			t.Errorf("%s", v.Append(nil))
		}
		for _, e := range v.Get("errors").Items() {
			if e.Get("code").Text() == "" || e.Get("pointer").Type() != canon.TypeString || !strings.HasPrefix(e.Get("rule").Text(), "AAIF-") || e.Get("message").Text() == "" {
				t.Errorf("%s", e.Append(nil))
			}
		}
		if agents, _, _ := s.platform.Kept(); agents != 0 {
			t.Error("it was kept")
		}
	})
	for _, c := range []struct {
		name   string
		body   string
		header []string
		status int
		code   aaif.Code
	}{
		{"AAIF-7-16_a_strict_one_that_needs_more_is_409", string(aaiftest.Definition("", "strict", "memory.vector")), nil, 409, aaif.UnsatisfiedCapabilities},
		{"AAIF-7-16_a_regulated_one_too", string(aaiftest.Definition("", "regulated", "memory.vector")), nil, 409, aaif.UnsatisfiedCapabilities},
		{"AAIF-7-16_one_too_large_is_413", string(aaiftest.Definition("", "")) + strings.Repeat(" ", 2000), nil, 413, aaif.TooLarge},
		{"AAIF-7-16_nobody_is_401", string(aaiftest.Definition("", "")), []string{"Authorization:"}, 401, "UNAUTHORIZED"},
		{"AAIF-7-16_somebody_else_is_401", string(aaiftest.Definition("", "")), []string{"Authorization: Bearer x"}, 401, "UNAUTHORIZED"},
		{"AAIF-12-4_a_secret_is_refused", `{"sc_standard":"SC-006","agent":{"name":"A","goal":"ghp_0123456789abcdefghijABCDEFGHIJ012345"}}`, nil, 422, aaif.InlineSecret},
		{"AAIF-9-1_no_JSON", `{"sc_standard":`, nil, 422, aaif.NotJSON},
		{"AAIF-4-23_a_doubled_member", `{"agent":{},"agent":{}}`, nil, 422, aaif.DuplicateKey},
		{"AAIF-9-5_a_key_that_is_a_number", "\xa1\x01\x02", []string{"Content-Type: " + aaif.CBORMediaType}, 422, aaif.CBORKeyType},
		{"AAIF-4.1-8_a_deprecated_one", `{"sc_standard":"SC-006","status":"deprecated","agent":{"name":"A","goal":"G"}}`, nil, 409, aaif.AgentDeprecated},
		{"another_type", string(aaiftest.Definition("", "")), []string{"Content-Type: text/plain"}, 415, "UNSUPPORTED_MEDIA_TYPE"},
		{"no_type", string(aaiftest.Definition("", "")), []string{"Content-Type:"}, 415, "UNSUPPORTED_MEDIA_TYPE"},
		{"another_charset", string(aaiftest.Definition("", "")), []string{"Content-Type: application/json; charset=latin1"}, 415, "UNSUPPORTED_MEDIA_TYPE"},
		{"packed", string(aaiftest.Definition("", "")), []string{"Content-Encoding: gzip"}, 415, "UNSUPPORTED_MEDIA_TYPE"},
		{"AAIF-9-4_another_profile", cbor(t, aaiftest.Definition("", "")), []string{`Content-Type: application/cbor; profile="https://example.org/x"`}, 415, "UNSUPPORTED_MEDIA_TYPE"},
		{"JSON_that_says_it_is_CBOR", string(aaiftest.Definition("", "")), []string{"Content-Type: application/cbor"}, 415, "UNSUPPORTED_MEDIA_TYPE"},
		{"CBOR_that_says_it_is_JSON", cbor(t, aaiftest.Definition("", "")), nil, 415, "UNSUPPORTED_MEDIA_TYPE"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serve(t, aaifhttp.Options{MaxAgent: 2000})
			s.do("POST", "/aaif/agents", c.body, c.header...).refused(t, c.status, c.code)
			if agents, _, _ := s.platform.Kept(); agents != 0 {
				t.Error("it was kept")
			}
		})
	}
	t.Run("AAIF-9-8_CBOR_and_JSON_alike", func(t *testing.T) {
		s := serve(t, aaifhttp.Options{})
		raw := aaiftest.Definition(aaiftest.AgentID, "")
		first := s.do("POST", "/aaif/agents", cbor(t, raw), "Content-Type: "+aaif.CBORMediaType).object(t, 201)
		second := post(s, raw).object(t, 200)
		if first.Get("digest").Text() != second.Get("digest").Text() {
			t.Error("they are kept as two")
		}
	})
	t.Run("AAIF-4.1-8_a_deprecated_one_is_taken_in_when_told_to", func(t *testing.T) {
		s := serve(t, aaifhttp.Options{})
		s.do("POST", "/aaif/agents?deprecated=true", `{"sc_standard":"SC-006","status":"deprecated","agent":{"name":"A","goal":"G"}}`).object(t, 201)
	})
	t.Run("a_trial_keeps_nothing", func(t *testing.T) {
		s := serve(t, aaifhttp.Options{})
		s.do("POST", "/aaif/agents?dry_run=true", string(aaiftest.Definition("", ""))).object(t, 200)
		if agents, _, _ := s.platform.Kept(); agents != 0 {
			t.Error("it was kept")
		}
		for _, query := range []string{"?dry_run=yes", "?dryrun=true", "?dry_run=true&dry_run=true", "?%zz"} {
			s.do("POST", "/aaif/agents"+query, string(aaiftest.Definition("", ""))).refused(t, 400, "INVALID_PARAMETER")
		}
	})
	t.Run("agents_are_the_owners_alone", func(t *testing.T) {
		s := serve(t, aaifhttp.Options{})
		s.as = memory.Peer
		post(s, aaiftest.Definition("", "")).refused(t, 403, "FORBIDDEN")
		for _, path := range []string{"/aaif/agents", "/aaif/agents/x", "/aaif/states", "/aaif/states/x"} {
			s.do("GET", "https://h"+path, "").refused(t, 403, "FORBIDDEN")
		}
		if len(s.told) != 5 || len(s.platform.Callers()) != 0 {
			t.Errorf("%v were told, and %v came through", s.told, s.platform.Callers())
		}
	})
	t.Run("AAIF-7-16_a_warning_is_no_error", func(t *testing.T) {
		s := serve(t, aaifhttp.Options{})
		wrong := func(code aaif.Code, warning bool) error {
			return &codec.ParseError{Format: "aaif", Path: "/agent", Rule: "AAIF-4-1", Warning: warning, Err: &aaif.Fault{Code: code, Text: "wrong"}}
		}
		s.platform.Before = func(string) error {
			return errors.Join(wrong(aaif.HintMismatch, true), wrong(aaif.InlineSecret, false))
		}
		if v := post(s, aaiftest.Definition("", "")).refused(t, 422, aaif.InlineSecret); v.Get("errors").Len() != 1 {
			t.Errorf("%s", v.Append(nil))
		}
	})
	t.Run("what_fails_here_is_not_shown", func(t *testing.T) {
		s := serve(t, aaifhttp.Options{})
		s.platform.Before = func(string) error { return errors.New("the disk is at /secret") }
		if got := post(s, aaiftest.Definition("", "")); bytes.Contains(got.body, []byte("secret")) || len(s.causes) != 1 {
			t.Errorf("%s %v", got.body, s.causes)
		} else {
			got.refused(t, 500, "INTERNAL")
		}
	})
	t.Run("AAIF-7-16_one_too_large_that_does_not_say_so", func(t *testing.T) {
		s := serve(t, aaifhttp.Options{MaxAgent: 2000})
		body := strings.NewReader(string(aaiftest.Definition("", "")) + strings.Repeat(" ", 5000))
		r := httptest.NewRequest("POST", "/aaif/agents", struct{ io.Reader }{body})
		r.Header.Set("Authorization", "Bearer "+token)
		r.Header.Set("Content-Type", "application/json")
		s.send(r).refused(t, 413, aaif.TooLarge)
		if body.Len() < 1000 {
			t.Errorf("only %d bytes were left unread", body.Len())
		}
	})
	t.Run("a_body_is_not_read_before_it_is_known_whose_it_is", func(t *testing.T) {
		s := serve(t, aaifhttp.Options{})
		r := httptest.NewRequest("POST", "/aaif/agents", untouchable{t})
		r.Header.Set("Content-Type", "application/json")
		s.send(r).refused(t, 401, "UNAUTHORIZED")
	})
}

// untouchable is a body that must not be read.
type untouchable struct{ t *testing.T }

func (u untouchable) Read([]byte) (int, error) {
	u.t.Error("the body was read")
	return 0, errors.New("not to be read")
}
