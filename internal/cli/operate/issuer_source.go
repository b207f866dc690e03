package operate

import (
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/engram/engramhttp"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/keys"
)

// lookAgain is how often a server checks for an expired key while config.json stays the
// same.
const lookAgain = time.Minute

// issuerSource tells a server who issues contexts. It follows config.json, so that a
// rotated or revoked key counts at once, and changes the key before it ends. It is safe for
// concurrent use.
type issuerSource struct {
	app      *cli.App
	opened   *cli.Session
	url      string // the server's address
	fixed    bool   // url counts, whatever config.json says
	readOnly bool   // keys stay as they are

	mu    sync.Mutex
	seen  fs.FileInfo // of config.json
	until time.Time
	ready engramhttp.Issuer
}

// issuer returns the present issuer of contexts.
func (s *issuerSource) issuer() (engramhttp.Issuer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	info, err := os.Stat(s.opened.Home.Config())
	if err != nil {
		return engramhttp.Issuer{}, err
	}
	if s.seen != nil && os.SameFile(s.seen, info) && s.seen.ModTime().Equal(info.ModTime()) && s.app.Now().Before(s.until) {
		return s.ready, nil
	}
	if s.ready, err = s.read(); err != nil {
		s.seen = nil
		return engramhttp.Issuer{}, err
	}
	s.seen, s.until = info, s.app.Now().Add(lookAgain)
	return s.ready, nil
}

// read reads config.json.
func (s *issuerSource) read() (engramhttp.Issuer, error) {
	c, err := s.opened.Home.ReadConfig()
	if err != nil {
		return engramhttp.Issuer{}, err
	}
	if !s.readOnly {
		before := c
		if c, err = s.opened.Renewed(s.app, c); err != nil {
			k, ok := before.CurrentIssuer().Current()
			if !ok || !s.app.Now().Before(k.Expires.Add(-engram.MaxLifetime)) {
				return engramhttp.Issuer{}, err
			}
			c = before // if nothing can be written, the old key stays valid for a while
		}
	}
	i := c.CurrentIssuer()
	if s.fixed || i.URL == "" {
		i.URL = s.url
	}
	return issuerFor(i, s.opened.Key, s.app.Now())
}

// issuerFor is an issuer in the form that a server needs. Without a key, as on a read-only
// server, it signs nothing.
func issuerFor(i cli.Issuer, owner keys.Private, now time.Time) (engramhttp.Issuer, error) {
	out := engramhttp.Issuer{Signer: engram.Signer{Issuer: engram.Issuer{Name: i.Name, URL: i.URL, DID: i.DID}}}
	if _, ok := i.Current(); !ok || owner.IsZero() {
		return out, nil
	}
	list, err := i.Public(owner, now)
	if err != nil {
		return out, err
	}
	signer, err := i.Signer(owner)
	if err != nil {
		return out, err
	}
	out.Signer, out.Keys = signer, engram.EncodeKeys(list)
	out.JWKS = engram.JWKS(list)
	return out, nil
}
