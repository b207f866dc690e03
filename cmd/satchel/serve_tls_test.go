//go:build unix

package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/clitest"
)

func TestServeTLS(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	a, _, messages := clitest.Person(t, ctx)
	if code := run(a, []string{"init", "-q"}); code != cli.ExitDone {
		t.Fatalf("init ends with %d: %s", code, messages)
	}
	before := len(messages.String())
	dir := t.TempDir()
	certFile, keyFile := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	cert, key := clitest.Certificate(t, 1)
	clitest.Put(t, certFile, cert, time.Now())
	clitest.Put(t, keyFile, key, time.Now())
	ended := make(chan int)
	go func() {
		ended <- run(a, []string{"serve", "--addr", "127.0.0.1:0", "--tls-cert", certFile, "--tls-key", keyFile, "--log", "json", "--public", "--open-metrics"})
	}()
	defer func() { stop(); <-ended }()
	base := strings.Replace(waitFor(t, messages, regexp.MustCompile(`"msg":"serving","ump":"(https://[^/]+)/ump"`)), "127.0.0.1", "localhost", 1)
	trusted := x509.NewCertPool()
	trusted.AppendCertsFromPEM(cert)
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusted}, ForceAttemptHTTP2: true}}
	defer client.CloseIdleConnections()
	for path, want := range map[string]string{
		"/ump/capabilities": `"conformance":"L3"`, "/.well-known/ump.json": "ump/public.ndjson", "/metrics": "satchel_records_active 0", "/.well-known/ump/public.ump.json": "[",
	} {
		got, err := client.Get(base + path)
		if err != nil {
			t.Fatal(err)
		}
		said, err := io.ReadAll(got.Body)
		_ = got.Body.Close()
		if err != nil || got.StatusCode != 200 || got.ProtoMajor != 2 || !strings.Contains(string(said), want) {
			t.Errorf("%s: %s %s %s, %v", path, got.Proto, got.Status, said, err)
		}
	}
	for _, line := range strings.Split(strings.TrimSpace(messages.String()[before:]), "\n") {
		if !strings.HasPrefix(line, `{"time":`) {
			t.Errorf("not for machines: %s", line)
		}
	}
}
