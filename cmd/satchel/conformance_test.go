//go:build unix

package main

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestConformance puts the requirements to the program's own server.
func TestConformance(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	a, _, messages := person(t, ctx)
	if code := run(a, []string{"init", "-q"}); code != exitDone {
		t.Fatalf("init ends with %d: %s", code, messages)
	}
	ended := make(chan int)
	go func() { ended <- run(a, []string{"serve", "--addr", "127.0.0.1:0"}) }()
	defer func() { stop(); <-ended }()
	base := waitFor(t, messages, regexp.MustCompile(`serving (http://[^/]+)/ump`))
	b, _, said := person(t, t.Context())
	b.env = a.env
	out := new(strings.Builder)
	b.out = out

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
		if code != exitDone || !report.OK || report.Level != "L3" || report.Counts["pass"] < 200 || len(report.Left) > 0 {
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
		if code := run(b, []string{"list", "--json"}); code != exitDone || strings.Contains(out.String(), "conformance") {
			t.Errorf("%d %s", code, out)
		}
	})
	t.Run("with a token alone, and some rows only", func(t *testing.T) {
		out.Reset()
		file := filepath.Join(a.env("SATCHEL_STORE"), "token")
		if code := run(b, []string{"conformance", "ump", base + "/ump", "--token-file", file, "--only", "3.2", "--only", "UMP-3.3-4"}); code != exitDone {
			t.Errorf("it ends with %d: %s %s", code, out, said)
		}
		if !strings.Contains(out.String(), "not tried") || !strings.Contains(out.String(), "keeps UMP 0.1 / L3: 14 pass, 1 not tried") {
			t.Errorf("%s", out)
		}
	})
	t.Run("rows that are none", func(t *testing.T) {
		if code := run(b, []string{"conformance", "ump", base, "--own", "--only", "9.9"}); code != exitUsage {
			t.Errorf("it ends with %d", code)
		}
	})
}

// TestConformanceFails tries a server that does nothing right.
func TestConformanceFails(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"ump":"0.1","conformance":"L1","owner":"did:key:x"}`))
	}))
	defer server.Close()
	a, out, messages := person(t, t.Context())
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code := run(a, []string{"conformance", "ump", server.URL, "--token-file", token}); code != exitFailed {
		t.Errorf("it ends with %d", code)
	}
	for _, want := range []string{"fail           UMP-7-3", "warn           UMP-3.1-2", "does not keep UMP 0.1 / L1"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("it does not say %q: %s", want, out)
		}
	}
	if strings.Contains(out.String()+messages.String(), "secret") {
		t.Error("the token is told")
	}
}
