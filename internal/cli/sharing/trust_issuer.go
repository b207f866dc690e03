package sharing

import (
	"encoding/base64"

	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/documents"
	"github.com/satchel-memory/satchel/internal/vault/trust"
)

// issuerTrustOut is an issuer for machines.
type issuerTrustOut struct {
	Issuer  string         `json:"issuer"`
	Keys    []issuerKeyOut `json:"keys"`
	Fetched string         `json:"fetched,omitempty"`
}

func toIssuerTrust(t trust.TrustedIssuer) issuerTrustOut {
	out := issuerTrustOut{Issuer: t.URL, Keys: []issuerKeyOut{}}
	for _, k := range t.Keys {
		out.Keys = append(out.Keys, issuerKeyOut{k.Kid, base64.RawURLEncoding.EncodeToString(k.Public), cli.Stamp(k.CreatedAt), cli.Stamp(k.ExpiresAt)})
	}
	return out
}

func (t issuerTrustOut) show(a *cli.App) {
	for _, k := range t.Keys {
		a.Print("%s  %s  %s  until %s", cli.Clean(t.Issuer), cli.Clean(k.Kid), k.Public, documents.LocalStamp(k.Expires))
	}
}

// issuer adds keys to a trusted issuer of exports.
func (c *trustAddCmd) issuer(a *cli.App) error {
	if err := cli.CheckIssuerURL(c.Producer); err != nil {
		return err
	}
	found, fetched, err := documents.IssuerKeysNamed(a, c.Key, c.Producer)
	if err != nil {
		return err
	}
	return a.With(cli.Signing, func(o *cli.Session) error {
		var known []engram.Key
		if !c.Only {
			if known, err = documents.TrustedKeys(o, a, c.Producer); err != nil {
				return err
			}
		}
		all, err := documents.JoinedKeys(known, found)
		if err == nil {
			err = o.Trust().TrustIssuer(a.Ctx, o.Caller(), c.Producer, all)
		}
		if err != nil {
			return err
		}
		out := toIssuerTrust(trust.TrustedIssuer{URL: c.Producer, Keys: all})
		out.Fetched = fetched
		if a.JSON {
			return a.Emit(out)
		}
		if fetched != "" {
			a.Say("fetched %s from %s; compare them with what its owner tells you by another way", cli.Plural(len(found), "key", "keys"), cli.Clean(fetched))
		}
		out.show(a)
		return nil
	})
}

// issuer is producer for an issuer of exports.
func (c *trustRemoveCmd) issuer(a *cli.App, o *cli.Session) (int, error) {
	if c.Key == "" {
		return 0, o.Trust().DistrustIssuer(a.Ctx, o.Caller(), c.Producer)
	}
	known, err := documents.TrustedKeys(o, a, c.Producer)
	if err != nil {
		return 0, err
	}
	left, err := keysBut(c, known, func(k engram.Key) string { return k.Kid })
	switch {
	case err != nil:
	case len(left) > 0:
		err = o.Trust().TrustIssuer(a.Ctx, o.Caller(), c.Producer, left)
	default:
		err = o.Trust().DistrustIssuer(a.Ctx, o.Caller(), c.Producer)
	}
	return len(left), err
}
