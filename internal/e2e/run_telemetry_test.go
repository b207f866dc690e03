//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/telemetry/otlptest"
)

// TestRunTelemetry: a run on somebody's own machine tells a collector only if the environment
// names one, or if the definition does and the owner allows it.
func TestRunTelemetry(t *testing.T) {
	t.Parallel()
	c := otlptest.Start(t, nil)
	h := newHome(t)
	put := func(name, text string) string {
		path := filepath.Join(h.dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	agent := put("clerk.json", `{"sc_standard":"SC-006","agent_id":"7b1f6d0e-3c55-4f0a-9a60-0f5f6f1f2a11","agent":{"name":"Clerk","goal":"Book.","version":"1.0.0","model":{"provider":"ollama","preferred":"m"},"telemetry":{"otlp_endpoint":"`+c.URL+`"}}}`)
	script := put("script.jsonl", `{"answer":"Done."}`)
	spans := func(more ...string) int {
		before := len(c.Spans())
		one := *h
		one.settings = append(slices.Clone(h.settings), more...)
		if out, errs, err := one.try("agent", "run", agent, "--input", "planted", "--model", "script:"+script); err != nil || !strings.Contains(out, "Done.") {
			t.Fatalf("%v %s%s", err, out, errs)
		}
		return len(c.Spans()) - before
	}
	t.Run("AAIF-4.7-8 the definition alone lets nothing out", func(t *testing.T) {
		if n := spans(); n != 0 || len(c.Requests()) != 0 {
			t.Errorf("%d spans, %d requests", n, len(c.Requests()))
		}
	})
	t.Run("AAIF-4.7-7 the collector of the environment", func(t *testing.T) {
		if n := spans("OTEL_EXPORTER_OTLP_ENDPOINT=" + c.URL); n != 2 || c.Metric("aaif_agent_run_total") == nil {
			t.Errorf("%d spans", n)
		}
	})
	put("store/run/telemetry.json", `{"collectors":[{"hosts":["127.0.0.1"]}]}`)
	t.Run("AAIF-4.7-7 the collector of the definition, where the owner allows it", func(t *testing.T) {
		if n := spans(); n != 2 {
			t.Errorf("%d spans", n)
		}
	})
	if strings.Contains(string(c.Bytes()), "planted") {
		t.Error("AAIF-4.7-12: the input is in what was exported")
	}
}
