package server_test

import (
	"crypto/rand"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/conformance"
	umpsuite "github.com/satchel-memory/satchel/conformance/ump"
	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/server"
	"github.com/satchel-memory/satchel/internal/store/sqlite"
	"github.com/satchel-memory/satchel/internal/store/sqlitetest"
	"github.com/satchel-memory/satchel/internal/transcript"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/belief"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/ump"
)

// subject is a server that conformance is tried on, perhaps with something in
// front of it.
type subject struct {
	vault  *vault.Vault
	target umpsuite.Target
}

// stand serves a real vault at level 3; before, unless nil, stands before it.
func stand(t *testing.T, before func(http.Handler) http.Handler) subject {
	t.Helper()
	return standAs(t, vault.Options{Signed: true, Tokens: true}, server.Options{Rate: 1e6, Burst: 1e6, FailRate: 1e6, FailBurst: 1e6, Public: true}, before)
}

// standAs serves a vault as o and s say.
func standAs(t *testing.T, o vault.Options, s server.Options, before func(http.Handler) http.Handler) subject {
	t.Helper()
	key := tried()
	store := sqlitetest.Open(t, filepath.Join(t.TempDir(), "satchel.db"), sqlite.Options{})
	t.Cleanup(func() { _ = store.Close() })
	o.Store, o.Release, o.Bindings, o.Owner, o.Via = store, "1.0.0", []string{"mcp", "http", "file"}, key.DID(), "http"
	o.Key = func(did memory.DID) (keys.Private, bool) { return key, did == key.DID() }
	o.Beliefs = belief.Open
	v := vault.New(o)
	s.Backend, s.Owner, s.Token, s.Release = server.Over(v), key.DID(), token, "1.0.0"
	serving, err := server.New(s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = serving.Close() })
	var handler http.Handler = serving
	if before != nil {
		handler = before(serving)
	}
	listening := httptest.NewServer(handler)
	t.Cleanup(listening.Close)
	client := listening.Client()
	if before == nil {
		client = watched(t, client, listening.URL)
	}
	owner := memory.Caller{Owner: key.DID(), Role: memory.Owner}
	return subject{v, umpsuite.Target{
		URL: listening.URL, Token: token, Client: client, Key: &key, Strict: true, Now: time.Now, Random: rand.Reader, Keep: true,
		Revoke: func(jti string) error { return v.RevokeToken(t.Context(), owner, jti) },
	}}
}

// conforms runs every row and returns the outcome of each. None may fail.
func conforms(t *testing.T, target umpsuite.Target) (map[string]conformance.Outcome, umpsuite.Summary) {
	t.Helper()
	outcomes := map[string]conformance.Outcome{}
	summary, err := umpsuite.Run(t.Context(), target, func(r conformance.Result) {
		if outcomes[r.ID] = r.Outcome; r.Outcome == conformance.NotTried {
			t.Logf("%s is not tried: %s", r.ID, r.Message)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range summary.Failed {
		t.Errorf("%s %s: %s", r.Outcome, r.ID, r.Message)
	}
	if len(summary.Extra) > 0 {
		t.Errorf("answers have members that nobody knows: %v", summary.Extra)
	}
	return outcomes, summary
}

// cites compares the rows that a run passed with the file that claims them for its test.
func cites(t *testing.T, passed []string) {
	t.Helper()
	slices.Sort(passed)
	test, _, _ := strings.Cut(t.Name(), "/")
	transcript.Golden(t, test+".passed", []byte(strings.Join(passed, "\n")+"\n"))
}

// passes returns the rows that passed.
func passes(outcomes map[string]conformance.Outcome) (passed []string) {
	for id, outcome := range outcomes {
		if outcome == conformance.Pass {
			passed = append(passed, id)
		}
	}
	return passed
}

// TestConformance puts every requirement to the server, strictly.
func TestConformance(t *testing.T) {
	racing.Skip(t)
	t.Parallel()
	t.Run("UMP-7-5 level 3, with its limits, leaves nothing behind", func(t *testing.T) {
		t.Parallel()
		s := standAs(t, vault.Options{Signed: true, Tokens: true}, server.Options{Rate: 150, Burst: 150, Public: true}, nil)
		s.target.Keep = false
		outcomes, summary := conforms(t, s.target)
		cites(t, passes(outcomes))
		if summary.Level != "L3" || summary.Counts[conformance.Pass] < 200 || summary.Counts[conformance.NotTried] > 0 {
			t.Errorf("%s %v", summary.Level, summary.Counts)
		}
		if outcomes["UMP-3.7-5"] != conformance.Pass {
			t.Errorf("UMP-3.7-5: %s", outcomes["UMP-3.7-5"])
		}
		left, err := s.vault.List(t.Context(), memory.Caller{Owner: s.target.Key.DID(), Role: memory.Owner}, vault.ListQuery{
			Statuses: []memory.Status{memory.Active, memory.Candidate, memory.Tombstoned},
		})
		if err != nil || left.Total > 0 || len(summary.Left) > 0 {
			t.Errorf("%v: %d memories are left, and %v", err, left.Total, summary.Left)
		}
	})
	t.Run("UMP1-0-1 UMP1-0-3 UMP1-0-5 UMP1-0-6 level 3, in UMP 1.0", func(t *testing.T) {
		t.Parallel()
		outcomes, summary := conforms(t, later(t, nil).target)
		for _, id := range []string{"UMP1-0-1", "UMP1-0-3", "UMP1-0-5", "UMP1-0-6", "UMP-0-1"} {
			if outcomes[id] != conformance.Pass {
				t.Errorf("%s: %s", id, outcomes[id])
			}
		}
		if summary.Level != "L3" || summary.Counts[conformance.Pass] < 200 {
			t.Errorf("%s %v", summary.Level, summary.Counts)
		}
	})
	t.Run("level 3, for nobody without a token", func(t *testing.T) {
		t.Parallel()
		s := standAs(t, vault.Options{Signed: true, Tokens: true}, server.Options{Rate: 1e6, Burst: 1e6, FailRate: 1e6, FailBurst: 1e6}, nil)
		if _, summary := conforms(t, s.target); summary.Counts[conformance.Pass] < 200 {
			t.Errorf("%v", summary.Counts)
		}
	})
	t.Run("level 3, with a token that the run makes itself", func(t *testing.T) {
		t.Parallel()
		s := stand(t, nil)
		s.target.Token = ""
		if _, summary := conforms(t, s.target); summary.Counts[conformance.Pass] < 200 {
			t.Errorf("%v", summary.Counts)
		}
	})
	t.Run("level 3, as far as the owner's token alone goes", func(t *testing.T) {
		t.Parallel()
		s := stand(t, nil)
		s.target.Key, s.target.Revoke = nil, nil
		if outcomes, _ := conforms(t, s.target); outcomes["UMP-5.2-1"] != conformance.NotTried || outcomes["UMP-2.8-4"] != conformance.Pass {
			t.Errorf("%v", outcomes)
		}
	})
	t.Run("UMP-7-4 level 2, where no tokens are asked for", func(t *testing.T) {
		t.Parallel()
		s := standAs(t, vault.Options{}, server.Options{Rate: 1e6, Burst: 1e6, FailRate: 1e6, FailBurst: 1e6}, nil)
		if outcomes, summary := conforms(t, s.target); summary.Level != "L2" || outcomes["UMP-7-4"] != conformance.Pass || outcomes["UMP-7-5"] != conformance.NotApplicable {
			t.Errorf("%s %v", summary.Level, summary.Counts)
		}
	})
	t.Run("UMP-1-3 what records of before say counts for nothing", func(t *testing.T) {
		t.Parallel()
		s := stand(t, nil)
		owner := memory.Caller{Owner: s.target.Key.DID(), Role: memory.Owner}
		draft, err := ump.DecodeDraft([]byte(`{"kind":"semantic","body":{"text":"The barn stands in the yard."},"mood":"calm"}`), codec.Options{Owner: owner.Owner})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.vault.Remember(t.Context(), owner, draft); err != nil {
			t.Fatal(err)
		}
		s.target.Only = []string{"UMP-1-3", "UMP-4.3-1"} // the second reads all there is
		outcomes, summary := conforms(t, s.target)
		if outcomes["UMP-1-3"] != conformance.Pass || !slices.Equal(summary.Before, []string{"/mood"}) || !summary.Partial {
			t.Errorf("%v, %v", outcomes, summary)
		}
	})
	t.Run("UMP-3.7-5 a subscription that is throttled is made again", func(t *testing.T) {
		t.Parallel()
		var asked atomic.Int64
		s := stand(t, answersFirst(&asked))
		s.target.Only = []string{"UMP-3.8-4"}
		if outcomes, _ := conforms(t, s.target); outcomes["UMP-3.8-4"] != conformance.Pass || asked.Load() != 2 {
			t.Errorf("%v after %d", outcomes, asked.Load())
		}
	})
	t.Run("a server that only reads", func(t *testing.T) {
		t.Parallel()
		s := standAs(t, vault.Options{Signed: true, Tokens: true, ReadOnly: true}, server.Options{Rate: 1e6, Burst: 1e6, FailRate: 1e6, FailBurst: 1e6}, nil)
		if outcomes, _ := conforms(t, s.target); outcomes["UMP-3.1-7"] != conformance.Pass || outcomes["UMP-3.3-1"] != conformance.NotApplicable {
			t.Errorf("%v", outcomes)
		}
	})
}

// answersFirst throttles the first subscription and counts them all.
func answersFirst(asked *atomic.Int64) meddle {
	return func(next http.Handler) http.Handler {
		return on("/ump/subscribe", next, func(w http.ResponseWriter, r *http.Request) {
			if asked.Add(1) > 1 {
				next.ServeHTTP(w, r)
				return
			}
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
		})
	}
}

// TestConformanceHeartbeat waits for a stream to say that it is alive, in step
// with decision UD-27 and out of it.
func TestConformanceHeartbeat(t *testing.T) {
	racing.Skip(t)
	t.Parallel()
	for _, c := range []struct {
		name  string
		limit time.Duration
		want  conformance.Outcome
	}{{"UMP-3.8-4 a stream says every 15 seconds that it is alive", 18 * time.Second, conformance.Pass}, {"one that is silent for longer fails", 300 * time.Millisecond, conformance.Fail}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			target := stand(t, nil).target
			target.Only, target.Heartbeat = []string{"UMP-3.8-4"}, c.limit
			_, err := umpsuite.Run(t.Context(), target, func(r conformance.Result) {
				if r.Outcome != c.want {
					t.Errorf("%s %s", r.Outcome, r.Message)
				}
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}
