package operate

import (
	"cmp"
	"log/slog"
	"net"
	"strings"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/engram/engramhttp"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/server"
)

// contexts are the options for contexts of a server at an address.
func (c *ServeCmd) contexts(a *cli.App, o *cli.Session, log *slog.Logger, at net.Addr) server.Contexts {
	s := &issuerSource{app: a, opened: o, url: c.scheme() + "://" + c.reachedAt(at), readOnly: c.ReadOnly}
	if c.IssuerURL != "" {
		s.url, s.fixed = c.IssuerURL, true
	}
	if url := cmp.Or(c.IssuerURL, o.Config.CurrentIssuer().URL, s.url); !engram.SameIssuer(url, url) {
		log.Warn("runtimes refuse contexts of an issuer at this address: give the one they reach it by with --issuer-url https://NAME", "address", url)
	}
	return server.Contexts{Issuer: s.issuer, NoPending: c.NoPending, Constraints: c.Edition == cli.ConstraintsEdition, Rate: c.ContextRate, Next: c.next(), PrivateHooks: c.PrivateHooks}
}

// next is the features of later editions that the server offers.
func (c *ServeCmd) next() engramhttp.Next {
	return engramhttp.Next{Batch: c.Batch, JWKS: c.JWKS, Accounts: c.WebFinger, Subscriptions: c.Webhooks}
}

// checkNext refuses accounts without anybody to ask for them.
func (c *ServeCmd) checkNext() error {
	for _, account := range c.WebFinger {
		name, ok := strings.CutPrefix(account, "acct:")
		user, host, at := strings.Cut(name, "@")
		if !ok || !at || user == "" || host == "" || strings.ContainsAny(name, " /?#") {
			return cli.Usagef("--webfinger takes accounts such as acct:ana@memory.example")
		}
	}
	return nil
}

// scheme is the URL scheme of the server.
func (c *ServeCmd) scheme() string {
	if c.TLSCert != "" {
		return "https"
	}
	return "http"
}
