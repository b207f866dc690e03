package cli

import (
	"cmp"
	"slices"
	"time"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// Issuer issues contexts, and lists the keys that sign them (Engram 3.2 and 3.8).
type Issuer struct {
	Name string `json:"name,omitempty"`
	// URL is the address of the key list; empty: the server's own address.
	URL  string       `json:"url,omitempty"`
	DID  string       `json:"did,omitempty"`
	Keys []signingKey `json:"keys,omitempty"` // oldest first; a key never leaves the list, so that no kid repeats
}

// signingKey is a present or former key for contexts. The owner's key and the generation
// determine the key itself.
type signingKey struct {
	Generation int       `json:"generation"` // from 1
	Kid        string    `json:"kid"`
	Created    time.Time `json:"created_at"`
	Expires    time.Time `json:"expires_at"`
	Revoked    time.Time `json:"revoked_at,omitzero"`
}

// renewal is how long before its end a key is replaced.
const renewal = 30 * 24 * time.Hour

// CurrentIssuer returns a copy of the issuer in config.json.
func (c Config) CurrentIssuer() Issuer {
	var i Issuer
	if c.Issuer != nil {
		i = *c.Issuer
		i.Keys = slices.Clone(i.Keys)
	}
	i.Name = cmp.Or(i.Name, "Satchel")
	return i
}

// Current is the key that signs.
func (i Issuer) Current() (signingKey, bool) {
	if len(i.Keys) == 0 {
		return signingKey{}, false
	}
	last := i.Keys[len(i.Keys)-1]
	return last, last.Revoked.IsZero()
}

// due reports whether a new key has to sign from now on.
func (i Issuer) due(now time.Time) bool {
	k, ok := i.Current()
	return !ok || !now.Before(k.Expires.Add(-renewal))
}

// Rotated changes to the next key.
func (i Issuer) Rotated(now time.Time) Issuer {
	kids := make([]string, len(i.Keys))
	generation := 1
	for n, k := range i.Keys {
		kids[n], generation = k.Kid, max(generation, k.Generation+1)
	}
	k := engram.NewKey(engram.KidOf(now, kids...), nil, now)
	i.Keys = append(slices.Clone(i.Keys), signingKey{Generation: generation, Kid: k.Kid, Created: k.CreatedAt, Expires: k.ExpiresAt})
	return i
}

// Anew changes to the next key and revokes all others, as after a change of the owner's
// key.
func (i Issuer) Anew(now time.Time) Issuer {
	i = i.Rotated(now)
	for n := range len(i.Keys) - 1 {
		if i.Keys[n].Revoked.IsZero() {
			i.Keys[n].Revoked = now.UTC().Truncate(time.Second)
		}
	}
	return i
}

// Without revokes a key at once. If it is the signing key, the next one takes its place.
func (i Issuer) Without(kid string, now time.Time) (Issuer, error) {
	at := slices.IndexFunc(i.Keys, func(k signingKey) bool { return k.Kid == kid })
	switch {
	case at < 0:
		return i, &memory.Error{Kind: memory.NotFound, Op: "keys", Message: "no key of the issuer has that name; satchel keys show lists them"}
	case !i.Keys[at].Revoked.IsZero():
		return i, nil
	}
	if at == len(i.Keys)-1 {
		i = i.Rotated(now)
	}
	i.Keys = slices.Clone(i.Keys)
	i.Keys[at].Revoked = now.UTC().Truncate(time.Second)
	return i, nil
}

// validKeys are the keys that verify contexts: the signing key first, then the earlier ones
// as long as their contexts may be valid (decision E-07).
func (i Issuer) validKeys(now time.Time) []signingKey {
	var out []signingKey
	for n, k := range slices.Backward(i.Keys) {
		replaced := n+1 < len(i.Keys) && !now.Before(i.Keys[n+1].Created.Add(engram.MaxLifetime))
		if k.Revoked.IsZero() && !replaced && now.Before(k.Expires) {
			out = append(out, k)
		}
	}
	return out
}

// Public are the keys that verify the issuer's signatures.
func (i Issuer) Public(owner keys.Private, now time.Time) ([]engram.Key, error) {
	var list []engram.Key
	for _, k := range i.validKeys(now) {
		key, err := engram.IssuerKey(owner, k.Generation)
		if err != nil {
			return nil, err
		}
		list = append(list, engram.Key{Kid: k.Kid, Public: key.Public(), CreatedAt: k.Created, ExpiresAt: k.Expires})
	}
	return list, nil
}

// Ever are all keys that ever signed, except revoked ones: they identify the store's own
// exports.
func (i Issuer) Ever(owner keys.Private) ([]engram.Key, error) {
	var list []engram.Key
	for _, k := range i.Keys {
		if !k.Revoked.IsZero() {
			continue
		}
		key, err := engram.IssuerKey(owner, k.Generation)
		if err != nil {
			return nil, err
		}
		list = append(list, engram.Key{Kid: k.Kid, Public: key.Public(), CreatedAt: k.Created, ExpiresAt: k.Expires})
	}
	return list, nil
}

// Signer signs contexts now.
func (i Issuer) Signer(owner keys.Private) (engram.Signer, error) {
	k, _ := i.Current()
	key, err := engram.IssuerKey(owner, k.Generation)
	return engram.Signer{Issuer: engram.Issuer{Name: i.Name, URL: i.URL, DID: i.DID}, Kid: k.Kid, Key: key}, err
}

// Renewed returns the configuration with a signing key for contexts that is valid for a
// while. It adds a new key if there is none or it ends soon. The key of the home folder's
// owner must be open.
func (o *Session) Renewed(a *App, c Config) (Config, error) {
	i := c.CurrentIssuer()
	if !i.due(a.Now()) {
		return c, nil
	}
	i = i.Rotated(a.Now())
	k, _ := i.Current()
	return o.WithIssuer(a, c, k.Kid, "issuer_key", i)
}

// WithIssuer writes another issuer to config.json and to the audit log, and returns the
// resulting configuration.
func (o *Session) WithIssuer(a *App, c Config, kid, what string, next Issuer) (Config, error) {
	c.Issuer = &next
	return c, o.ChangeProducer(a.Ctx, o.Operator(), kid, what, func() error { return o.WriteConfig(c) })
}

// CheckIssuerURL refuses an address that no runtime accepts for an issuer; "" is none.
func CheckIssuerURL(url string) error {
	if url != "" && !engram.SameIssuer(url, url) {
		return Usagef("%s is no address of an issuer: give one that begins with https://, or with http:// and a name of this machine", Clean(url))
	}
	return nil
}
