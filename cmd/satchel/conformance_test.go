//go:build unix

package main

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/clitest"
)

// TestConformance puts the requirements to the program's own server.
func TestConformance(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	a, _, messages := clitest.Person(t, ctx)
	if code := run(a, []string{"init", "-q"}); code != cli.ExitDone {
		t.Fatalf("init ends with %d: %s", code, messages)
	}
	ended := make(chan int)
	go func() { ended <- run(a, []string{"serve", "--addr", "127.0.0.1:0"}) }()
	defer func() { stop(); <-ended }()
	base := waitFor(t, messages, regexp.MustCompile(`serving (http://[^/]+)/ump`))
	b, _, said := clitest.Person(t, t.Context())
	b.Env = a.Env
	out := new(strings.Builder)
	b.Out = out

	t.Run("UMP-7-8 UMP-7-5 with the store's own token and key every row is kept, strictly", func(t *testing.T) {
		code := run(b, []string{"conformance", "ump", base, "--own", "--strict", "--json"})
		var report struct {
			OK     bool
			Level  string
			Counts map[string]int
			Rows   []struct{ ID, Outcome, Message string }
			Left   []string
		}
		if err := json.Unmarshal([]byte(out.String()), &report); err != nil {
			t.Fatalf("%v: %s %s", err, out, said)
		}
		if code != cli.ExitDone || !report.OK || report.Level != "L3" || report.Counts["pass"] < 200 || len(report.Left) > 0 {
			t.Errorf("it ends with %d: %s %v %v", code, report.Level, report.Counts, report.Left)
		}
		for _, row := range report.Rows {
			if row.Outcome != "pass" && row.Outcome != "not applicable" {
				t.Logf("%s: %s %s", row.ID, row.Outcome, row.Message)
			}
		}
		if !strings.Contains(said.String(), "token and the key of the store") {
			t.Errorf("it does not say whose token it uses: %s", said)
		}
	})
	t.Run("nothing is left in the store", func(t *testing.T) {
		out.Reset()
		if code := run(b, []string{"list", "--json"}); code != cli.ExitDone || strings.Contains(out.String(), "conformance") {
			t.Errorf("%d %s", code, out)
		}
	})
	t.Run("with a token alone, and some rows only", func(t *testing.T) {
		out.Reset()
		file := filepath.Join(a.Env("SATCHEL_STORE"), "token")
		if code := run(b, []string{"conformance", "ump", base + "/ump", "--token-file", file, "--only", "3.2", "--only", "UMP-3.3-4"}); code != cli.ExitDone {
			t.Errorf("it ends with %d: %s %s", code, out, said)
		}
		if !strings.Contains(out.String(), "not tried") || !strings.Contains(out.String(), "keeps UMP 0.1 / L3 as far as tried: 14 pass, 1 not tried") {
			t.Errorf("%s", out)
		}
	})
	t.Run("nobody's token, or none, is a matter of which to give", func(t *testing.T) {
		for _, more := range [][]string{nil, {"--token", "somebody-elses"}} {
			c, _, said := clitest.Person(t, t.Context()) // who has no store
			if code := run(c, append([]string{"conformance", "ump", base}, more...)); code != cli.ExitRefused || !strings.Contains(said.String(), "--token-file, or --own") {
				t.Errorf("with %v it ends with %d: %s", more, code, said)
			}
			if strings.Contains(said.String(), "umpsuite") || strings.Contains(said.String(), "somebody-elses") {
				t.Errorf("%s", said)
			}
		}
	})
	t.Run("a token that only reads is not enough for a whole run", func(t *testing.T) {
		out.Reset()
		if code := run(b, []string{"token", "mint", "--verb", "read", "--project", "x"}); code != cli.ExitDone {
			t.Fatalf("%d %s", code, said)
		}
		reader := strings.TrimSpace(out.String())
		c, _, heard := clitest.Person(t, t.Context())
		if code := run(c, []string{"conformance", "ump", base, "--token", reader}); code != cli.ExitUsage || !strings.Contains(heard.String(), "a token of the owner's side") {
			t.Errorf("it ends with %d: %s", code, heard)
		}
		if code := run(c, []string{"conformance", "ump", base, "--token", reader, "--owner", "did:key:x"}); code != cli.ExitRefused || !strings.Contains(heard.String(), "403 forbidden_scope") {
			t.Errorf("it ends with %d: %s", code, heard)
		}
	})
	t.Run("rows that are none", func(t *testing.T) {
		if code := run(b, []string{"conformance", "ump", base, "--own", "--only", "9.9"}); code != cli.ExitUsage {
			t.Errorf("it ends with %d", code)
		}
	})
}

// TestConformanceTLS tries a server whose certificate nobody signed but itself.
func TestConformanceTLS(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"ump":"0.1","conformance":"L1"}`))
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	defer server.Close()
	folder := t.TempDir()
	file := func(name string, data []byte) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	its := file("its.pem", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))
	none := file("none.pem", []byte("nothing"))
	for _, c := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"nobody knows it", []string{server.URL}, cli.ExitRefused, "--ca"},
		{"it is given, and something else is missing", []string{server.URL, "--ca", its}, cli.ExitUsage, "--owner DID"},
		{"it is given for another name", []string{strings.Replace(server.URL, "127.0.0.1", "localhost", 1), "--ca", its}, cli.ExitRefused, "another name"},
		{"the file holds none", []string{server.URL, "--ca", none}, cli.ExitUsage, "BEGIN CERTIFICATE"},
		{"there is no such file", []string{server.URL, "--ca", its + ".old"}, cli.ExitFailed, "its.pem.old"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, _, messages := clitest.Person(t, t.Context())
			if code := run(a, append([]string{"conformance", "ump"}, c.args...)); code != c.code || !strings.Contains(messages.String(), c.want) {
				t.Errorf("it ends with %d: %s", code, messages)
			}
		})
	}
}

// TestConformanceFails tries a server that does nothing right.
func TestConformanceFails(t *testing.T) {
	t.Parallel()
	for _, edition := range []string{"0.1", "1.0"} {
		t.Run(edition, func(t *testing.T) { conformanceFails(t, edition) })
	}
}

func conformanceFails(t *testing.T, edition string) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"ump":"` + edition + `","conformance":"L1","owner":"did:key:x"}`))
	}))
	defer server.Close()
	a, out, messages := clitest.Person(t, t.Context())
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code := run(a, []string{"conformance", "ump", server.URL, "--token-file", token}); code != cli.ExitFailed {
		t.Errorf("it ends with %d", code)
	}
	for _, want := range []string{"fail           UMP-7-3", "warn           UMP-3.1-2", "does not keep UMP " + edition + " / L1"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("it does not say %q: %s", want, out)
		}
	}
	if strings.Contains(out.String()+messages.String(), "secret") {
		t.Error("the token is told")
	}
}
