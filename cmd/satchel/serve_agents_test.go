//go:build unix

package main

import (
	"cmp"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/aaif/aaifhttp"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/clitest"
)

// agentsOf serves agents in the clear, and returns what a path answers with, without a
// token, or as the owner where there is something to send.
func agentsOf(t *testing.T, flags ...string) func(method, path string, sent ...string) (int, string) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	a, _, messages := clitest.Person(t, ctx)
	if code := run(a, []string{"init", "-q"}); code != cli.ExitDone {
		t.Fatal(messages)
	}
	ended := make(chan int)
	go func() { ended <- run(a, append([]string{"serve", "--addr", "127.0.0.1:0"}, flags...)) }()
	t.Cleanup(func() { stop(); <-ended })
	base := waitFor(t, messages, regexp.MustCompile(`serving (http://[^/]+)/ump`))
	if strings.Contains(messages.String(), base+"/aaif") == slices.Contains(flags, "--no-agents") {
		t.Errorf("with %v: %s", flags, messages)
	}
	return func(method, path string, sent ...string) (int, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, base+path, strings.NewReader(cmp.Or(strings.Join(sent, ""), "{}")))
		if err != nil {
			t.Fatal(err)
		}
		if len(sent) > 0 {
			token, err := os.ReadFile(filepath.Join(a.Env("SATCHEL_STORE"), "token"))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
		}
		r.Header.Set("Content-Type", "application/json")
		got, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		said, err := io.ReadAll(got.Body)
		_ = got.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		return got.StatusCode, string(said)
	}
}

func TestServeAgents(t *testing.T) {
	t.Parallel()
	t.Run("AAIF-7-13 what is in force, under a name", func(t *testing.T) {
		ask := agentsOf(t, "--platform", "clerks")
		if status, said := ask("GET", aaifhttp.ManifestPath); status != http.StatusOK || !strings.Contains(said, `"name":"clerks"`) {
			t.Errorf("%d %s", status, said)
		}
		if status, said := ask("POST", aaifhttp.StatesPath); status != http.StatusUpgradeRequired {
			t.Errorf("AAIF-12-11: %d %s", status, said)
		}
		if status, said := ask("GET", aaifhttp.AgentsPath); status != http.StatusUnauthorized {
			t.Errorf("%d %s", status, said)
		}
	})
	t.Run("UMP-7-6 at the level that --version names", func(t *testing.T) {
		at := slices.IndexFunc(specifications(), func(s specification) bool { return s.Name == "AAIF" })
		level := strings.TrimPrefix(specifications()[at].Level, "level ")
		if _, said := agentsOf(t)("GET", aaifhttp.ManifestPath); !strings.Contains(said, `"aaif_conformance_level":"`+level+`"`) {
			t.Errorf("%s: %s", level, said)
		}
	})
	t.Run("what is not here is told without a command line", func(t *testing.T) {
		ask := agentsOf(t)
		for _, method := range []string{"GET", "DELETE"} {
			if status, said := ask(method, aaifhttp.AgentsPath+"/7b1f6d0e-3c55-4f0a-9a60-0f5f6f1f2a01", " "); status != http.StatusNotFound || strings.Contains(said, "satchel") {
				t.Errorf("%s: %d %s", method, status, said)
			}
		}
	})
	t.Run("from programs of this machine where that is said", func(t *testing.T) {
		if status, said := agentsOf(t, "--agents-local")("POST", aaifhttp.StatesPath); status != http.StatusUnprocessableEntity {
			t.Errorf("%d %s", status, said)
		}
	})
	t.Run("AAIF-12-17 AAIF-4.1-9 unsigned ones, and drafts for production, where that is said", func(t *testing.T) {
		const draft = `{"sc_standard":"SC-006","sc_version":"3.4.0","status":"draft","agent":{"name":"a","goal":"g","runtime":{"environment":"production"}}}`
		for flag, code := range map[string]string{"--agents-signed": "SIGNATURE_MISSING", "--agents-active": "DRAFT_IN_PRODUCTION", "--agents": ""} {
			at := agentsOf(t, flag)
			if status, said := at("POST", aaifhttp.AgentsPath+"?dry_run=true", draft); (status < 300) != (code == "") || !strings.Contains(said, code) {
				t.Errorf("%s: %d %s", flag, status, said)
			}
		}
	})
	t.Run("nothing where they are not wanted", func(t *testing.T) {
		ask := agentsOf(t, "--no-agents")
		for _, path := range []string{aaifhttp.ManifestPath, aaifhttp.AgentsPath} {
			if status, said := ask("GET", path); status != http.StatusNotFound {
				t.Errorf("%s: %d %s", path, status, said)
			}
		}
	})
}
