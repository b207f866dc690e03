package server_test

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/conformance"
	aimemsuite "github.com/satchel-memory/satchel/conformance/aimem"
	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/server"
	"github.com/satchel-memory/satchel/internal/vault"
)

// brains serves a real vault that exchanges bundles; before, unless nil, stands
// before it. The run may erase.
func brains(t *testing.T, b server.Bundles, before meddle) aimemsuite.Target {
	t.Helper()
	b.Producer, b.Folder = "home-test", t.TempDir()
	key, err := aimem.ProducerKey(tried(), 1)
	if err != nil {
		t.Fatal(err)
	}
	b.Key = key
	s := standAs(t, vault.Options{Signed: true, Tokens: true, Producer: b.Producer},
		server.Options{Rate: 1e6, Burst: 1e6, FailRate: 1e6, FailBurst: 1e6, Bundles: b}, before)
	return aimemsuite.Target{
		URL: s.target.URL, Token: token, Reader: readersToken(t, tried()), Client: s.target.Client, Strict: true, Erase: true, Now: time.Now, Random: rand.Reader,
	}
}

// TestBrainConformance puts every requirement of AIMEM to the server, strictly.
func TestBrainConformance(t *testing.T) {
	racing.Skip(t)
	t.Parallel()
	t.Run("AIMEM-1.2-1 AIMEM-1.2-6 AIMEM-2.1-13 AIMEM-2.3-9 AIMEM-3.2-3 AIMEM-4-3 AIMEM-4-2 AIMEM-4-5 every row is kept", func(t *testing.T) {
		target, outcomes := brains(t, server.Bundles{}, nil), map[string]conformance.Outcome{}
		summary, err := aimemsuite.Run(t.Context(), target, func(r conformance.Result) {
			outcomes[r.ID] = r.Outcome
			if r.Outcome == conformance.NotTried || r.Outcome == conformance.Fail || r.Outcome == conformance.NotApplicable && strings.Contains(r.Message, "offer") {
				t.Errorf("%s %s: %s", r.Outcome, r.ID, r.Message)
			}
		})
		cites(t, passes(outcomes))
		if err != nil || !summary.OK() || summary.Counts[conformance.Pass] < 150 || summary.Left || summary.Producer != "home-test" {
			t.Errorf("%v %+v", err, summary.Counts)
		}
	})
	t.Run("without leave to erase, what it wrote stays", func(t *testing.T) {
		target := brains(t, server.Bundles{}, nil)
		target.Erase, target.Only = false, []string{"3.2", "AIMEM-3.2", "AIMEM-5.2"}
		summary, err := aimemsuite.Run(t.Context(), target, nil)
		if err != nil || !summary.OK() || !summary.Left || summary.Wrote == 0 || summary.Counts[conformance.NotTried] != 3 {
			t.Errorf("%v %+v", err, summary)
		}
	})
}

// TestBrainAtOnce sends one bundle many times at once (AIMEM-5.4-4).
func TestBrainAtOnce(t *testing.T) {
	t.Run("AIMEM-5.4-4 a hundred at once are one", func(t *testing.T) {
		target := brains(t, server.Bundles{}, nil)
		body := sealedBundle(3)
		said := make([]*reply, 100)
		var wg sync.WaitGroup
		for i := range said {
			wg.Go(func() { said[i] = askBrain(t, target, "POST", "/v1/brain/import", body) })
		}
		wg.Wait()
		inserted, skipped := 0, 0
		for _, got := range said {
			if got.status != http.StatusOK {
				t.Fatalf("%d %s", got.status, got.body)
			}
			inserted += int(got.json().Get("inserted").Float())
			skipped += int(got.json().Get("skipped").Float())
		}
		if inserted != 3 || skipped != 297 {
			t.Errorf("%d inserted, %d skipped", inserted, skipped)
		}
	})
}

// askBrain sends a request with the token of a target.
func askBrain(t *testing.T, target aimemsuite.Target, method, path, body string, header ...string) *reply {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, target.URL+path, strings.NewReader(body))
	r.RequestURI = ""
	r.Header.Set("Authorization", "Bearer "+target.Token)
	for _, line := range header {
		name, value, _ := strings.Cut(line, ": ")
		r.Header.Set(name, value)
	}
	got, err := target.Client.Do(r)
	if err != nil {
		t.Error(err)
		return &reply{}
	}
	defer func() { _ = got.Body.Close() }()
	return readReply(t, got)
}

// TestBrainRefusals: what is refused before a request has found its route is a
// problem, too.
func TestBrainRefusals(t *testing.T) {
	for _, c := range []struct {
		name, method, path string
		header             []string
		want               string
	}{
		{"AIMEM-3-3 another Host is a problem", "GET", "/v1/brain/export", []string{"Host: evil.example"}, "403 missing_scope"},
		{"AIMEM-3-3 another Origin is a problem", "POST", "/v1/brain/import", []string{"Origin: https://evil.example"}, "403 missing_scope"},
		{"AIMEM-3-3 a path that is none is a problem", "GET", "/v1/brain/nothing", nil, "404 not_found"},
		{"AIMEM-3-3 a path in a roundabout way is a problem", "GET", "/v1//brain", nil, "404 not_found"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := start(t, server.Options{}).do(t, c.method, c.path, "", c.header...)
			v := (&reply{body: got.body}).json()
			if said := fmt.Sprint(got.StatusCode, " ", v.Get("code").Text()); said != c.want || got.Header.Get("Content-Type") != "application/problem+json" {
				t.Errorf("got %s as %s, want %s", said, got.Header.Get("Content-Type"), c.want)
			}
		})
	}
	t.Run("AIMEM-3-3 too many requests are a problem", func(t *testing.T) {
		s := start(t, server.Options{Rate: 0.001, Burst: 1})
		s.do(t, "GET", "/v1/brain/export", "")
		got := s.do(t, "GET", "/v1/brain/export", "")
		if got.StatusCode != 429 || got.Header.Get("Retry-After") == "" || got.Header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%d %v", got.StatusCode, got.Header)
		}
	})
}

// TestBrainPolicy holds the server to what its signatures have to be.
func TestBrainPolicy(t *testing.T) {
	target := brains(t, server.Bundles{Policy: aimem.RequireSignature, Max: 4096}, nil)
	t.Run("AIMEM-5.3-9 one is required", func(t *testing.T) {
		if got := askBrain(t, target, "POST", "/v1/brain/import", sealedBundle(1)); got.status != 422 || got.json().Get("code").Text() != "signature_required" {
			t.Errorf("%d %s", got.status, got.body)
		}
	})
	t.Run("AIMEM-5.3-2 one of our own is known", func(t *testing.T) {
		export := askBrain(t, target, "GET", "/v1/brain/export", "")
		if got := askBrain(t, target, "POST", "/v1/brain/import", string(export.body), "AIMEM-Signature: "+export.header.Get("AIMEM-Signature")); got.status != 200 {
			t.Errorf("%d %s", got.status, got.body)
		}
	})
	t.Run("a bundle over the limit is 413", func(t *testing.T) {
		if got := askBrain(t, target, "POST", "/v1/brain/import", sealedBundle(100)); got.status != 413 {
			t.Errorf("%d %s", got.status, got.body)
		}
	})
}

// TestBrainMutants makes a good server break one rule at a time: the rows of that
// rule must fail, and only they of those that are tried.
func TestBrainMutants(t *testing.T) {
	racing.Skip(t)
	t.Parallel()
	all := slices.Concat(brainImportMutants(), brainExportMutants(), brainBundleMutants(), brainRepeatMutants(), brainReadingMutants(), brainForgiven())
	broken := map[string]bool{} // by row
	for _, m := range all {
		for _, id := range brainRow.FindAllString(m.name, -1) {
			broken[id] = true
		}
	}
	for _, r := range aimemsuite.Rows() {
		if !broken[r.ID] && r.Outcome != conformance.NotApplicable {
			t.Errorf("no mutant breaks %s", r.ID)
		}
	}
	spare := brainStores{parent: t}
	for _, m := range all {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			store := spare.take()
			defer spare.put(store)
			listening := httptest.NewServer(m.does(store.handler))
			defer listening.Close()
			target := store.target
			target.URL, target.Client, target.Only = listening.URL, listening.Client(), brainRow.FindAllString(m.name, -1)
			summary, err := aimemsuite.Run(t.Context(), target, nil)
			if err != nil {
				t.Fatal(err)
			}
			var failed []string
			for _, r := range summary.Failed {
				failed = append(failed, r.ID)
			}
			slices.Sort(failed)
			if want := slices.Sorted(slices.Values(target.Only)); !slices.Equal(failed, want) {
				t.Errorf("%v fail, want %v", failed, want)
			}
		})
	}
}
