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
	"strings"
	"time"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/pairing"
	"github.com/satchel-memory/satchel/internal/replica/peer"
)

// passing is a certificate for one pairing. Nobody has to trust it: the pairing itself
// proves who is there, and tells the other machine its digest.
func passing(now time.Time) (tls.Certificate, error) {
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

// digest is that of a certificate.
func digest(certificate []byte) []byte {
	sum := sha256.Sum256(certificate)
	return sum[:]
}

// errCertificate: somebody else answers than the machine of the pairing.
var errCertificate = errors.New("another machine answers than the one that was paired")

// stranger is a way to a server whose certificate nobody vouches for. want is the digest of
// the certificate; nil: whoever answers has to prove itself otherwise, as in a pairing.
func stranger(want func() []byte) http.RoundTripper {
	return &http.Transport{
		ForceAttemptHTTP2: true, TLSHandshakeTimeout: 10 * time.Second, ResponseHeaderTimeout: 10 * time.Minute,
		DialContext: (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
		TLSClientConfig: &tls.Config{
			MinVersion: tls.VersionTLS13, InsecureSkipVerify: true, //nolint:gosec // see VerifyConnection
			VerifyConnection: func(s tls.ConnectionState) error {
				digested := want()
				if digested != nil && (len(s.PeerCertificates) == 0 || !bytes.Equal(digest(s.PeerCertificates[0].Raw), digested)) {
					return errCertificate
				}
				return nil
			},
		},
	}
}

// stay makes a client that follows no redirect.
func stay(way http.RoundTripper) *http.Client {
	return &http.Client{Transport: way, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// spot is where a code is good: CODE@ADDRESS.
type spot struct {
	code    pairing.Code
	url     string
	passing bool // the server has a certificate for this pairing only
}

// parsePlace reads CODE@ADDRESS.
func parsePlace(text string) (p spot, err error) {
	code, address, found := strings.Cut(strings.TrimSpace(text), "@")
	if !found || address == "" {
		return p, cli.Usagef("%s is no CODE@ADDRESS: type what satchel pair shows on the other machine", cli.Clean(text))
	}
	if p.code, err = pairing.ParseCode(code); err != nil {
		return p, cli.WithStatus(cli.ExitUsage, err)
	}
	p.url = address
	if !strings.Contains(address, "://") {
		if _, _, err := net.SplitHostPort(address); err != nil {
			return p, cli.Usagef("%s is no address: type what satchel pair shows on the other machine, with the port", cli.Clean(address))
		}
		p.url, p.passing = "https://"+address, true
	}
	return p, cli.WithStatus(cli.ExitUsage, peer.CheckAddress(p.url))
}

// reachedBy is the address of this machine for others of its network.
func reachedBy(at net.Addr) string {
	tcp, ok := at.(*net.TCPAddr)
	if !ok || !tcp.IP.IsUnspecified() {
		return at.String()
	}
	_, port, _ := net.SplitHostPort(at.String()) // of a listener
	return net.JoinHostPort(ownAddress().String(), port)
}

// ownAddress is an address of this machine in a private network, else any that others may
// reach, else that of this machine for itself.
func ownAddress() net.IP {
	best := net.IPv4(127, 0, 0, 1)
	all, err := net.InterfaceAddrs()
	if err != nil {
		return best
	}
	for _, a := range all {
		n, ok := a.(*net.IPNet)
		switch {
		case !ok || n.IP.IsLoopback() || n.IP.IsLinkLocalUnicast() || n.IP.To4() == nil:
		case n.IP.IsPrivate():
			return n.IP
		default:
			best = n.IP
		}
	}
	return best
}
