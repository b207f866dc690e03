//go:build unix

package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/canon"
	aaifsuite "github.com/satchel-memory/satchel/conformance/aaif"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/clitest"
)

// aaifReport is what a run prints for machines.
type aaifReport struct {
	OK, Partial bool
	Name, Level string
	Levels      []aaif.Level `json:"levels_shown"`
	Counts      map[string]int
	Rows        []struct{ ID, Outcome, Message string }
	Left, Needs []string
	Documents   []struct {
		File, Kind string
		Levels     []string
		OK         bool
		Rows       []struct{ ID, Outcome, Message string }
	}
}

func (r *aaifReport) read(t *testing.T, out string) {
	t.Helper()
	*r = aaifReport{}
	if err := json.Unmarshal([]byte(out), r); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// TestConformanceAAIF puts the requirements to the program's own server.
func TestConformanceAAIF(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	a, _, messages := clitest.Person(t, ctx)
	if code := run(a, []string{"init", "-q"}); code != cli.ExitDone {
		t.Fatalf("init ends with %d: %s", code, messages)
	}
	dir := t.TempDir()
	certFile, keyFile := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	cert, key := clitest.Certificate(t, 1)
	clitest.Put(t, certFile, cert, time.Now())
	clitest.Put(t, keyFile, key, time.Now())
	folder := filepath.Join(a.Env("SATCHEL_STORE"), "run") // what the operator allows, as a run without it says
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	plays := free.Addr().String() // the table of models names it
	_ = free.Close()
	clitest.Put(t, filepath.Join(folder, "models.json"), []byte(`{"providers":[{"name":"conformance","base_url":"http://`+plays+`/v1","regions":["EU"]}]}`), time.Now())
	clitest.Put(t, filepath.Join(folder, "telemetry.json"), []byte(`{"collectors":[{"hosts":["127.0.0.1"]}]}`), time.Now())
	clitest.Put(t, filepath.Join(folder, "tools.json"), []byte(`{"egress":["127.0.0.1"],"grants":[{"agent":"`+aaifsuite.Runner+`","tools":["conformance_book","conformance_look"]}],"tools":[{"agent":"`+
		aaifsuite.Runner+`","tool":"conformance_look","method":"GET"}]}`), time.Now())
	ended := make(chan int)
	go func() {
		ended <- run(a, []string{"serve", "--addr", "127.0.0.1:0", "--tls-cert", certFile, "--tls-key", keyFile})
	}()
	defer func() { stop(); <-ended }()
	base := strings.Replace(waitFor(t, messages, regexp.MustCompile(`serving (https://[^/]+)/ump`)), "127.0.0.1", "localhost", 1)
	b, _, said := clitest.Person(t, t.Context())
	b.Env = a.Env
	out := new(strings.Builder)
	b.Out = out
	token := filepath.Join(a.Env("SATCHEL_STORE"), "token")
	var report aaifReport
	t.Run("with the store's own token and key every row is kept, strictly", func(t *testing.T) {
		code := run(b, []string{"conformance", "aaif", base, "--own", "--ca", certFile, "--strict", "--json", "--listen", plays})
		report.read(t, out.String())
		if code != cli.ExitDone || !report.OK || report.Partial || report.Counts["pass"] < 80 || len(report.Left)+len(report.Needs) > 0 {
			t.Errorf("it ends with %d: %+v %s", code, report, said)
		}
		if !slices.Equal(report.Levels, aaif.Levels()) {
			t.Errorf("the levels %v are shown", report.Levels)
		}
		for _, list := range []string{"list", "states", "runs"} { // nothing stays in the store
			at := len(out.String())
			if code := run(b, []string{"agent", list, "--json"}); code != cli.ExitDone || strings.TrimSpace(out.String()[at:]) != "[]" {
				t.Errorf("agent %s ends with %d: %s", list, code, out.String()[at:])
			}
		}
	})
	t.Run("AAIF-6-15 AAIF-6-19 AAIF-6-20 what it showed is published, with the numbers of the run", func(t *testing.T) {
		trusted := x509.NewCertPool()
		trusted.AppendCertsFromPEM(cert)
		client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusted}}}
		defer client.CloseIdleConnections()
		answer, err := client.Get(base + "/.well-known/aaif-conformance.json")
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		raw, err := io.ReadAll(io.LimitReader(answer.Body, 1<<20))
		if err != nil {
			t.Fatal(err)
		}
		document, err := canon.Parse(raw, canon.Options{})
		if err != nil {
			t.Fatalf("%d %v: %s", answer.StatusCode, err, raw)
		}
		r := aaif.ReadReport(document)
		if err := r.Publishable(); err != nil || len(r.Claims) != 3 || r.Claims[0].Level != aaif.MultiAgent || r.Claims[1].Level != aaif.Enterprise || r.Claims[2].Level != aaif.Stateful || r.Attestation.Signature == "" {
			t.Fatalf("%v: %s", err, raw)
		}
		for _, c := range r.Claims {
			if c.Direction == aaif.Consumer && c.Suite.Passed == report.Counts["pass"] && c.Suite.Total == c.Suite.Passed && c.Suite.Corpus == aaifsuite.Corpus {
				continue
			}
			t.Errorf("it claims %s", raw)
		}
		out.Reset()
		code := run(b, []string{"conformance", "aaif", base, "--own", "--ca", certFile, "--strict", "--json", "--only", "6"})
		report.read(t, out.String())
		if code != cli.ExitDone || !report.OK || report.Counts["pass"] < 4 {
			t.Errorf("what is published is tried: it ends with %d: %s %s", code, out, said)
		}
		h, _, err := a.ExistingStore()
		if err != nil {
			t.Fatal(err)
		}
		kept, err := os.ReadFile(h.Shown())
		if err != nil {
			t.Fatal(err)
		}
		for name, change := range map[string][2]string{"of another release": {cli.Release(), "0.0.1"}, "of another platform": {r.Platform.Name, "elsewhere"}, "that failed": {`"passed": `, `"passed": 1`}, "of other settings": {`"in_force": "`, `"in_force": "0`}} {
			clitest.Put(t, h.Shown(), []byte(strings.Replace(string(kept), change[0], change[1], 1)), time.Now())
			again, err := client.Get(base + "/.well-known/aaif-conformance.json")
			if err != nil {
				t.Fatal(err)
			}
			if again.Body.Close(); again.StatusCode != http.StatusNotFound {
				t.Errorf("a run %s is published: %d", name, again.StatusCode)
			}
		}
	})
	t.Run("without a key what needs one is not tried", func(t *testing.T) {
		out.Reset()
		code := run(b, []string{"conformance", "aaif", base, "--token-file", token, "--ca", certFile, "--json", "--only", "8.3", "--only", "7-16"})
		report.read(t, out.String())
		if code != cli.ExitDone || !report.OK || !report.Partial || report.Counts["not tried"] < 9 || report.Counts["pass"] != 2 { // 7-16 and 8.3-5
			t.Errorf("it ends with %d: %+v %s", code, report, said)
		}
	})
	t.Run("in words", func(t *testing.T) {
		out.Reset()
		if code := run(b, []string{"conformance", "aaif", base, "--token-file", token, "--ca", certFile, "--only", "7-13"}); code != cli.ExitDone || !strings.Contains(out.String(), "keeps AAIF 3.4 as far as tried: 1 pass") {
			t.Errorf("%d %s", code, out)
		}
		for all, want := range map[string]int{"": 2, "--all": report.Counts["not tried"]} {
			out.Reset()
			args := []string{"conformance", "aaif", base, "--token-file", token, "--ca", certFile, "--only", "8.3", "--only", "7-16"}
			if code := run(b, append(args, strings.Fields(all)...)); code != cli.ExitDone || strings.Count(out.String(), "not tried ") != want || strings.Contains(out.String(), "levels") {
				t.Errorf("%q: %d, want %d rows that were not tried: %s", all, code, want, out)
			}
		}
	})
	for _, c := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"no token", []string{base}, cli.ExitUsage, "--token-file"},
		{"nobody's token", []string{base, "--ca", certFile, "--token", "somebody-elses"}, cli.ExitRefused, "answers 401"},
		{"rows that are none", []string{base, "--own", "--only", "99"}, cli.ExitUsage, "no row 99"},
		{"two platforms", []string{base, base, "--own"}, cli.ExitUsage, "one platform"},
		{"no such file", []string{filepath.Join(dir, "none.json")}, cli.ExitFailed, "none.json"},
		{"no such level", []string{certFile, "--level", "Gold"}, cli.ExitUsage, "Gold"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, _, heard := clitest.Person(t, t.Context())
			d.Env = a.Env
			if code := run(d, append([]string{"conformance", "aaif"}, c.args...)); code != c.code || !strings.Contains(heard.String(), c.want) {
				t.Errorf("it ends with %d: %s", code, heard)
			}
			if strings.Contains(heard.String(), "somebody-elses") {
				t.Error("the token is told")
			}
		})
	}
}

// TestConformanceAAIFFails tries a server that does nothing right.
func TestConformanceAAIFFails(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{}`)) }))
	defer server.Close()
	a, out, _ := clitest.Person(t, t.Context())
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code := run(a, []string{"conformance", "aaif", server.URL, "--token-file", token}); code != cli.ExitFailed || !strings.Contains(out.String(), "does not keep AAIF 3.4") ||
		!strings.Contains(out.String(), "blocked") || !strings.Contains(out.String(), "fail           AAIF-12-4") {
		t.Errorf("it ends with %d: %s", code, out)
	}
}

// TestConformanceAAIFDocuments looks at documents of a folder.
func TestConformanceAAIFDocuments(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for name, text := range map[string]string{
		"good.json": `{"sc_standard":"SC-006","agent":{"name":"A","goal":"G"}}`, "sub/bad.json": `{"sc_standard":"SC-006","agent":{"name":"A"}}`, "notes.txt": "x",
		"gone.ndjson": `{"type":"handoff_error","code":"CANCELLED","message":"no"}`,
	} {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	good := filepath.Join(folder, "good.json")
	a, out, said := clitest.Person(t, t.Context())
	var report aaifReport
	code := run(a, []string{"conformance", "aaif", folder, "--json"})
	report.read(t, out.String())
	if code != cli.ExitFailed || report.OK || len(report.Documents) != 3 || !strings.HasSuffix(report.Documents[2].File, "bad.json") || report.Documents[2].OK || !report.Documents[1].OK {
		t.Errorf("it ends with %d: %+v %s", code, report, said)
	}
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{good}, cli.ExitDone, "1 document keeps AAIF 3.4"},
		{[]string{good, "--level", "Tooled"}, cli.ExitFailed, "fail           AAIF-6-3"},
		{[]string{good, good}, cli.ExitDone, "2 documents keep AAIF 3.4"},
		{[]string{good, folder}, cli.ExitFailed, "4 documents do not all keep AAIF 3.4"},
		{[]string{good, "--only", "12-4", "--all"}, cli.ExitDone, "1 pass"},
	} {
		b, out, said := clitest.Person(t, t.Context())
		if code := run(b, append([]string{"conformance", "aaif"}, c.args...)); code != c.code || !strings.Contains(out.String(), c.want) {
			t.Errorf("%v ends with %d: %s %s", c.args, code, out, said)
		}
	}
}
