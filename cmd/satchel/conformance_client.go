package main

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/http"
	"time"

	"github.com/satchel-memory/satchel/ump/umpconform"
)

// patience is how long --patient waits: longer than a stream may be silent.
const patience = 20 * time.Second

// maxChain is the most bytes of a file of certificates.
const maxChain = 1 << 20

// client is one that goes where it is sent and nowhere else: a token is for the
// server that was named.
func (c *conformanceTarget) client() (*http.Client, error) {
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	if c.CA == "" {
		return &http.Client{CheckRedirect: stay}, nil
	}
	data, err := readBounded(c.CA, maxChain)
	if err != nil {
		return nil, err
	}
	roots, err := x509.SystemCertPool()
	if err != nil { // a machine without any
		roots = x509.NewCertPool()
	}
	if !roots.AppendCertsFromPEM(data) {
		return nil, usagef("%s holds no certificate: give the file in PEM that begins with BEGIN CERTIFICATE, such as that of serve --tls-cert", clean(c.CA))
	}
	transport := &http.Transport{
		Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, TLSHandshakeTimeout: 10 * time.Second,
		TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
	}
	return &http.Client{CheckRedirect: stay, Transport: transport}, nil
}

// advised says what to do about a run that could not take place.
func (c *conformanceTarget) advised(err error) error {
	_, unknown := errors.AsType[x509.UnknownAuthorityError](err)
	_, named := errors.AsType[x509.HostnameError](err)
	_, invalid := errors.AsType[x509.CertificateInvalidError](err)
	switch {
	case errors.Is(err, umpconform.ErrToken):
		return refusedf("%w: give --token, --token-file, or --own for the server of this store", err)
	case errors.Is(err, umpconform.ErrOwner):
		return usagef("%w: give a token of the owner's side, or --owner DID", err)
	case unknown:
		return refusedf("this machine does not know who signed the certificate of %s: if it is the server's own, give its file with --ca", clean(c.URL))
	case named:
		return refusedf("the certificate of %s is for another name: use the name it is for (%w)", clean(c.URL), err)
	case invalid:
		return refusedf("the certificate of %s is not valid (%w)", clean(c.URL), err)
	case errors.Is(err, http.ErrSchemeMismatch):
		return refusedf("%s does not speak TLS: use http://", clean(c.URL))
	}
	return err
}
