package server_test

import (
	"context"
	"crypto/rand"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/route"
	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/conformance"
	aaifsuite "github.com/satchel-memory/satchel/conformance/aaif"
	"github.com/satchel-memory/satchel/internal/agents"
	"github.com/satchel-memory/satchel/internal/racing"
	"github.com/satchel-memory/satchel/internal/run/host"
	runtool "github.com/satchel-memory/satchel/internal/run/tool"
	"github.com/satchel-memory/satchel/internal/server"
	"github.com/satchel-memory/satchel/internal/store/sqlite"
	"github.com/satchel-memory/satchel/internal/store/sqlitetest"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/belief"
	"github.com/satchel-memory/satchel/internal/vault/health"
	"github.com/satchel-memory/satchel/internal/vault/trust"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// takesAgents is a server that takes agents in, as conformance tries it.
func takesAgents(t *testing.T) aaifsuite.Target { return conforming(t, spoiled{}, nil) }

// runsAgents is a server that runs agents, too, with what conformance needs of its
// operator. Its models may be spoiled.
func runsAgents(t *testing.T, spoils spoiled) aaifsuite.Target {
	settings := allowing()
	return conforming(t, spoils, &settings)
}

// allowing are the settings that conformance needs.
func allowing() host.Settings {
	return host.Settings{
		Models: route.Operator{Egress: []string{"127.0.0.1"}}, Keys: noKeys{}, Collectors: []host.Collector{{Host: "127.0.0.1"}},
		Tools: runtool.Operator{Egress: []string{"127.0.0.1"}, Grants: []runtool.Grant{{Agent: aaifsuite.Runner, Tools: []string{"conformance_book", "conformance_look"}}},
			Bindings: []runtool.Binding{{Agent: aaifsuite.Runner, Tool: "conformance_look", Method: "GET"}}},
	}
}

// conforming is a server as conformance tries it. With settings it runs agents.
func conforming(t *testing.T, spoils spoiled, running *host.Settings) aaifsuite.Target {
	t.Helper()
	store := sqlitetest.Open(t, filepath.Join(t.TempDir(), "satchel.db"), sqlite.Options{})
	t.Cleanup(func() { _ = store.Close() })
	key, err := keys.Generate(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	own, err := keys.Generate(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	me := memory.Caller{Owner: own.DID(), Role: memory.Owner}
	v := vault.New(vault.Options{Beliefs: belief.Open, Store: store, Release: "1.0.0", Owner: own.DID(), Via: "http",
		Key: func(id memory.DID) (keys.Private, bool) { return own, id == own.DID() }})
	if err := trust.New(v).TrustProducer(t.Context(), me, "conformance", []aimem.Key{aimem.PublicKey(key)}); err != nil {
		t.Fatal(err)
	}
	o := agents.Options{Vault: v, Now: time.Now, Random: rand.Reader, Platform: hereName, Release: "1.0.0", URL: "https://localhost"}
	if running != nil {
		o.Running = running.Offer()
	}
	service, err := agents.New(o)
	if err != nil {
		t.Fatal(err)
	}
	s := server.Options{Backend: server.Over(v), Agents: service, Hosts: []string{"localhost"}, Rate: 1e6, Burst: 1e6, FailRate: 1e6, FailBurst: 1e6}
	hands := operatorOf{Vault: v, me: me, agents: service}
	if running != nil {
		s.Runs.Rules = service.Policy
		o := host.Options{Vault: v, Agents: service, Settings: *running, Now: time.Now, Platform: hereName, Release: "1.0.0"}
		if spoils.ask != nil || spoils.answer != nil {
			o.Models = spoils.of(*running)
		}
		s.Runs.Host = host.New(o)
		hands.host = s.Runs.Host
		t.Cleanup(func() { hands.host.Close(context.WithoutCancel(t.Context())) })
	}
	e := startTLSFor(t, own.DID(), s)
	return aaifsuite.Target{URL: "https://localhost", Token: token, Client: e.client(t, 1), Key: key, Listen: "127.0.0.1:0", Strict: true, Now: time.Now, Random: rand.Reader, Hands: hands}
}

// operatorOf acts for the operator of a server.
type operatorOf struct {
	*vault.Vault
	me     memory.Caller
	agents *agents.Service
	host   *host.Host
}

// Promote evaluates an agent, and gives it the status active if it has passed.
func (o operatorOf) Promote(ctx context.Context, id string) error {
	kept, err := o.agents.Agent(ctx, o.me, id, 0)
	if err != nil {
		return err
	}
	r, err := host.Evaluate(ctx, o.host, o.me, host.Evaluation{Agent: kept})
	if err != nil || !r.Passed {
		return err
	}
	_, err = o.agents.Intake(ctx, o.me, kept.Document.With("status", canon.String(string(aaif.Active))).Append(nil), aaif.IntakeOptions{Keep: true})
	return err
}

func (o operatorOf) Audit(ctx context.Context, alter func([][]byte) [][]byte) (entries int64, sound bool, err error) {
	report, err := health.New(o.Vault).TryAudit(ctx, o.me, alter)
	return report.Entries, report.Sound(), err
}

// TestAgentConformance puts the requirements of AAIF to the server.
func TestAgentConformance(t *testing.T) {
	racing.Skip(t)
	t.Parallel()
	target, outcomes := takesAgents(t), map[string]conformance.Outcome{}
	target.Client = watched(t, target.Client, target.URL)
	note := func(r conformance.Result) {
		if outcomes[r.ID] != conformance.Pass {
			outcomes[r.ID] = r.Outcome
		}
		if r.Outcome != conformance.Pass && r.Outcome != conformance.NotApplicable {
			t.Errorf("%s %s: %s", r.ID, r.Outcome, r.Message)
		}
	}
	s, err := aaifsuite.Run(t.Context(), target, note)
	if err != nil || !s.OK() || s.Counts[conformance.Pass] < 50 || s.Platform != hereName || len(s.Left) == 0 {
		t.Errorf("%+v %v", s, err)
	}
	free := listen(t)
	at := free.Addr().String()
	_ = free.Close()
	settings := allowing()
	settings.Models = route.Operator{Providers: []route.Provider{{Name: "conformance", BaseURL: "http://" + at + "/v1", Regions: []string{"EU"}}}}
	running := conforming(t, spoiled{}, &settings)
	running.Remove, running.Listen, running.Client = true, at, watched(t, running.Client, running.URL)
	began := time.Now()
	ran, err := aaifsuite.Run(t.Context(), running, note)
	if err != nil || !ran.OK() || ran.Partial || ran.Counts[conformance.Pass] < 77 || len(ran.Left) > 0 {
		t.Errorf("of one that runs agents: %+v %q %v", ran.Counts, ran.Left, err)
	}
	cites(t, passes(outcomes))
	t.Run("AAIF-6-15 what it showed is claimed, and no more", func(t *testing.T) {
		for name, c := range map[string]struct {
			of   aaifsuite.Summary
			want []aaif.Level
		}{"without runs": {s, []aaif.Level{aaif.Core}}, "with runs": {ran, []aaif.Level{aaif.MultiAgent, aaif.Enterprise, aaif.Stateful}}} {
			offer := settings.Offer()
			offer.Kept = func(string) bool { return true }
			claims := aaif.NewReport(aaif.Evidence{Offer: offer, Consumer: c.of.Suite(began), Shown: c.of.Shown(), GeneratedAt: time.Now()}).Claims
			var levels []aaif.Level
			for _, claim := range claims {
				levels = append(levels, claim.Level)
				if claim.Suite.Corpus != aaifsuite.Corpus || claim.Suite.Passed != c.of.Counts[conformance.Pass] {
					t.Errorf("%s: %+v", name, claim)
				}
			}
			if !slices.Equal(levels, c.want) {
				t.Errorf("%s: it claims %q, not %q", name, levels, c.want)
			}
		}
	})
	t.Run("without a key states are not tried, and never as kept", func(t *testing.T) {
		target.Key = keys.Private{}
		_, err := aaifsuite.Run(t.Context(), target, func(r conformance.Result) {
			stateful := r.Level == "Stateful" && !slices.Contains([]string{"AAIF-8.3-5", "AAIF-12-11", "AAIF-13.1-2"}, r.ID)
			if stateful && r.Outcome != conformance.NotTried && r.Outcome != conformance.NotApplicable || r.Outcome == conformance.Fail {
				t.Errorf("%s %s: %s", r.ID, r.Outcome, r.Message)
			}
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// TestAgentConformanceAllowed lets a run say what the operator has to allow, allows exactly
// that, and tries again.
func TestAgentConformanceAllowed(t *testing.T) {
	racing.Skip(t)
	t.Parallel()
	nothing := host.Settings{Models: route.Operator{Egress: []string{}}, Keys: noKeys{}}
	free := listen(t)
	at := free.Addr().String() // the tables name it
	_ = free.Close()
	bare := conforming(t, spoiled{}, &nothing)
	bare.Listen = at
	s, err := aaifsuite.Run(t.Context(), bare, func(r conformance.Result) {
		if r.Outcome == conformance.Fail || r.Outcome == conformance.Blocked {
			t.Errorf("%s %s: %s", r.ID, r.Outcome, r.Message)
		}
	})
	if err != nil || !s.Partial || s.Counts[conformance.NotTried] < 10 || len(s.Needs) != 3 {
		t.Fatalf("%+v %q %v", s.Counts, s.Needs, err)
	}
	suite := s.Suite(time.Now())
	if suite.Corpus != aaifsuite.CorpusWithoutRuns || suite.Passed != suite.Total || slices.Contains(s.Shown(), "AAIF-4.4-4") || !slices.Contains(s.Shown(), "AAIF-6-2") {
		t.Errorf("%+v %q", suite, s.Shown())
	}
	table := func(name string) canon.Value {
		for _, line := range s.Needs {
			if text, ok := strings.CutPrefix(line, name+": "); ok {
				return valueOf(t, text)
			}
		}
		t.Fatalf("nothing for %s: %q", name, s.Needs)
		return canon.Value{}
	}
	allowed := host.Settings{Keys: noKeys{}}
	if allowed.Models, err = route.ReadOperator(table("run/models.json")); err != nil {
		t.Fatal(err)
	}
	without := allowed
	if allowed.Tools, err = runtool.ReadOperator(table("run/tools.json")); err != nil {
		t.Fatal(err)
	}
	untraced := allowed
	if allowed.Collectors, err = host.ReadCollectors(table("run/telemetry.json")); err != nil {
		t.Fatal(err)
	}
	for name, settings := range map[string]host.Settings{"the model only": without, "all but traces": untraced, "all": allowed} {
		target := conforming(t, spoiled{}, &settings)
		target.Listen = at
		target.Only = []string{"AAIF-4-10", "AAIF-4.4", "AAIF-4.7", "AAIF-4.8", "AAIF-8.1", "AAIF-10-9"}
		got, err := aaifsuite.Run(t.Context(), target, nil)
		if all := name == "all"; err != nil || !got.OK() || (got.Counts[conformance.NotTried] == 0) != all || (len(got.Needs) == 0) != all {
			t.Errorf("%s: %+v %q %v", name, got.Counts, got.Needs, err)
		}
	}
}
