// Package otel reads from the environment, by the variables of OpenTelemetry, where traces
// and metrics go (docs/operate.md, section 11).
package otel

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"log/slog"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/telemetry"
)

// flushTimeout is how long a program that stops waits for the collector.
const flushTimeout = 5 * time.Second

// Start begins to export traces and metrics if the environment names a collector; without one
// it returns nil. The log says which host gets them; nil: nothing is logged.
func Start(a *cli.App, log *slog.Logger) (*telemetry.Exporter, error) {
	if disabled(a) {
		return nil, nil
	}
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	o := telemetry.Options{Release: cli.Release(), Server: rand.Text(), Log: log}
	var err error
	if o.Traces, err = exportTarget(a, "TRACES", "v1/traces"); err != nil {
		return nil, err
	}
	if o.Metrics, err = exportTarget(a, "METRICS", "v1/metrics"); err != nil {
		return nil, err
	}
	if o.Every, err = millisOf(a, "OTEL_METRIC_EXPORT_INTERVAL"); err != nil {
		return nil, err
	}
	e, err := telemetry.Start(o)
	if err != nil {
		return nil, cli.Usagef("%w", err)
	}
	for what, t := range map[string]telemetry.Target{"traces": o.Traces, "metrics": o.Metrics} {
		if u, err := url.Parse(t.URL); t.URL != "" && err == nil {
			log.Info("exporting "+what+", without content", "to", u.Host, "tls", u.Scheme == "https")
		}
	}
	return e, nil
}

// Traces reports whether the environment names a collector of traces.
func Traces(a *cli.App) bool {
	t, err := exportTarget(a, "TRACES", "v1/traces")
	return err == nil && t.URL != "" && !disabled(a)
}

func disabled(a *cli.App) bool {
	return strings.EqualFold(strings.TrimSpace(a.Env("OTEL_SDK_DISABLED")), "true")
}

// Close exports what is left.
func Close(e *telemetry.Exporter) { Within(e.Close) }

// Within lets something send what is left, for five seconds at most.
func Within(flush func(context.Context)) {
	ctx, cancel := context.WithTimeout(context.Background(), flushTimeout)
	defer cancel()
	flush(ctx)
}

// exportTarget reads where one of the two signals goes. The variable of the signal goes
// before that of both. The zero Target: nowhere.
func exportTarget(a *cli.App, signal, path string) (t telemetry.Target, err error) {
	const both = "OTEL_EXPORTER_OTLP_"
	setting := func(name string) string {
		return strings.TrimSpace(cmp.Or(a.Env(both+signal+"_"+name), a.Env(both+name)))
	}
	switch kind := strings.TrimSpace(a.Env("OTEL_" + signal + "_EXPORTER")); kind {
	case "", "otlp":
	case "none":
		return t, nil
	default:
		return t, cli.Usagef("OTEL_%s_EXPORTER is %s; satchel knows otlp and none", signal, cli.Clean(kind))
	}
	if t.URL = strings.TrimSpace(a.Env(both + signal + "_ENDPOINT")); t.URL == "" {
		if t.URL = strings.TrimSpace(a.Env(both + "ENDPOINT")); t.URL == "" {
			return t, nil
		}
		if u, err := url.Parse(t.URL); err == nil { // else the exporter refuses it
			t.URL = u.JoinPath(path).String()
		}
	}
	if p := setting("PROTOCOL"); p != "" && p != "http/protobuf" {
		return t, cli.Usagef("%sPROTOCOL is %s; satchel speaks http/protobuf, on port 4318 of a collector", both, cli.Clean(p))
	}
	switch packing := setting("COMPRESSION"); packing {
	case "", "none":
	case "gzip":
		t.Gzip = true
	default:
		return t, cli.Usagef("%sCOMPRESSION is %s; satchel knows gzip and none", both, cli.Clean(packing))
	}
	if t.Timeout, err = millisOf(a, both+signal+"_TIMEOUT", both+"TIMEOUT"); err != nil {
		return t, err
	}
	if t.Headers, err = headersOf(setting("HEADERS")); err != nil {
		return t, err
	}
	t.TLS, err = exportTLS(setting("CERTIFICATE"), setting("CLIENT_CERTIFICATE"), setting("CLIENT_KEY"))
	return t, err
}

// millisOf reads the first of these variables that is set, in milliseconds; 0: none is.
func millisOf(a *cli.App, names ...string) (time.Duration, error) {
	for _, name := range names {
		if said := strings.TrimSpace(a.Env(name)); said != "" {
			n, err := strconv.ParseInt(said, 10, 32)
			if err != nil || n < 1 {
				return 0, cli.Usagef("%s is %s; it takes a number of milliseconds above 0", name, cli.Clean(said))
			}
			return time.Duration(n) * time.Millisecond, nil
		}
	}
	return 0, nil
}

// headersOf reads headers in the form name=value,name=value, escaped as in URLs. Its error
// quotes none of them, because values may be keys.
func headersOf(list string) (map[string]string, error) {
	headers := map[string]string{}
	for pair := range strings.SplitSeq(list, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, value, ok := strings.Cut(pair, "=")
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if name = strings.TrimSpace(name); !ok || name == "" || err != nil {
			return nil, cli.Usagef("OTEL_EXPORTER_OTLP_HEADERS cannot be read; its form is name=value,name=value")
		}
		headers[name] = value
	}
	return headers, nil
}

// exportTLS reads the certificates for the way to the collector; nil: there are none.
func exportTLS(authority, cert, key string) (*tls.Config, error) {
	if authority == "" && cert == "" {
		return nil, nil
	}
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	if authority != "" {
		chain, err := cli.ReadBounded(authority, cli.MaxChain)
		if err != nil {
			return nil, cli.Unreadable("OTEL_EXPORTER_OTLP_CERTIFICATE", authority, err)
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(chain) {
			return nil, cli.Usagef("OTEL_EXPORTER_OTLP_CERTIFICATE: there is no certificate in %s", cli.Clean(authority))
		}
	}
	if cert != "" {
		pair, err := tls.LoadX509KeyPair(cert, key)
		if err != nil {
			return nil, cli.Usagef("OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE and …_CLIENT_KEY: %w", err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}
