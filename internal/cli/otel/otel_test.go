package otel

import (
	"bytes"
	"errors"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/telemetry"
)

// around is an App whose environment are these variables, as NAME=value.
func around(variables ...string) *cli.App {
	env := map[string]string{}
	for _, v := range variables {
		name, value, _ := strings.Cut(v, "=")
		env[name] = value
	}
	return &cli.App{Env: func(name string) string { return env[name] }}
}

func TestExportTargets(t *testing.T) {
	const endpoint = "OTEL_EXPORTER_OTLP_ENDPOINT=http://collector:4318"
	for _, c := range []struct {
		what            string
		env             []string
		traces, metrics string
	}{
		{"nothing", nil, "", ""},
		{"one for both", []string{endpoint + "/"}, "http://collector:4318/v1/traces", "http://collector:4318/v1/metrics"},
		{"a prefix", []string{endpoint + "/otel"}, "http://collector:4318/otel/v1/traces", "http://collector:4318/otel/v1/metrics"},
		{"a key in the query", []string{endpoint + "?key=x"}, "http://collector:4318/v1/traces?key=x", "http://collector:4318/v1/metrics?key=x"},
		{"traces alone", []string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=https://t.example/x"}, "https://t.example/x", ""},
		{"metrics elsewhere", []string{endpoint, "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT=https://m.example/"}, "http://collector:4318/v1/traces", "https://m.example/"},
		{"no metrics", []string{endpoint, "OTEL_METRICS_EXPORTER=none", "OTEL_TRACES_EXPORTER=otlp"}, "http://collector:4318/v1/traces", ""},
	} {
		traces, err := exportTarget(around(c.env...), "TRACES", "v1/traces")
		metrics, also := exportTarget(around(c.env...), "METRICS", "v1/metrics")
		if traces.URL != c.traces || metrics.URL != c.metrics || err != nil || also != nil {
			t.Errorf("%s: %q and %q (%v, %v), want %q and %q", c.what, traces.URL, metrics.URL, err, also, c.traces, c.metrics)
		}
	}
	got, err := exportTarget(around(endpoint, "OTEL_EXPORTER_OTLP_HEADERS=x-key=a%20b, x-other = c=d ,", "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT=250",
		"OTEL_EXPORTER_OTLP_TIMEOUT=99", "OTEL_EXPORTER_OTLP_COMPRESSION=gzip", "OTEL_EXPORTER_OTLP_PROTOCOL=grpc", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=http/protobuf"), "TRACES", "v1/traces")
	if err != nil || !maps.Equal(got.Headers, map[string]string{"x-key": "a b", "x-other": "c=d"}) || got.Timeout != 250*time.Millisecond || !got.Gzip || got.TLS != nil {
		t.Errorf("%+v %v", got, err)
	}
}

func TestExportRefused(t *testing.T) {
	const endpoint = "OTEL_EXPORTER_OTLP_ENDPOINT=http://collector:4318"
	empty := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(empty, []byte("planted"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, variables := range [][]string{
		{endpoint, "OTEL_EXPORTER_OTLP_PROTOCOL=grpc"},
		{endpoint, "OTEL_TRACES_EXPORTER=zipkin"},
		{endpoint, "OTEL_EXPORTER_OTLP_HEADERS=planted"},
		{endpoint, "OTEL_EXPORTER_OTLP_HEADERS=a=planted%zz"},
		{endpoint, "OTEL_EXPORTER_OTLP_TIMEOUT=soon"},
		{endpoint, "OTEL_EXPORTER_OTLP_COMPRESSION=zstd"},
		{endpoint, "OTEL_METRIC_EXPORT_INTERVAL=0"},
		{endpoint, "OTEL_EXPORTER_OTLP_CERTIFICATE=" + empty},
		{endpoint, "OTEL_EXPORTER_OTLP_CERTIFICATE=" + empty + ".none"},
		{endpoint, "OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE=" + empty},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=user:planted@collector:4318"},
	} {
		e, err := Start(around(variables...), slog.New(slog.DiscardHandler))
		usage, ok := errors.AsType[*cli.Failure](err)
		wrong := ok && usage.Status == cli.ExitUsage || strings.HasSuffix(variables[len(variables)-1], ".none") // a missing file is no fault of the command line
		if e != nil || err == nil || !wrong || strings.Contains(err.Error(), "planted") {
			t.Errorf("%v: %v", variables, err)
		}
	}
	for _, variables := range [][]string{nil, {endpoint, "OTEL_SDK_DISABLED=TRUE"}, {endpoint, "OTEL_TRACES_EXPORTER=none", "OTEL_METRICS_EXPORTER=none"}} {
		if e, err := Start(around(variables...), slog.New(slog.DiscardHandler)); e != nil || err != nil {
			t.Errorf("%v: %v %v", variables, e, err)
		}
	}
}

// The log says where what is measured goes, and no more of the address.
func TestExportIsSaid(t *testing.T) {
	var log bytes.Buffer
	e, err := Start(around("OTEL_EXPORTER_OTLP_ENDPOINT=http://user:planted@127.0.0.1:1/planted?key=planted"), slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { Close(e) })
	if said := log.String(); strings.Count(said, "to=127.0.0.1:1 ") != 2 || strings.Contains(said, "planted") {
		t.Errorf("%s", said)
	}
	var none *telemetry.Exporter
	Close(none)
}
