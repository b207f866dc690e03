package operate

import (
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec/settings"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/oauth"
	"github.com/satchel-memory/satchel/internal/server"
	"github.com/satchel-memory/satchel/memory"
)

// announceOAuth states the addresses that remote assistants connect to, in the form of the log.
func (c *ServeCmd) announceOAuth(a *cli.App, log *slog.Logger, at net.Addr) {
	if !c.OAuth {
		return
	}
	switch all := c.publicAddresses(at); {
	case len(all) == 0:
		log.Warn("remote assistants cannot connect yet: give the name that they use, with --host memory.example --origin https://memory.example if TLS lies in front, or with --host, --tls-cert and --tls-key")
	case c.Log == "json":
		log.Info("serving remote assistants", "mcp", all)
	default:
		a.Say("remote assistants connect to %s; when one asks for access, satchel open --confirm gives you the code for the page", strings.Join(all, " or "))
	}
}

// publicAddresses returns the addresses of MCP that others use over TLS: at proxies, and at this
// server if it has a certificate.
func (c *ServeCmd) publicAddresses(at net.Addr) (all []string) {
	for _, origin := range c.Origin {
		if strings.HasPrefix(origin, "https://") {
			all = append(all, origin+"/mcp")
		}
	}
	tcp, ok := at.(*net.TCPAddr)
	if !ok || c.TLSCert == "" {
		return all
	}
	for _, host := range c.Host {
		host = net.JoinHostPort(strings.Trim(host, "[]"), strconv.Itoa(tcp.Port))
		all = append(all, "https://"+strings.TrimSuffix(host, ":443")+"/mcp")
	}
	return all
}

// oauth says how remote assistants get access.
func (c *ServeCmd) oauth(o *cli.Session) (server.OAuth, error) {
	if c.OAuthIssuer == "" {
		return server.OAuth{On: c.OAuth}, nil
	}
	f, err := os.Open(c.OAuthIssuer)
	if err != nil {
		return server.OAuth{}, err
	}
	defer func() { _ = f.Close() }() // it was read only
	text, err := io.ReadAll(io.LimitReader(f, maxIssuerFile+1))
	if err != nil {
		return server.OAuth{}, err
	}
	outside, err := outsideOf(text, o.Owner)
	if err != nil {
		return server.OAuth{}, fmt.Errorf("%s: %w", cli.Clean(c.OAuthIssuer), err)
	}
	return server.OAuth{Outside: outside}, nil
}

// maxIssuerFile is the most bytes of a file about another issuer.
const maxIssuerFile = 16 << 10

// outsideOf reads what an owner says about another issuer:
//
//	{"issuer": "https://login.example", "jwks": "https://login.example/keys",
//	 "audience": "https://notes.example/mcp", "subject": "ana", "verbs": ["read", "write"],
//	 "project": "github.com/ana/notes", "visibility": "shared", "owner": "did:key:…"}
//
// project, visibility and owner may be left out.
func outsideOf(text []byte, home memory.DID) (*oauth.Outside, error) {
	v, err := canon.Parse(text, canon.Options{Bytes: maxIssuerFile})
	if err != nil {
		return nil, err
	}
	t := &settings.Table{Name: "file about another issuer"}
	t.Only(v, "", "issuer", "jwks", "audience", "subject", "verbs", "project", "visibility", "owner")
	o := &oauth.Outside{Issuer: v.Get("issuer").Text(), Keys: v.Get("jwks").Text(), Audience: v.Get("audience").Text(), Subject: v.Get("subject").Text(),
		Owner: home, Project: v.Get("project").Text(), Visibility: memory.Visibility(v.Get("visibility").Text())}
	if said := v.Get("owner").Text(); said != "" {
		o.Owner = memory.DID(said)
	}
	for at, item := range t.List(v, "verbs") {
		verb := memory.Verb(item.Text())
		if !verb.Valid() {
			t.Fail(at, "is no verb; there are read, write, derive and export")
		}
		o.Verbs = append(o.Verbs, verb)
	}
	switch keys, err := url.Parse(o.Keys); {
	case t.Err != nil:
	case o.Issuer == "" || o.Audience == "" || o.Subject == "" || len(o.Verbs) == 0:
		t.Fail("", "needs issuer, jwks, audience, subject and verbs")
	case err != nil || keys.Scheme != "https" && !isLocal(keys):
		t.Fail("/jwks", "is no https address")
	case o.Visibility != "" && !o.Visibility.Valid():
		t.Fail("/visibility", "is private, shared or public")
	}
	return o, t.Err
}

// isLocal reports whether an address is one of this machine by http.
func isLocal(u *url.URL) bool { return u.Scheme == "http" && u.Hostname() == "127.0.0.1" }
