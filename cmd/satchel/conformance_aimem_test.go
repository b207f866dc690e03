//go:build unix

package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/clitest"
)

// started starts the program's own server with these flags, and returns its address,
// the file of its token and a person at the same store.
func started(t *testing.T, flags ...string) (base, token string, b *cli.App, out *strings.Builder, said *clitest.Buffer) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	a, _, messages := clitest.Person(t, ctx)
	if code := run(a, []string{"init", "-q"}); code != cli.ExitDone {
		t.Fatalf("init ends with %d: %s", code, messages)
	}
	ended := make(chan int)
	go func() { ended <- run(a, append([]string{"serve", "--addr", "127.0.0.1:0"}, flags...)) }()
	t.Cleanup(func() { stop(); <-ended })
	base = waitFor(t, messages, regexp.MustCompile(`serving (http://[^/]+)/ump`))
	b, _, said = clitest.Person(t, t.Context())
	b.Env = a.Env
	out = new(strings.Builder)
	b.Out = out
	return base, filepath.Join(a.Env("SATCHEL_STORE"), "token"), b, out, said
}

// TestConformanceAIMEM puts the requirements to the program's own server, erasure
// included.
func TestConformanceAIMEM(t *testing.T) {
	t.Parallel()
	base, token, b, out, said := started(t)
	t.Run("AIMEM-4-3 with the store's own token every row is kept, strictly", func(t *testing.T) {
		code := run(b, []string{"conformance", "aimem", base, "--token-file", token, "--strict", "--erase", "--yes", "--json"})
		var report struct {
			OK   bool
			Rows []struct{ ID, Outcome, Message string }
		}
		if err := json.Unmarshal([]byte(out.String()), &report); err != nil {
			t.Fatalf("%v: %s %s", err, out, said)
		}
		passed := 0
		for _, row := range report.Rows {
			if row.Outcome == "pass" {
				passed++
			} else {
				t.Logf("%s: %s %s", row.ID, row.Outcome, row.Message)
			}
		}
		if code != cli.ExitDone || !report.OK || passed < 100 {
			t.Errorf("it ends with %d, %d rows pass: %s", code, passed, said)
		}
	})
	t.Run("some rows, and rows that are none", func(t *testing.T) {
		out.Reset()
		if code := run(b, []string{"conformance", "aimem", base, "--token-file", token, "--only", "3.1-5", "--only", "AIMEM-2.8", "--all"}); code != cli.ExitDone || !strings.Contains(out.String(), "AIMEM-2.8-8") {
			t.Errorf("it ends with %d: %s %s", code, out, said)
		}
		if code := run(b, []string{"conformance", "aimem", base, "--token-file", token, "--only", "9.9"}); code != cli.ExitUsage {
			t.Errorf("it ends with %d", code)
		}
	})
	t.Run("nobody's token", func(t *testing.T) {
		c, _, heard := clitest.Person(t, t.Context())
		if code := run(c, []string{"conformance", "aimem", base, "--token", "somebody-elses"}); code != cli.ExitRefused || strings.Contains(heard.String(), "somebody-elses") {
			t.Errorf("it ends with %d: %s", code, heard)
		}
	})
}

// TestServeBundles: how bundles are taken is told when the server is started.
func TestServeBundles(t *testing.T) {
	t.Parallel()
	base, file, _, _, _ := started(t, "--aimem-verify", "require", "--max-bundle", "64K")
	token, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const unsigned = `{"format":"aimem-bundle","version":"1","producer":"conformance-test","tenant_id":"11111111-1111-1111-1111-111111111111",` +
		`"exported_at":"2026-06-13T15:00:00Z","scope":"FULL","chunks":[],"edges":[],"entities":[],"chunk_entities":[],` +
		`"checksum":"sha256:d0bee82786e7b3a85cf8574d2ef8d76793602045ddda106bc25b9ff0181c9b36"}`
	for _, c := range []struct {
		name, body, want string
		status           int
	}{
		{"AIMEM-5.3-1 without a signature", unsigned, "signature_required", http.StatusUnprocessableEntity},
		{"one that is too large", unsigned + strings.Repeat(" ", 70_000), "body_too_large", http.StatusRequestEntityTooLarge},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/v1/brain/import", strings.NewReader(c.body))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Content-Type", "application/aimem-bundle+json")
			r.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
			answer, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer answer.Body.Close()
			said, err := io.ReadAll(answer.Body)
			if err != nil || answer.StatusCode != c.status || !strings.Contains(string(said), c.want) {
				t.Errorf("%d %s %v, want %d %s", answer.StatusCode, said, err, c.status, c.want)
			}
		})
	}
	for _, flags := range [][]string{{"--aimem-verify", "perhaps"}, {"--max-bundle", "0"}, {"--max-bundle", "much"}} {
		a, _, messages := clitest.Person(t, t.Context())
		if code := run(a, append([]string{"serve", "--addr", "127.0.0.1:0"}, flags...)); code != cli.ExitUsage {
			t.Errorf("%v ends with %d: %s", flags, code, messages)
		}
	}
}
