//go:build unix

package operate

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/cli/clitest"
)

func TestCertificateIsRenewed(t *testing.T) {
	dir := t.TempDir()
	certFile, keyFile := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	now, log := time.Now(), new(bytes.Buffer)
	cert, key := clitest.Certificate(t, 1)
	clitest.Put(t, certFile, cert, now)
	clitest.Put(t, keyFile, key, now)
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
	cert, key = clitest.Certificate(t, 2)
	clitest.Put(t, certFile, cert, now)
	for range 2 { // half renewed
		if got := serial(); got != 1 {
			t.Errorf("serial %d while the key is the old one", got)
		}
	}
	if n := strings.Count(log.String(), "cannot be renewed"); n != 1 {
		t.Errorf("it is told %d times:\n%s", n, log)
	}
	clitest.Put(t, keyFile, key, now)
	if got := serial(); got != 2 {
		t.Errorf("serial %d after both are new", got)
	}
	cert, key = clitest.Certificate(t, 3)
	clitest.Put(t, certFile, cert, now)
	clitest.Put(t, keyFile, key, now)
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
	clitest.Put(t, keyFile, key, now)
	if pair, err := c.forConnection(nil); err != nil || pair.Leaf.SerialNumber.Int64() != 2 {
		t.Error("the files are looked at for every connection")
	}
	if got := serial(); got != 3 {
		t.Errorf("serial %d at last", got)
	}
}
