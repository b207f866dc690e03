//go:build unix

package e2e

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/telemetry/otlptest"
)

// ask sends a request with the owner's token and some more headers, and returns the body.
func (r *replica) ask(method, path, body string, headers ...string) string {
	r.Helper()
	q, err := http.NewRequest(method, "http://"+r.at()+path, strings.NewReader(body))
	if err != nil {
		r.Fatal(err)
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		q.Header.Set(name, value)
	}
	answer, err := http.DefaultClient.Do(q)
	if err != nil {
		r.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		r.Fatal(err)
	}
	return string(text)
}

// A server that exports tells the collector nothing of what is remembered and asked, and of
// who does so.
func TestTelemetry(t *testing.T) {
	t.Parallel()
	c := otlptest.Start(t, nil)
	h := newHome(t)
	h.settings = append(h.settings, "OTEL_EXPORTER_OTLP_ENDPOINT="+c.URL, "OTEL_METRIC_EXPORT_INTERVAL=100")
	token, err := os.ReadFile(filepath.Join(h.dir, "store", "token"))
	if err != nil {
		t.Fatal(err)
	}
	r := &replica{home: h, name: "the server"}
	r.start()
	t.Cleanup(r.kill)
	bearer := "Authorization: Bearer " + strings.TrimSpace(string(token))
	const trace = "4bf92f3577b34da6a3ce929d0e0e4736"
	joined := []string{bearer, "Content-Type: application/json", "Traceparent: 00-" + trace + "-00f067aa0ba902b7-01",
		"Tracestate: planted=ana@example.org", "Baggage: who=ana@example.org", "User-Agent: planted/ana@example.org", "X-Request-Id: planted"}
	var kept struct{ ID string }
	said := r.ask("POST", "/ump/remember", `{"record":{"body":{"text":"The nightingale sings; mail ana@example.org, key planted-sk-live-4242."},"scope":{"project":"github.com/ana/nightingale"}}}`, joined...)
	if err := json.Unmarshal([]byte(said), &kept); err != nil || kept.ID == "" {
		t.Fatalf("%v %s", err, said)
	}
	if said := r.ask("POST", "/ump/recall", `{"query":"nightingale planted-sk-live-4242"}`, joined...); !strings.Contains(said, "nightingale") {
		t.Fatalf("%s", said)
	}
	r.ask("GET", "/ump/memory/"+kept.ID, "", bearer)
	r.ask("GET", "/ump/memory/urn:ump:planted?planted=ana@example.org", "", bearer)
	r.ask("GET", "/planted/ana@example.org", "", bearer)
	r.ask("PLANTED", "/ump/recall", "", bearer)
	r.ask("GET", "/ump/export", "", "Authorization: Bearer umpcap.planted")
	r.ask("POST", "/ump/recall", `{"planted":`, bearer)
	c.Await("metrics", func() bool {
		return c.Metric("satchel_http_requests_total") != nil && c.Metric("satchel_store_owners") != nil
	})
	r.stop() // which exports what is left

	names := map[string]bool{}
	for _, s := range c.Spans() {
		if hex.EncodeToString(s.TraceId) == trace {
			names[s.Name] = true
		}
	}
	for _, name := range []string{"POST /ump/remember", "POST /ump/recall", "transaction update", "transaction view"} {
		if !names[name] {
			t.Errorf("the trace that the client began has no span %q: %v", name, names)
		}
	}
	if len(c.Spans()) < 10 || c.Metric("satchel_store_transaction_duration_seconds") == nil {
		t.Errorf("there are %d spans", len(c.Spans()))
	}
	all := bytes.ToLower(c.Bytes())
	owner := strings.ToLower(strings.TrimSpace(h.run("owner", "list")))
	did := owner[strings.Index(owner, "did:key:"):]
	did, _, _ = strings.Cut(did, " ")
	for _, secret := range []string{"planted", "nightingale", "example.org", "ana@", "4242", "umpcap", "urn:ump", "127.0.0.1", strings.ToLower(kept.ID),
		strings.TrimPrefix(strings.ToLower(kept.ID), "urn:ump:"), did, "did:", strings.ToLower(strings.TrimSpace(string(token))), strings.ToLower(h.dir)} {
		if len(secret) < 4 || bytes.Contains(all, []byte(secret)) {
			t.Errorf("%q is in what was exported", secret)
		}
	}
}
