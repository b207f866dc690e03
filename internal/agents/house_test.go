package agents_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/agents"
	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/postgres"
	"github.com/satchel-memory/satchel/internal/store/postgres/pgtest"
	"github.com/satchel-memory/satchel/internal/store/sqlite"
	"github.com/satchel-memory/satchel/internal/store/sqlitetest"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/belief"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

var start = time.Date(2026, 6, 4, 10, 0, 0, 0, time.UTC)

// house is a service over a vault of its own, whose owner holds a key.
type house struct {
	*agents.Service
	t     testing.TB
	vault *vault.Vault
	store store.Store
	key   keys.Private
	now   time.Time
}

func seeded(t testing.TB, b byte) keys.Private {
	t.Helper()
	k, err := keys.FromSeed(bytes.Repeat([]byte{b}, 32))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// opener opens an empty store.
type opener func(t testing.TB, seal func(memory.DID) []byte) store.Store

func inFile(t testing.TB, seal func(memory.DID) []byte) store.Store {
	t.Helper()
	return sqlitetest.Open(t, filepath.Join(t.TempDir(), "satchel.db"), sqlite.Options{Seal: seal})
}

func inDatabase(t testing.TB, seal func(memory.DID) []byte) store.Store {
	t.Helper()
	url := pgtest.Copy(t, func(url string) error { return postgres.Init(context.Background(), url, postgres.Options{}) })
	s, err := postgres.Open(context.Background(), url, postgres.Options{Seal: seal})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// stores are the two kinds of store.
var stores = map[string]opener{"sqlite": inFile, "postgres": inDatabase}

func open(t testing.TB, change ...func(*agents.Options)) *house { return over(t, inFile, change...) }

func over(t testing.TB, opening opener, change ...func(*agents.Options)) *house {
	t.Helper()
	h := &house{t: t, key: seeded(t, 7), now: start}
	h.store = opening(t, h.seal)
	t.Cleanup(func() { _ = h.store.Close() })
	h.vault, h.Service = h.over(h.store, h.holds, change...)
	return h
}

// holds returns the key of the owner of the house.
func (h *house) holds(did memory.DID) (keys.Private, bool) { return h.key, did == h.key.DID() }

// seal is what a store seals the rows of the owner with.
func (h *house) seal(did memory.DID) []byte {
	if did == h.key.DID() {
		return vault.SealSecret(h.key)
	}
	return nil
}

// over is a service over a vault over a store; holds: nil: no key is open.
func (h *house) over(s store.Store, holds func(memory.DID) (keys.Private, bool), change ...func(*agents.Options)) (*vault.Vault, *agents.Service) {
	h.t.Helper()
	clock := func() time.Time { return h.now }
	v := vault.New(vault.Options{Beliefs: belief.Open, Store: s, Key: holds, Now: clock, Signed: true, Owner: h.key.DID(), Via: "cli"})
	o := agents.Options{Vault: v, Now: clock, Random: rand.Reader, Platform: "here"}
	for _, c := range change {
		c(&o)
	}
	service, err := agents.New(o)
	if err != nil {
		h.t.Fatal(err)
	}
	return v, service
}

// running makes the service one of a platform that has all there is, but for some
// capabilities that change takes away.
func running(change ...func(*aaif.Offer)) func(*agents.Options) {
	return func(o *agents.Options) {
		g := &o.Running.Capabilities
		g.Tool = aaif.ToolGroup{Function: true, MCP: true, HTTP: true, OpenAPI: true}
		g.Orchestration = aaif.OrchestrationGroup{Pipeline: true, Parallel: true, DynamicRouting: true, Handoff: true, Consensus: true,
			Languages: []aaif.Language{aaif.JSONPath, aaif.JMESPath, aaif.CEL, aaif.JSONLogic, aaif.Always, aaif.Never}}
		g.Compliance = aaif.ComplianceGroup{HumanInTheLoop: true, AuditLog: true, PIIScrubbing: true, Regions: []string{"EU"}}
		g.Telemetry.Traces, g.State.Checkpoint, g.Model.Streaming = true, true, true
		o.Running.Restore, o.Running.Async, o.Running.Constraints = true, true, true
		o.Running.Kept = func(string) bool { return true }
		for _, c := range change {
			c(&o.Running)
		}
	}
}

func (h *house) owner() memory.Caller { return memory.Caller{Owner: h.key.DID(), Role: memory.Owner} }

// intake takes a definition in for the owner.
func (h *house) intake(raw string) (aaif.Receipt, error) {
	return h.Intake(context.Background(), h.owner(), []byte(raw), aaif.IntakeOptions{})
}

func (h *house) taken(raw string) aaif.Receipt {
	h.t.Helper()
	r, err := h.intake(raw)
	if err != nil {
		h.t.Fatal(err)
	}
	return r
}

// refuses expects an intake to be refused with a code, and nothing to be kept.
func (h *house) refuses(raw string, want aaif.Code) error {
	h.t.Helper()
	before := h.kept()
	_, err := h.intake(raw)
	if aaif.CodeOf(err) != want {
		h.t.Errorf("got %v, want %s", err, want)
	}
	if after := h.kept(); after != before {
		h.t.Errorf("%d are kept, %d were", after, before)
	}
	return err
}

// kept counts what is kept: revisions, states and bytes come to one number.
func (h *house) kept() int64 {
	h.t.Helper()
	var n int64
	err := h.store.View(context.Background(), h.key.DID(), func(r store.Reader) error {
		list, err := r.Agents().AgentList("", 1000)
		states, err2 := r.Agents().StateList("", store.StatePlace{}, 1000)
		_, bytes, err3 := r.Usage()
		for _, a := range list {
			n += a.Revision
		}
		n += int64(len(states))<<20 + bytes<<30
		return errors.Join(err, err2, err3)
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return n
}

// log returns the entries of an act.
func (h *house) log(act audit.Act) (found []audit.Entry) {
	h.t.Helper()
	h.vault.Flush(context.Background())
	all, err := h.vault.Audit(context.Background(), h.owner(), 0, 1000)
	if err != nil {
		h.t.Fatal(err)
	}
	for _, e := range all {
		if e.Act == act {
			found = append(found, e)
		}
	}
	report, err := h.vault.VerifyAudit(context.Background(), h.owner(), nil)
	if err != nil || len(report.Findings) > 0 {
		h.t.Errorf("the log is damaged: %v, %v", report.Findings, err)
	}
	return found
}

const agentID = "5f0c7a52-0c5d-4d5a-9a68-2f0c6a1f0001"

// definition is a definition with an id, and members of agent as given.
func definition(members ...string) string {
	all := append([]string{`"name":"Example Agent"`, `"goal":"Assist users with their enquiries."`}, members...)
	return `{"sc_standard":"SC-006","agent_id":"` + agentID + `","agent":{` + strings.Join(all, ",") + `}}`
}

func value(t testing.TB, raw string) canon.Value {
	t.Helper()
	v, err := aaif.FromJSON([]byte(raw), aaif.ReadOptions{})
	if err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	return v
}

func text(v canon.Value) string { return string(v.AppendCanonical(nil)) }

// quoted writes a string as JSON.
func quoted(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}
