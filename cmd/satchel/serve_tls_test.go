//go:build unix

package main

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log/slog"
	"math/big"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// issue makes a certificate of a serial number for localhost, and returns it and
// its key in PEM.
func issue(t *testing.T, serial int64) (cert, key []byte) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: "localhost"}, DNSNames: []string{"localhost"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})
}

// put writes a file with a time of change of its own, however quickly files are
// written one after the other.
func put(t *testing.T, path string, data []byte, changed time.Time) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, changed, changed); err != nil {
		t.Fatal(err)
	}
}

func TestCertificateIsRenewed(t *testing.T) {
	dir := t.TempDir()
	certFile, keyFile := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	now, log := time.Now(), new(bytes.Buffer)
	cert, key := issue(t, 1)
	put(t, certFile, cert, now)
	put(t, keyFile, key, now)
	c, err := openCertificate(certFile, keyFile, func() time.Time { return now }, slog.New(slog.NewTextHandler(log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	serial := func() int64 {
		t.Helper()
		now = now.Add(reloadEvery)
		pair, err := c.forConnection(nil)
		if err != nil {
			t.Fatal(err)
		}
		return pair.Leaf.SerialNumber.Int64()
	}
	if got := serial(); got != 1 {
		t.Fatalf("serial %d", got)
	}
	cert, key = issue(t, 2)
	put(t, certFile, cert, now)
	for range 2 { // half renewed
		if got := serial(); got != 1 {
			t.Errorf("serial %d while the key is the old one", got)
		}
	}
	if n := strings.Count(log.String(), "cannot be renewed"); n != 1 {
		t.Errorf("it is told %d times:\n%s", n, log)
	}
	put(t, keyFile, key, now)
	if got := serial(); got != 2 {
		t.Errorf("serial %d after both are new", got)
	}
	cert, key = issue(t, 3)
	put(t, certFile, cert, now)
	put(t, keyFile, key, now)
	if err := os.Chmod(keyFile, 0o640); err != nil {
		t.Fatal(err)
	}
	if got := serial(); got != 2 {
		t.Errorf("serial %d with a key that others may read", got)
	}
	if err := os.Remove(keyFile); err != nil {
		t.Fatal(err)
	}
	if got := serial(); got != 2 {
		t.Errorf("serial %d without a key", got)
	}
	put(t, keyFile, key, now)
	if pair, err := c.forConnection(nil); err != nil || pair.Leaf.SerialNumber.Int64() != 2 {
		t.Error("the files are looked at for every connection")
	}
	if got := serial(); got != 3 {
		t.Errorf("serial %d at last", got)
	}
}

func TestServeTLS(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	a, _, messages := person(t, ctx)
	if code := run(a, []string{"init", "-q"}); code != exitDone {
		t.Fatalf("init ends with %d: %s", code, messages)
	}
	before := len(messages.String())
	dir := t.TempDir()
	certFile, keyFile := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	cert, key := issue(t, 1)
	put(t, certFile, cert, time.Now())
	put(t, keyFile, key, time.Now())
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
