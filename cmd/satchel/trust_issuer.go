package main

import (
	"encoding/base64"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/vault"
)

// maxKeyList is the most bytes of an issuer's list of keys.
const maxKeyList = 1 << 20

// namesIssuer reports whether an argument of trust is the address of an issuer, and
// not the name of a producer.
func namesIssuer(arg string) bool { return strings.Contains(arg, "://") }

// issuerTrustOut is an issuer for machines.
type issuerTrustOut struct {
	Issuer  string         `json:"issuer"`
	Keys    []issuerKeyOut `json:"keys"`
	Fetched string         `json:"fetched,omitempty"`
}

func toIssuerTrust(t vault.TrustedIssuer) issuerTrustOut {
	out := issuerTrustOut{Issuer: t.URL, Keys: []issuerKeyOut{}}
	for _, k := range t.Keys {
		out.Keys = append(out.Keys, issuerKeyOut{k.Kid, base64.RawURLEncoding.EncodeToString(k.Public), stamp(k.CreatedAt), stamp(k.ExpiresAt)})
	}
	return out
}

func (t issuerTrustOut) show(a *app) {
	for _, k := range t.Keys {
		a.print("%s  %s  %s  until %s", clean(t.Issuer), clean(k.Kid), k.Public, localStamp(k.Expires))
	}
}

// issuer adds keys to those by which an issuer of exports is known.
func (c *trustAddCmd) issuer(a *app) error {
	if err := checkIssuerURL(c.Producer); err != nil {
		return err
	}
	found, fetched, err := a.issuerKeysNamed(c.Key, c.Producer)
	if err != nil {
		return err
	}
	return a.with(signing, func(o *opened) error {
		var known []engram.Key
		if !c.Only {
			if known, err = o.trustedKeys(a, c.Producer); err != nil {
				return err
			}
		}
		all, err := joinedKeys(known, found)
		if err == nil {
			err = o.TrustIssuer(a.ctx, o.owner(), c.Producer, all)
		}
		if err != nil {
			return err
		}
		out := toIssuerTrust(vault.TrustedIssuer{URL: c.Producer, Keys: all})
		out.Fetched = fetched
		if a.json {
			return a.emit(out)
		}
		if fetched != "" {
			a.say("fetched %s from %s; compare them with what its owner tells you by another way", plural(len(found), "key", "keys"), clean(fetched))
		}
		out.show(a)
		return nil
	})
}

// trustedKeys are the keys that the owner vouches for as an issuer's.
func (o *opened) trustedKeys(a *app, issuer string) ([]engram.Key, error) {
	all, err := o.TrustedIssuers(a.ctx, o.owner())
	for _, t := range all {
		if engram.SameIssuer(t.URL, issuer) {
			return t.Keys, err
		}
	}
	return nil, err
}

// joinedKeys adds keys to those that are known. A name that is known for another key
// is refused: no key takes the place of another unseen.
func joinedKeys(known, found []engram.Key) ([]engram.Key, error) {
	all := slices.Clone(known)
	for _, k := range found {
		at := slices.IndexFunc(all, func(have engram.Key) bool { return have.Kid == k.Kid })
		switch {
		case at < 0:
			all = append(all, k)
		case !slices.Equal(all[at].Public, k.Public):
			return nil, refusedf("%s is known as another key of this issuer already; ask its owner, and say --only if the keys that you have now are the right ones", clean(k.Kid))
		default:
			all[at] = k
		}
	}
	return all, nil
}

// issuerKeysNamed reads the list of keys that an argument leads to: a file, a URL, or
// with none the list that the issuer publishes; fetched is where it was fetched from.
func (a *app) issuerKeysNamed(arg, issuer string) (found []engram.Key, fetched string, err error) {
	var data []byte
	switch {
	case arg == "":
		if arg, err = engram.KeysURL(issuer); err != nil {
			return nil, "", usagef("%v", err)
		}
		data, fetched, err = a.fetch(arg, engram.KeysPath, "application/json", maxKeyList)
	case strings.Contains(arg, "://"):
		data, fetched, err = a.fetch(arg, engram.KeysPath, "application/json", maxKeyList)
	default:
		if data, err = readBounded(arg, maxKeyList); errors.Is(err, fs.ErrNotExist) {
			return nil, "", usagef("%s is neither a file with an issuer's list of keys nor the URL of one", clean(arg))
		}
	}
	if err != nil {
		return nil, "", err
	}
	if found, err = engram.DecodeKeys(data); err != nil {
		return nil, "", as(exitInvalid, err)
	}
	if len(found) == 0 {
		return nil, "", invalidf("there is no key in %s that signs exports", clean(arg))
	}
	return found, fetched, nil
}

// issuer is producer for an issuer of exports.
func (c *trustRemoveCmd) issuer(a *app, o *opened) (int, error) {
	if c.Key == "" {
		return 0, o.DistrustIssuer(a.ctx, o.owner(), c.Producer)
	}
	known, err := o.trustedKeys(a, c.Producer)
	if err != nil {
		return 0, err
	}
	left, err := keysBut(c, known, func(k engram.Key) string { return k.Kid })
	switch {
	case err != nil:
	case len(left) > 0:
		err = o.TrustIssuer(a.ctx, o.owner(), c.Producer, left)
	default:
		err = o.DistrustIssuer(a.ctx, o.owner(), c.Producer)
	}
	return len(left), err
}
