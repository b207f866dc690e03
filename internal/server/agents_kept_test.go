package server_test

import (
	"crypto/rand"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/aaif/aaifhttp"
	"github.com/satchel-memory/satchel/aaif/aaiftest"
	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/internal/agents"
	"github.com/satchel-memory/satchel/internal/server"
	"github.com/satchel-memory/satchel/internal/store/sqlite"
	"github.com/satchel-memory/satchel/internal/store/sqlitetest"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/belief"
	"github.com/satchel-memory/satchel/internal/vault/trust"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// TestAgentsAreKept moves a run between two platforms, of which the one that receives
// keeps everything in a file.
func TestAgentsAreKept(t *testing.T) {
	store := sqlitetest.Open(t, filepath.Join(t.TempDir(), "satchel.db"), sqlite.Options{})
	t.Cleanup(func() { _ = store.Close() })
	v := vault.New(vault.Options{Beliefs: belief.Open, Store: store, Release: "1.0.0", Owner: owner, Via: "http", Key: func(memory.DID) (keys.Private, bool) { return keys.Private{}, false }})
	me := memory.Caller{Owner: owner, Role: memory.Owner}
	service, err := agents.New(agents.Options{Vault: v, Now: time.Now, Random: rand.Reader, Platform: hereName, Release: "1.0.0", URL: "https://localhost"})
	if err != nil {
		t.Fatal(err)
	}
	source, err := aaiftest.NewSource("elsewhere", aaiftest.New(hereName, time.Now))
	if err != nil {
		t.Fatal(err)
	}
	if err := trust.New(v).TrustProducer(t.Context(), me, "elsewhere", []aimem.Key{aimem.PublicKey(source.Key)}); err != nil {
		t.Fatal(err)
	}
	e := startTLS(t, server.Options{Backend: server.Over(v), Agents: service, Hosts: []string{"localhost"}})
	const home = "https://localhost"
	client := aaifhttp.Client{HTTP: e.client(t, 2), Now: time.Now}
	states := func() int {
		t.Helper()
		list, err := service.States(t.Context(), me, "", aaif.Place{}, 0)
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	t.Run("AAIF-8.2-4 an unknown agent is AGENT_UNKNOWN", func(t *testing.T) {
		if _, err := client.PushState(t.Context(), home+"/aaif/states", readied(t, source, "0")); aaif.CodeOf(err) != aaif.AgentUnknown || states() != 0 {
			t.Error(err)
		}
	})
	t.Run("AAIF-7-17 AAIF-7-16 by the manifest to the intake", func(t *testing.T) {
		m, err := client.FetchManifest(t.Context(), home)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := client.Intake(t.Context(), m.Platform.Intake, aaiftest.Definition(aaiftest.AgentID, ""), aaif.IntakeOptions{}); aaif.CodeOf(err) != "UNAUTHORIZED" {
			t.Error(err)
		}
		client := client
		client.Token = token
		r, err := client.Intake(t.Context(), m.Platform.Intake, aaiftest.Definition(aaiftest.AgentID, ""), aaif.IntakeOptions{})
		if err != nil || r.Kept.AgentID != aaiftest.AgentID || r.Kept.Revision != 1 {
			t.Errorf("%+v %v", r, err)
		}
		if r, err = client.Intake(t.Context(), m.Platform.Intake, aaiftest.Definition(aaiftest.AgentID, ""), aaif.IntakeOptions{}); err != nil || !r.Unchanged {
			t.Errorf("%+v %v", r, err)
		}
		if _, err := client.Intake(t.Context(), m.Platform.Intake, aaiftest.Definition("", "strict", "memory.vector"), aaif.IntakeOptions{}); aaif.CodeOf(err) != aaif.UnsatisfiedCapabilities && aaif.CodeOf(err) != aaif.SignatureMissing {
			t.Error(err)
		}
	})
	t.Run("AAIF-8.2-3 AAIF-8.3-9 whole and as a stream", func(t *testing.T) {
		whole := readied(t, source, "1")
		landed, err := client.PushState(t.Context(), home+"/aaif/states", whole)
		if err != nil || landed.StateID != aaiftest.StateID {
			t.Fatalf("%+v %v", landed, err)
		}
		kept, err := service.State(t.Context(), me, aaiftest.StateID)
		if err != nil || !canon.Equal(kept.Document, whole) {
			t.Errorf("another one is kept: %v", err)
		}
		const next = "d7e8f9a0-1234-4000-8000-00000000000a"
		streamed, err := source.Ready(aaiftest.Checkpoint().With("state_id", canon.String(next)), hereName, "2")
		if err != nil {
			t.Fatal(err)
		}
		if err := client.Handoff(t.Context(), home+"/aaif/handoff", streamed); err != nil || states() != 2 {
			t.Errorf("%v, %d states", err, states())
		}
		if kept, err := service.State(t.Context(), me, next); err != nil || string(kept.Document.AppendCanonical(nil)) != string(streamed.AppendCanonical(nil)) {
			t.Errorf("AAIF-8.3-11: another one is kept: %v", err)
		}
		for _, err := range []error{client.Handoff(t.Context(), home+"/aaif/handoff", streamed), pushed(t, client, whole)} {
			if aaif.CodeOf(err) != aaif.TokenReplayed {
				t.Errorf("AAIF-8.2-8 a second use: %v", err)
			}
		}
	})
	t.Run("AAIF-12-13 AAIF-12-15 refused by kind, and nothing is kept", func(t *testing.T) {
		tampered := aaif.WithChecksum(readied(t, source, "3").With("iteration", canon.Int(9)))
		token, err := source.Token(aaiftest.Checkpoint(), hereName, "4")
		if err != nil {
			t.Fatal(err)
		}
		forged := aaif.WithToken(aaiftest.Checkpoint(), token[:strings.LastIndexByte(token, '.')+1]+strings.Repeat("A", 86))
		late := *source
		late.Now = func() time.Time { return time.Now().Add(-time.Hour) }
		for code, state := range map[aaif.Code]canon.Value{aaif.TokenBinding: tampered, aaif.TokenInvalid: forged, aaif.TokenExpired: readied(t, &late, "5")} {
			if err := pushed(t, client, state); aaif.CodeOf(err) != code {
				t.Errorf("whole: %v, want %s", err, code)
			}
			if err := client.Handoff(t.Context(), home+"/aaif/handoff", state); aaif.CodeOf(err) != code {
				t.Errorf("as a stream: %v, want %s", err, code)
			}
		}
		if states() != 2 {
			t.Errorf("%d states", states())
		}
	})
}

func pushed(t *testing.T, c aaifhttp.Client, state canon.Value) error {
	t.Helper()
	_, err := c.PushState(t.Context(), "https://localhost/aaif/states", state)
	return err
}
