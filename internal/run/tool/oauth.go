package tool

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"strings"
	"sync"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/text/internet"
)

// token is an access token.
type token struct {
	access string
	until  time.Time
}

// keptToken is a token that is kept. Its lock is held while a new one is asked for.
type keptToken struct {
	lock sync.Mutex
	token
}

const (
	tokenTime  = 30 * time.Second
	tokenSpare = 30 * time.Second // a token that ends sooner is not used any more
	tokenKept  = 5 * time.Minute  // how long a token without an end is kept
	mostTokens = 1000
)

// oauth returns the token of the client credentials of a tool (RFC 6749, section 4.4). It
// asks for a token once while that lasts, per person and host (AAIF-4.4-16). The secret is
// CLIENT_ID:CLIENT_SECRET, and goes to the address of tokens only.
func (s *Set) oauth(ctx context.Context, auth aaif.Auth, host string) (credential, error) {
	c := credential{auth: auth}
	u, err := url.Parse(auth.TokenURL)
	if err != nil || auth.TokenURL == "" {
		return c, fail(secretUnresolved, "token_url is no address")
	}
	if denied := s.guard.check(u); denied != nil {
		return c, denied
	}
	if denied := s.maySecret(auth, internet.PlainHost(host)); denied != nil { // the host gets the token
		return c, denied
	}
	if c.secret, err = s.secret(ctx, auth, internet.PlainHost(u.Hostname())); err != nil {
		return c, err
	}
	name, secret, ok := strings.Cut(c.secret, ":")
	if !ok {
		return c, fail(secretUnresolved, "the secret of oauth2 is not of the form CLIENT_ID:CLIENT_SECRET")
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{s.o.Agent, s.o.Person, auth.TokenURL, strings.Join(auth.Scopes, " "), c.secret, internet.PlainHost(host)}, "\x00")))
	c.kept = hex.EncodeToString(sum[:])
	c.bearer, err = s.shared.token(ctx, c.kept, s.o.Now, func(ctx context.Context) (token, error) {
		ctx, cancel := context.WithTimeout(context.WithValue(ctx, oauth2.HTTPClient, s.guard.client(nil)), tokenTime)
		defer cancel()
		config := clientcredentials.Config{ClientID: name, ClientSecret: secret, TokenURL: auth.TokenURL, Scopes: auth.Scopes}
		got, err := config.Token(ctx)
		if err != nil {
			return token{}, tokenError(err, c)
		}
		return token{access: got.AccessToken, until: got.Expiry}, nil
	})
	return c, err
}

// tokenError describes why there is no token. The call itself was not sent.
func tokenError(err error, c credential) error {
	known := asError(err, secretUnresolved, NotSent)
	text, _ := c.hide(known.Text)
	return &Error{Code: known.Code, Outcome: NotSent, Text: "no token: " + text, Err: err}
}

// token returns a kept token, or gets one. Of those who need one token, one asks for it.
func (s *Shared) token(ctx context.Context, key string, now func() time.Time, get func(context.Context) (token, error)) (string, error) {
	kept := s.kept(key)
	kept.lock.Lock()
	defer kept.lock.Unlock()
	if kept.access != "" && now().Before(kept.until) {
		return kept.access, nil
	}
	got, err := get(ctx)
	if err != nil {
		return "", err
	}
	if got.until.IsZero() {
		got.until = now().Add(tokenKept)
	} else {
		got.until = got.until.Add(-tokenSpare)
	}
	kept.token = got
	return got.access, nil
}

func (s *Shared) kept(key string) *keptToken {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.tokens == nil || len(s.tokens) >= mostTokens {
		s.tokens = map[string]*keptToken{}
	}
	if s.tokens[key] == nil {
		s.tokens[key] = &keptToken{}
	}
	return s.tokens[key]
}

// dropToken forgets a token that a tool refused.
func (s *Shared) dropToken(key string) {
	s.lock.Lock()
	defer s.lock.Unlock()
	delete(s.tokens, key)
}
