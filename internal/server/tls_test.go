package server_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"io"
	number "math/big"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/internal/server"
	"github.com/satchel-memory/satchel/memory"
)

// encrypted is a server that speaks TLS, and who trusts it.
type encrypted struct {
	*running
	trust *x509.CertPool
}

func startTLS(t *testing.T, o server.Options) encrypted {
	t.Helper()
	if o.Backend == nil {
		o.Backend = filled(t)
	}
	return startTLSFor(t, owner, o)
}

func startTLSFor(t *testing.T, owner memory.DID, o server.Options) encrypted {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: number.NewInt(1), Subject: pkix.Name{CommonName: "memory.example"}, DNSNames: []string{"localhost", "memory.example"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	o.Certificate = func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
		return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: private, Leaf: leaf}, nil
	}
	e := encrypted{startFor(t, owner, o), x509.NewCertPool()}
	e.trust.AddCert(leaf)
	return e
}

// client returns a client that reaches the server under any name.
func (e encrypted) client(t *testing.T, version int) *http.Client {
	t.Helper()
	transport := &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: e.trust}, Protocols: new(http.Protocols),
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, e.address)
		},
	}
	transport.Protocols.SetHTTP1(version == 1)
	transport.Protocols.SetHTTP2(version == 2)
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

func TestTLS(t *testing.T) {
	t.Parallel()
	e := startTLS(t, server.Options{Hosts: []string{"memory.example"}})
	for _, version := range []int{1, 2} {
		t.Run(fmt.Sprintf("HTTP/%d", version), func(t *testing.T) {
			for host, strict := range map[string]string{"memory.example": "max-age=31536000", "localhost": ""} {
				r, err := http.NewRequestWithContext(t.Context(), "POST", "https://"+host+"/ump/recall", strings.NewReader(`{"query":"pnpm"}`))
				if err != nil {
					t.Fatal(err)
				}
				r.Header.Set("Authorization", "Bearer "+token)
				got, err := e.client(t, version).Do(r)
				if err != nil {
					t.Fatal(err)
				}
				said, _ := io.ReadAll(got.Body)
				_ = got.Body.Close()
				if got.StatusCode != 200 || got.ProtoMajor != version || got.Header.Get("Strict-Transport-Security") != strict || got.Header.Get("X-Content-Type-Options") != "nosniff" {
					t.Errorf("%s: %s %s %v %s", host, got.Proto, got.Status, got.Header, said)
				}
			}
			if got, err := e.client(t, version).Get("https://localhost/ump/export"); err != nil || got.StatusCode != 401 {
				t.Errorf("without a token: %+v %v", got, err)
			}
		})
	}
	t.Run("an answer whose pieces are far apart", func(t *testing.T) {
		v := big(t, 3)
		v.Before = func(ctx context.Context, operation string, _ memory.Caller) error {
			if operation == "export record" {
				time.Sleep(300 * time.Millisecond)
			}
			return ctx.Err()
		}
		e := startTLS(t, server.Options{Backend: v, WriteTimeout: 100 * time.Millisecond})
		for _, version := range []int{1, 2} {
			r, err := http.NewRequestWithContext(t.Context(), "GET", "https://localhost/ump/export", nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Authorization", "Bearer "+token)
			got, err := e.client(t, version).Do(r)
			if err != nil {
				t.Fatal(err)
			}
			if said, err := io.ReadAll(got.Body); err != nil || len(said) < 300_000 {
				t.Errorf("HTTP/%d: %d bytes, %v", version, len(said), err)
			}
			_ = got.Body.Close()
		}
	})
	t.Run("no old versions", func(t *testing.T) {
		for version, ok := range map[uint16]bool{tls.VersionTLS10: false, tls.VersionTLS11: false, tls.VersionTLS12: true, tls.VersionTLS13: true} {
			c, err := tls.Dial("tcp", e.address, &tls.Config{RootCAs: e.trust, ServerName: "localhost", MinVersion: version, MaxVersion: version})
			if (err == nil) != ok {
				t.Errorf("%s: %v", tls.VersionName(version), err)
			}
			if err == nil {
				_ = c.Close()
			}
		}
	})
	t.Run("nothing in the clear", func(t *testing.T) {
		got := raw(t, e.running, "POST /ump/recall HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "+token+"\r\nContent-Length: 13\r\nConnection: close\r\n\r\n{\"query\":\"x\"}")
		if len(got) != 1 || got[0].StatusCode != 400 {
			t.Errorf("%+v", got)
		}
	})
	t.Run("a foreign name", func(t *testing.T) {
		r, err := http.NewRequestWithContext(t.Context(), "GET", "https://localhost/ump/capabilities", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = "evil.example"
		if got, err := e.client(t, 2).Do(r); err != nil || got.StatusCode != 403 {
			t.Errorf("%+v %v", got, err)
		}
	})
	t.Run("a handshake that never ends", func(t *testing.T) {
		e := startTLS(t, server.Options{HeaderTimeout: 100 * time.Millisecond})
		began := time.Now()
		if _, err := io.ReadAll(connect(t, e.running, "\x16\x03")); time.Since(began) > 20*time.Second {
			t.Errorf("the connection stayed open: %v", err)
		}
	})
	t.Run("one connection too many", func(t *testing.T) {
		e := startTLS(t, server.Options{MaxConnections: 1})
		first := e.dial(t)
		answered(t, first, "POST /ump/recall HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nAuthorization: Bearer "+token+"\r\nContent-Length: 100\r\n\r\n", http.StatusContinue)
		if said, _ := io.ReadAll(connect(t, e.running, "")); len(said) != 0 {
			t.Errorf("it is told %q in the clear", said)
		}
	})
}

// dial returns a connection whose handshake is done.
func (e encrypted) dial(t *testing.T) net.Conn {
	t.Helper()
	c := tls.Client(connect(t, e.running, ""), &tls.Config{RootCAs: e.trust, ServerName: "localhost"})
	if err := c.HandshakeContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestNoCBC requires that TLS 1.2 with a suite of CBC is refused.
func TestNoCBC(t *testing.T) {
	e := startTLS(t, server.Options{})
	for suite, want := range map[uint16]bool{tls.TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA: false, tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256: true} {
		c, err := tls.Dial("tcp", e.address, &tls.Config{RootCAs: e.trust, ServerName: "localhost", MaxVersion: tls.VersionTLS12, CipherSuites: []uint16{suite}})
		if (err == nil) != want {
			t.Errorf("%s: %v", tls.CipherSuiteName(suite), err)
		}
		if err == nil {
			c.Close()
		}
	}
}
