package aaifhttp_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/aaifhttp"
	"github.com/satchel-memory/satchel/aaif/aaiftest"
)

func TestFetchManifest(t *testing.T) {
	at := func(s *site) (string, aaifhttp.Client, *clock, *atomic.Int32) {
		var asked atomic.Int32
		address, client := overTLS(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked.Add(1)
			s.ServeHTTP(w, r)
		}), 1)
		c := &clock{aaiftest.Noon()}
		client.Now = c.now
		return address, client, c, &asked
	}
	t.Run("AAIF-7-17_a_platform_is_asked", func(t *testing.T) {
		s := serve(t, aaifhttp.Options{})
		address, client, _, asked := at(s)
		for _, a := range []string{address, address + "/", address + "/.well-known/aaif-manifest.json"} {
			if m, err := client.FetchManifest(t.Context(), a); err != nil || m.Platform.Name != home {
				t.Errorf("%s: %+v %v", a, m.Platform, err)
			}
		}
		if asked.Load() != 3 {
			t.Errorf("it was asked %d times", asked.Load())
		}
	})
	t.Run("AAIF-U.U-2_an_expired_one_is_fetched_again", func(t *testing.T) {
		s := serve(t, aaifhttp.Options{})
		address, client, c, asked := at(s)
		c.at = aaiftest.Noon().Add(time.Hour)
		if _, err := client.FetchManifest(t.Context(), address); aaif.CodeOf(err) != aaif.NegotiationStale || asked.Load() != 2 {
			t.Errorf("%v after %d", err, asked.Load())
		}
		s.platform.Before = func(string) error {
			if asked.Load() == 4 {
				s.platform.Offer.Platform.ExpiresAt = aaiftest.Noon().Add(2 * time.Hour)
			}
			return nil
		}
		if m, err := client.FetchManifest(t.Context(), address); err != nil || !m.Platform.ExpiresAt.Equal(aaiftest.Noon().Add(2*time.Hour)) {
			t.Errorf("%+v %v after %d", m.Platform, err, asked.Load())
		}
	})
	t.Run("what_is_none_is_refused", func(t *testing.T) {
		for body, code := range map[string]aaif.Code{
			`{"sc_standard":"SC-006"}`: aaif.UnknownType, "<html>": aaif.NotJSON, string(aaiftest.Definition("", "")): aaif.UnknownType,
			`{"sc_standard":"SC-006","platform":{}}`: aaif.SchemaViolation, `{"x":"` + strings.Repeat("x", 1<<20) + `"}`: aaif.TooLarge,
		} {
			address, client := overTLS(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) }), 1)
			if _, err := client.FetchManifest(t.Context(), address); aaif.CodeOf(err) != code {
				t.Errorf("%.30s: %v", body, err)
			}
		}
		address, client := overTLS(t, http.NotFoundHandler(), 1)
		if _, err := client.FetchManifest(t.Context(), address); aaif.CodeOf(err) != "HTTP_404" {
			t.Error(err)
		}
	})
}

func TestClientIntake(t *testing.T) {
	s := serve(t, aaifhttp.Options{})
	address, client := overTLS(t, s, 2)
	at := aaif.Intake{URL: address + "/aaif/agents", Method: "POST", AuthScheme: "bearer", MaxBytes: 5000}
	raw := aaiftest.Definition(aaiftest.AgentID, "", "memory.vector")
	t.Run("AAIF-7-16_in_JSON_and_CBOR", func(t *testing.T) {
		r, err := client.Intake(t.Context(), at, raw, aaif.IntakeOptions{})
		if err != nil || r.Kept.AgentID != aaiftest.AgentID || r.Kept.Revision != 1 || r.Unchanged || len(r.Level) != 1 || len(r.Warnings) != 1 || r.Negotiation.Verdict != aaif.Degraded || len(r.Negotiation.Needs) != 1 {
			t.Errorf("%+v %v", r, err)
		}
		if r, err := client.Intake(t.Context(), at, []byte(cbor(t, raw)), aaif.IntakeOptions{}); err != nil || !r.Unchanged {
			t.Errorf("%+v %v", r, err)
		}
		if r, err := client.Intake(t.Context(), at, aaiftest.Definition("", ""), aaif.IntakeOptions{DryRun: true}); err != nil || r.Kept.AgentID == "" {
			t.Errorf("%+v %v", r, err)
		}
		if agents, _, _ := s.platform.Kept(); agents != 1 {
			t.Errorf("%d agents", agents)
		}
	})
	t.Run("refusals", func(t *testing.T) {
		_, err := client.Intake(t.Context(), at, []byte(`{"sc_standard":"SC-006","agent":{}}`), aaif.IntakeOptions{})
		if refusal, ok := errors.AsType[*aaifhttp.Refusal](err); !ok || refusal.Status != 422 || len(refusal.Faults) < 2 || refusal.Faults[0].Path == "" || refusal.Faults[0].Rule == "" {
			t.Errorf("%+v", err)
		}
		if _, err := client.Intake(t.Context(), at, aaiftest.Definition("", "strict", "memory.vector"), aaif.IntakeOptions{}); aaif.CodeOf(err) != aaif.UnsatisfiedCapabilities {
			t.Error(err)
		}
		client.Token = "another"
		if _, err := client.Intake(t.Context(), at, raw, aaif.IntakeOptions{}); aaif.CodeOf(err) != "UNAUTHORIZED" {
			t.Error(err)
		}
		if _, err := nowhere(t).Intake(t.Context(), at, append(raw, make([]byte, 5000)...), aaif.IntakeOptions{}); aaif.CodeOf(err) != aaif.TooLarge {
			t.Error(err)
		}
		if _, err := nowhere(t).Intake(t.Context(), aaif.Intake{URL: at.URL, AuthScheme: "api_key"}, raw, aaif.IntakeOptions{}); err == nil {
			t.Error("it was sent with other credentials")
		}
	})
}
