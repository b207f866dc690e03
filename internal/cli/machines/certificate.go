package machines

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"math/big"
	"net"
	"net/http"
	"time"

	"github.com/satchel-memory/satchel/internal/httpkit"
)

// temporaryCertificate makes a certificate for one pairing. The pairing authenticates the
// machines, and sends the certificate's digest to the new one.
func temporaryCertificate(now time.Time) (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "satchel pairing"},
		NotBefore: now.Add(-24 * time.Hour), NotAfter: now.Add(24 * time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, err
}

// digest returns the SHA-256 of a certificate in DER.
func digest(certificate []byte) []byte {
	sum := sha256.Sum256(certificate)
	return sum[:]
}

// errCertificate: the certificate is not the one of the pairing.
var errCertificate = errors.New("another machine answers than the one that was paired")

// pinnedTransport returns a transport to a server with a temporary certificate. want returns the
// certificate's digest; nil: any certificate is accepted, and the server has to prove who it is
// by the pairing.
func pinnedTransport(want func() []byte) http.RoundTripper {
	return &http.Transport{
		ForceAttemptHTTP2: true, TLSHandshakeTimeout: 10 * time.Second, ResponseHeaderTimeout: 10 * time.Minute,
		DialContext: (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
		TLSClientConfig: &tls.Config{
			MinVersion: tls.VersionTLS13, InsecureSkipVerify: true, //nolint:gosec // see VerifyConnection
			VerifyConnection: func(s tls.ConnectionState) error {
				pinned := want()
				if pinned != nil && (len(s.PeerCertificates) == 0 || !bytes.Equal(digest(s.PeerCertificates[0].Raw), pinned)) {
					return errCertificate
				}
				return nil
			},
		},
	}
}

// withoutRedirects returns a client that follows no redirect. A nil transport is the default one.
func withoutRedirects(transport http.RoundTripper) *http.Client {
	return &http.Client{Transport: transport, CheckRedirect: httpkit.NoRedirect}
}
