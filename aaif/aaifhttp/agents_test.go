package aaifhttp_test

import (
	"fmt"
	"testing"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/aaifhttp"
	"github.com/satchel-memory/satchel/aaif/aaiftest"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
)

func TestWellKnown(t *testing.T) {
	s := serve(t, aaifhttp.Options{})
	for path, kind := range map[string]aaif.Kind{"/.well-known/aaif-manifest.json": aaif.ManifestKind, "/.well-known/aaif-conformance.json": aaif.ReportKind} {
		t.Run("AAIF-7-13_AAIF-6-19_"+string(kind), func(t *testing.T) {
			got := s.do("GET", path, "", "Authorization:")
			v := got.object(t, 200)
			judge, err := aaif.NewValidator(nil)
			if err != nil {
				t.Fatal(err)
			}
			if found := judge.Validate(aaif.Document{Kind: kind, Value: v}); len(found) > 0 {
				t.Error(found)
			}
			tag := got.Header.Get("ETag")
			if again := s.do("GET", path, "", "If-None-Match: "+tag); tag == "" || again.StatusCode != 304 || len(again.body) != 0 {
				t.Errorf("%q: %d %s", tag, again.StatusCode, again.body)
			}
			if again := s.do("GET", path, "", `If-None-Match: "another", W/`+tag); again.StatusCode != 304 {
				t.Errorf("%d", again.StatusCode)
			}
			if got := s.do("POST", path, "{}"); got.StatusCode != 405 || got.Header.Get("Allow") != "GET, HEAD" {
				t.Errorf("%d %v", got.StatusCode, got.Header)
			}
		})
	}
	t.Run("AAIF-7-14_what_it_says", func(t *testing.T) {
		p := s.do("GET", "/.well-known/aaif-manifest.json", "").object(t, 200).Get("platform")
		if p.Get("capabilities").Len() == 0 || p.Get("aaif_conformance_level").Text() == "" || p.Get("aaif_versions_supported").Len() == 0 {
			t.Errorf("%s", p.Append(nil))
		}
	})
	t.Run("AAIF-7-15_it_says_what_is_in_force_now", func(t *testing.T) {
		before := s.do("GET", "/.well-known/aaif-manifest.json", "").Header.Get("ETag")
		s.platform.Offer.Platform.Capabilities.Tool.Function = false
		got := s.do("GET", "/.well-known/aaif-manifest.json", "", "If-None-Match: "+before)
		if got.object(t, 200).Get("platform").Get("capabilities").Get("tool").Get("function").True() {
			t.Errorf("%s", got.body)
		}
	})
	t.Run("AAIF-7-15_nothing_is_shown_that_claims_no_level", func(t *testing.T) {
		s := serve(t, aaifhttp.Options{})
		s.platform.Offer.Platform.Level = ""
		s.do("GET", "/.well-known/aaif-manifest.json", "").refused(t, 404, "NOT_FOUND")
	})
	t.Run("no_such_route", func(t *testing.T) {
		for _, path := range []string{"/aaif/", "/aaif/agents/", "/aaif/agents/a/b", "/aaif/other", "/.well-known/agent-card.json"} {
			s.do("GET", path, "").refused(t, 404, "NOT_FOUND")
		}
	})
}

func TestAgents(t *testing.T) {
	s := serve(t, aaifhttp.Options{})
	for i := range 5 {
		if _, err := s.platform.Intake(t.Context(), memory.Caller{}, aaiftest.Definition(fmt.Sprintf("7b1f6d0e-3c55-4f0a-9a60-0f5f6f1f2a0%d", i), ""), aaif.IntakeOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("they_are_listed_page_by_page", func(t *testing.T) {
		var ids []string
		for next, pages := "/aaif/agents?limit=2", 0; next != ""; pages++ {
			v := s.do("GET", next, "").object(t, 200)
			for _, a := range v.Get("agents").Items() {
				ids = append(ids, a.Get("agent_id").Text())
			}
			if next = v.Get("next").Text(); pages > 3 {
				t.Fatal("there is no end")
			}
		}
		if len(ids) != 5 || ids[0] > ids[4] {
			t.Errorf("%q", ids)
		}
		for _, query := range []string{"limit=0", "limit=201", "limit=x", "page=2"} {
			s.do("GET", "/aaif/agents?"+query, "").refused(t, 400, "INVALID_PARAMETER")
		}
	})
	t.Run("one_is_given_away_as_it_came", func(t *testing.T) {
		raw := aaiftest.Definition(aaiftest.AgentID, "standard")
		s.do("POST", "/aaif/agents", string(raw)).object(t, 201)
		got := s.do("GET", "/aaif/agents/"+aaiftest.AgentID, "")
		if got.object(t, 200); string(got.body) != string(raw) || got.Header.Get("Content-Location") != "/aaif/agents/"+aaiftest.AgentID+"?revision=2" {
			t.Errorf("%v %s", got.Header, got.body)
		}
		if first := s.do("GET", "/aaif/agents/"+aaiftest.AgentID+"?revision=1", "").object(t, 200); first.Get("agent").Has("compliance") {
			t.Error("the first revision is the second")
		}
		if got := s.do("GET", "/aaif/agents/"+aaiftest.AgentID, "", "If-None-Match: "+got.Header.Get("ETag")); got.StatusCode != 304 {
			t.Errorf("%d", got.StatusCode)
		}
		for path, status := range map[string]int{"/aaif/agents/unknown": 404, "/aaif/agents/" + aaiftest.AgentID + "?revision=3": 404, "/aaif/agents/" + aaiftest.AgentID + "?revision=0": 400} {
			if got := s.do("GET", path, ""); got.StatusCode != status {
				t.Errorf("%s: %d", path, got.StatusCode)
			}
		}
	})
	t.Run("AAIF-9-4_in_the_encoding_that_is_asked_for", func(t *testing.T) {
		for accept, media := range map[string]string{
			"": "application/json", "*/*": "application/json", "application/cbor": aaif.CBORMediaType, aaif.CBORMediaType: aaif.CBORMediaType,
			"application/json;q=0.5, application/cbor": aaif.CBORMediaType, "application/cbor;q=0.1, */*": "application/json", "text/html, application/*;q=0.2": "application/json",
			`application/cbor; profile="https://example.org/x"`: "", "text/html": "", "application/json;q=0": "",
		} {
			got := s.do("GET", "/aaif/agents/"+aaiftest.AgentID, "", "Accept:"+accept)
			if media == "" {
				got.refused(t, 406, "NOT_ACCEPTABLE")
				continue
			}
			if got.StatusCode != 200 || got.Header.Get("Content-Type") != media || got.Header.Get("Vary") != "Accept" {
				t.Errorf("%q: %d %v", accept, got.StatusCode, got.Header)
			}
			if d, err := aaif.Read(got.body, aaif.ReadOptions{}); err != nil || !canon.Equal(d.Value, parsed(t, aaiftest.Definition(aaiftest.AgentID, "standard"))) {
				t.Errorf("%q: %v %s", accept, err, got.body)
			}
		}
	})
}

func parsed(t testing.TB, raw []byte) canon.Value {
	t.Helper()
	v, err := aaif.FromJSON(raw, aaif.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}
