package cli

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	umpsuite "github.com/satchel-memory/satchel/conformance/ump"
	"github.com/satchel-memory/satchel/internal/httpkit"
)

// MaxChain is the most bytes of a file of certificates.
const MaxChain = 1 << 20

// Client goes to the given server only, and follows no redirect: the token is for that
// server.
func (c *Server) Client() (*http.Client, error) {
	if c.CA == "" {
		return &http.Client{CheckRedirect: httpkit.NoRedirect}, nil
	}
	data, err := ReadBounded(c.CA, MaxChain)
	if err != nil {
		return nil, err
	}
	roots, err := x509.SystemCertPool()
	if err != nil { // a machine without any certificates
		roots = x509.NewCertPool()
	}
	if !roots.AppendCertsFromPEM(data) {
		return nil, Usagef("%s holds no certificate: give the file in PEM that begins with BEGIN CERTIFICATE, such as that of serve --tls-cert", Clean(c.CA))
	}
	transport := &http.Transport{
		Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, TLSHandshakeTimeout: 10 * time.Second,
		TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
	}
	return &http.Client{CheckRedirect: httpkit.NoRedirect, Transport: transport}, nil
}

// WithAdvice adds advice to the error of a run that could not start.
func (c *Server) WithAdvice(err error) error {
	_, unknown := errors.AsType[x509.UnknownAuthorityError](err)
	_, named := errors.AsType[x509.HostnameError](err)
	_, invalid := errors.AsType[x509.CertificateInvalidError](err)
	switch {
	case errors.Is(err, umpsuite.ErrToken):
		return Refusedf("%w: give --token, --token-file, or --own for the server of this store", err)
	case errors.Is(err, umpsuite.ErrOwner):
		return Usagef("%w: give a token of the owner's side, or --owner DID", err)
	case unknown:
		return Refusedf("this machine does not know who signed the certificate of %s: if it is the server's own, give its file with --ca", Clean(c.URL))
	case named:
		return Refusedf("the certificate of %s is for another name: use the name it is for (%w)", Clean(c.URL), err)
	case invalid:
		return Refusedf("the certificate of %s is not valid (%w)", Clean(c.URL), err)
	case errors.Is(err, http.ErrSchemeMismatch):
		return Refusedf("%s does not speak TLS: use http://", Clean(c.URL))
	}
	return err
}

// Server is the server under test, and the flags of every run.
type Server struct {
	URL       string   `arg:"" help:"The server, such as http://127.0.0.1:7777."`
	Token     string   `xor:"token" help:"${token}. - reads standard input. Other users of this machine can see a command line." placeholder:"T"`
	TokenFile string   `xor:"token" help:"A file that holds the token." placeholder:"FILE"`
	Own       bool     `xor:"token" help:"The server belongs to this store: use the store's token and key."`
	Strict    bool     `help:"Count rows of SHOULD and MAY too."`
	Only      []string `help:"Only this row, such as 3.2-7, or this section, such as 3.2." placeholder:"ID"`
	All       bool     `help:"Show every row, also those that pass, do not apply or were not tried."`
	CA        string   `name:"ca" help:"A file of certificates to trust, beside those of this machine." placeholder:"FILE"`
	Insecure  bool     `help:"Allow sending a token over http:// to another machine."`
}

// Address reads the server's address.
func (c *Server) Address() (*url.URL, error) {
	u, err := url.Parse(c.URL)
	if err != nil || u.Hostname() == "" {
		return nil, Usagef("%s is no address of a server; write it as http://127.0.0.1:7777", Clean(c.URL))
	}
	return u, nil
}

// ReadToken returns the given token, or "" for none.
func (c *Server) ReadToken(a *App) (string, error) {
	if c.TokenFile != "" {
		data, err := ReadBounded(c.TokenFile, MaxSmall)
		return strings.TrimSpace(string(data)), err
	}
	text, err := a.Text(c.Token, MaxSmall)
	return strings.TrimSpace(text), err
}

// Unread fails if others could read a token on its way.
func (c *Server) Unread(u *url.URL) error {
	if u.Scheme == "http" && !httpkit.OnThisMachine(u) && !c.Insecure {
		return Refusedf("the token would go to %s where others can read it: use https://, or say --insecure", Clean(u.Host))
	}
	return nil
}
