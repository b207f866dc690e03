package server_test

import (
	"context"
	"crypto/rand"
	"maps"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/conformance"
	engramsuite "github.com/satchel-memory/satchel/conformance/engram"
	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/server"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/belief"
	"github.com/satchel-memory/satchel/memory"
)

// hands are the owner's, at a vault.
type hands struct {
	vault *vault.Vault
	owner memory.Caller
}

// Believe states a belief.
func (h hands) Believe(ctx context.Context, b engram.Belief) (string, error) {
	said, err := belief.Of(h.vault).Believe(ctx, h.owner, b, false)
	return said.Belief.ID, err
}

// Correct gives a belief another value.
func (h hands) Correct(ctx context.Context, id, value string) error {
	_, err := belief.Of(h.vault).Correct(ctx, h.owner, id, value, "")
	return err
}

// Archive puts a belief away.
func (h hands) Archive(ctx context.Context, id string) error {
	_, err := belief.Of(h.vault).Archive(ctx, h.owner, id)
	return err
}

// Delete deletes a belief.
func (h hands) Delete(ctx context.Context, id string) error {
	_, err := belief.Of(h.vault).Delete(ctx, h.owner, id)
	return err
}

// Decide decides on a correction.
func (h hands) Decide(ctx context.Context, id string, confirm bool) error {
	_, err := belief.Of(h.vault).Resolve(ctx, h.owner, id, confirm, "")
	return err
}

// told is a store that issues contexts, as conformance tries it; before, unless nil,
// stands before it.
func told(t *testing.T, before meddle) engramsuite.Target {
	t.Helper()
	s := standAs(t, vault.Options{Signed: true, Tokens: true},
		server.Options{Rate: 1e6, Burst: 1e6, FailRate: 1e6, FailBurst: 1e6, Contexts: issuing(t, server.Contexts{Rate: 1e6})}, before)
	owner := memory.Caller{Owner: s.target.Key.DID(), Role: memory.Owner}
	mint := func(r memory.Runtime, good time.Duration, verbs ...memory.Verb) string {
		token, _, err := s.vault.MintToken(t.Context(), owner, vault.TokenOrder{Verbs: verbs, Runtime: &r, Expires: time.Now().Add(good)})
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	target := engramsuite.Target{
		URL: s.target.URL, Client: s.target.Client, Issuer: "https://memory.example", Hands: hands{s.vault, owner}, Strict: true, Now: time.Now, Random: rand.Reader,
		Token:   mint(memory.Runtime{Name: "whole", Scope: "full"}, time.Hour, memory.ReadVerb, memory.WriteVerb),
		Narrow:  mint(memory.Runtime{Name: "narrow", Scope: "professional"}, time.Hour, memory.ReadVerb, memory.WriteVerb),
		Reads:   mint(memory.Runtime{Name: "reads", Scope: "full"}, time.Hour, memory.ReadVerb),
		Expired: mint(memory.Runtime{Name: "gone", Scope: "full"}, time.Second, memory.ReadVerb),
	}
	time.Sleep(1100 * time.Millisecond)
	return target
}

// tells runs every row and returns the outcome of each.
func tells(t *testing.T, target engramsuite.Target) (map[string]conformance.Result, engramsuite.Summary) {
	t.Helper()
	results := map[string]conformance.Result{}
	summary, err := engramsuite.Run(t.Context(), target, func(r conformance.Result) { results[r.ID] = r })
	if err != nil {
		t.Fatal(err)
	}
	return results, summary
}

// TestEngramConformance puts every requirement to the server, strictly.
func TestEngramConformance(t *testing.T) {
	racing.Skip(t)
	t.Parallel()
	t.Run("ENGRAM-6-4 ENGRAM-3.4-29 ENGRAM-3.9-ERR-7 ENGRAM-7-1 ENGRAM-7-3 the server is a store of the tier Full, with nobody else", func(t *testing.T) {
		results, summary := tells(t, told(t, nil))
		outcomes := map[string]conformance.Outcome{}
		for _, r := range results {
			outcomes[r.ID] = r.Outcome
			if r.Outcome != conformance.Pass && r.Outcome != conformance.NotApplicable {
				t.Errorf("%s %s: %s", r.Outcome, r.ID, r.Message)
			}
		}
		cites(t, passes(outcomes))
		if summary.Tier != engram.FullTier || summary.Counts[conformance.Pass] < 180 || summary.Partial || len(summary.Left) != 0 || summary.Issuer.Name != "Satchel" {
			t.Errorf("%+v", summary)
		}
	})
	t.Run("ENGRAM-6-5 a store that only reads is a Reader's", func(t *testing.T) {
		target := told(t, func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/v1/context/correct" && r.Header.Get("Authorization") != "" {
					w.Header().Set("Content-Type", "application/json")
					w.WriteHeader(http.StatusForbidden)
					_, _ = w.Write([]byte(`{"error":{"code":"forbidden","message":"read-only","status":403}}`))
					return
				}
				next.ServeHTTP(w, r)
			})
		})
		target.ReadOnly, target.Strict = true, false
		results, summary := tells(t, target)
		if summary.Tier != engram.ReaderTier || !summary.OK() || results["ENGRAM-6-3"].Outcome != conformance.NotTried {
			t.Errorf("%+v", summary)
		}
	})
	t.Run("without the owner's hands it goes as far as it can", func(t *testing.T) {
		target := told(t, nil)
		target.Hands, target.Narrow, target.Expired, target.Reads = nil, "", "", ""
		results, summary := tells(t, target)
		if !summary.OK() || !summary.Partial || summary.Tier != "" || results["ENGRAM-3.9-CORR-3"].Outcome != conformance.NotTried || len(summary.Left) != 0 {
			t.Errorf("%+v", summary)
		}
		target.Only = []string{"ENGRAM-3.8"}
		if results, _ = tells(t, target); len(results) == 0 || slices.ContainsFunc(slices.Collect(maps.Keys(results)), func(id string) bool { return id[:10] != "ENGRAM-3.8" }) {
			t.Errorf("%v", results)
		}
	})
}
