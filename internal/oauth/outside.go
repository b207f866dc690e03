package oauth

import (
	"cmp"
	"context"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/satchel-memory/satchel/memory"
)

// Outside is another issuer of access tokens, which the owner named. Its tokens are JSON Web
// Tokens (RFC 9068) of one subject, and admit to one owner's memory.
type Outside struct {
	Issuer   string // as in iss
	Keys     string // the address of its JWK set
	Audience string // as in aud
	Subject  string // as in sub: the person who is the owner
	Owner    memory.DID
	// Verbs are the most that a token may do; its scope can name fewer.
	Verbs      []memory.Verb
	Project    string            // empty: every project
	Visibility memory.Visibility // empty: shared
	// Fetch gets the keys.
	Fetch http.RoundTripper
	Now   func() time.Time

	asking sync.Mutex // held while the issuer is asked
	tried  time.Time  // it was asked
	keys   atomic.Pointer[issuerKeys]
}

// issuerKeys are the keys of an issuer.
type issuerKeys struct {
	jose.JSONWebKeySet
	fetched time.Time
}

// Limits of another issuer's tokens and keys.
const (
	maxJWT        = 16 << 10
	maxKeySet     = 256 << 10
	keysAge       = time.Hour   // after which the keys are asked for again
	keysPause     = time.Minute // between two questions
	minRSA        = 2048        // bits
	outsidePrefix = "outside-"
)

// algorithms are the signatures that are accepted. All of them have a public key: the list holds
// neither "none" nor an algorithm with a shared secret.
func algorithms() []jose.SignatureAlgorithm {
	return []jose.SignatureAlgorithm{jose.EdDSA, jose.ES256, jose.ES384, jose.ES512, jose.PS256, jose.PS384, jose.PS512, jose.RS256, jose.RS384, jose.RS512}
}

// outsideClaims are the claims that are looked at besides the registered ones.
type outsideClaims struct {
	jwt.Claims
	Scope string `json:"scope"`
}

// Grant returns what a token grants, and to whom: the id names issuer and subject. It fails
// with kind Unauthorized.
func (o *Outside) Grant(ctx context.Context, token string) (memory.DID, *memory.Grant, error) {
	c, err := o.claims(ctx, token)
	if err != nil {
		return "", nil, &memory.Error{Kind: memory.Unauthorized, Op: "authenticate", Rule: "UMP-3.7-2", Message: "the token is none of the issuer's for this server: " + err.Error()}
	}
	verbs := slices.Clone(o.Verbs)
	if c.Scope != "" {
		asked := strings.Fields(c.Scope)
		verbs = slices.DeleteFunc(verbs, func(v memory.Verb) bool { return !slices.Contains(asked, string(v)) })
	}
	sum := sha256.Sum256([]byte(c.Issuer + "\x00" + c.Subject))
	return o.Owner, &memory.Grant{ID: outsidePrefix + hex.EncodeToString(sum[:8]), Verbs: verbs, Expires: c.Expiry.Time().UTC(),
		Scope: memory.Scope{Project: o.Project, Visibility: cmp.Or(o.Visibility, memory.Shared)}}, nil
}

// claims verifies a token.
func (o *Outside) claims(ctx context.Context, token string) (c outsideClaims, err error) {
	if len(token) > maxJWT {
		return c, errors.New("it is longer than 16 KiB")
	}
	parsed, err := jwt.ParseSigned(token, algorithms())
	if err != nil || len(parsed.Headers) != 1 {
		return c, errors.New("it is no JWT with a signature that is accepted here")
	}
	head := parsed.Headers[0]
	typ, _ := head.ExtraHeaders[jose.HeaderType].(string)
	if !slices.Contains([]string{"", "jwt", "at+jwt", "application/at+jwt"}, strings.ToLower(typ)) {
		return c, errors.New("it is a JWT of another type")
	}
	key, err := o.key(ctx, head.KeyID, jose.SignatureAlgorithm(head.Algorithm))
	if err != nil {
		return c, err
	}
	if err := parsed.Claims(key, &c); err != nil {
		return c, errors.New("its signature is not the issuer's")
	}
	switch {
	case c.Expiry == nil:
		return c, errors.New("it has no end")
	case c.Subject == "" || c.Subject != o.Subject:
		return c, errors.New("it is another person's")
	}
	err = c.ValidateWithLeeway(jwt.Expected{Issuer: o.Issuer, AnyAudience: jwt.Audience{o.Audience}, Time: o.Now()}, memory.ClockSkew)
	if err != nil {
		return c, errors.New("its issuer, audience or time is not right")
	}
	return c, nil
}

// key returns the issuer's key with an id. One request at a time asks the issuer. Meanwhile
// those that have a key go on with it, and the others wait.
func (o *Outside) key(ctx context.Context, id string, alg jose.SignatureAlgorithm) (any, error) {
	found, due := o.find(id, alg)
	switch {
	case found == nil:
		o.asking.Lock()
	case !due || !o.asking.TryLock():
		return found, nil
	}
	defer o.asking.Unlock()
	now := o.Now()
	if found, due = o.find(id, alg); due && now.Sub(o.tried) > keysPause {
		o.tried = now
		set, err := o.fetch(ctx)
		if err == nil {
			o.keys.Store(&issuerKeys{set, now})
			found, _ = o.find(id, alg)
		} else if found == nil {
			return nil, errors.New("the issuer's keys could not be had")
		}
	}
	if found == nil {
		return nil, errors.New("the issuer has no such key")
	}
	return found, nil
}

// find returns the only key with an id that fits an algorithm, or nil, and whether the issuer is
// due to be asked.
func (o *Outside) find(id string, alg jose.SignatureAlgorithm) (key any, due bool) {
	known := o.keys.Load()
	if known == nil {
		return nil, true
	}
	var found []any
	for _, k := range known.Keys {
		if r, ok := k.Key.(*rsa.PublicKey); ok && r.N.BitLen() < minRSA {
			continue
		}
		if k.KeyID == id && k.IsPublic() && k.Valid() && (k.Use == "" || k.Use == "sig") && (k.Algorithm == "" || k.Algorithm == string(alg)) {
			found = append(found, k.Key)
		}
	}
	if len(found) != 1 {
		return nil, true
	}
	return found[0], o.Now().Sub(known.fetched) > keysAge
}

func (o *Outside) fetch(ctx context.Context) (set jose.JSONWebKeySet, err error) {
	_, body, err := get(context.WithoutCancel(ctx), newFetcher(o.Fetch, fetchTimeout), o.Keys, maxKeySet)
	if err != nil {
		return set, err
	}
	return set, json.Unmarshal(body, &set)
}
