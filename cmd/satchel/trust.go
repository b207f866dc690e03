package main

import (
	"encoding/base64"
	"fmt"
	"slices"
	"text/tabwriter"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

type trustCmd struct {
	Add    trustAddCmd    `cmd:"" help:"Trust a key of a producer of bundles, or the keys of an issuer of Engram exports."`
	List   trustListCmd   `cmd:"" help:"List the trusted producers and issuers, and their keys."`
	Remove trustRemoveCmd `cmd:"" help:"Stop trusting a producer or an issuer, or one of its keys."`
}

type trustAddCmd struct {
	Producer string `arg:"" name:"producer|issuer" help:"The producer's name in its bundles, or the issuer's address, https://…"`
	Key      string `arg:"" optional:"" name:"key|file|url" help:"For a producer: a did:key, a COSE_Key in base64, a file with one, or an https URL, fetched once. For an issuer: a file or URL with its keys; default: the list it publishes, fetched once."`
	Only     bool   `help:"Trust no other key of it."`
}

// trustOut is a producer for machines.
type trustOut struct {
	Producer string       `json:"producer"`
	Keys     []trustedOut `json:"keys"`
	Fetched  string       `json:"fetched,omitempty"`
}

type trustedOut struct {
	Key  string `json:"key"`
	COSE string `json:"cose_key"`
}

// Run adds keys to those by which a producer is known.
func (c *trustAddCmd) Run(a *app) error {
	if namesIssuer(c.Producer) {
		return c.issuer(a)
	}
	if !aimem.IsProducer(c.Producer) && c.Key == "" && exists(c.Producer) {
		return usagef("say first whose keys are in %[1]s: satchel trust add PRODUCER %[1]s, or of an issuer of exports satchel trust add https://… %[1]s", clean(c.Producer))
	}
	if !aimem.IsProducer(c.Producer) {
		return usagef("%q is no name of a producer: bundles have it as producer, 1 to %d of a-z, 0-9 and -", clean(c.Producer), aimem.MaxProducer)
	}
	if c.Key == "" {
		return usagef("name the key of %s: a did:key, a COSE_Key in base64, a file that holds one, or a URL", c.Producer)
	}
	found, fetched, err := a.keysNamed(c.Key)
	if err != nil {
		return err
	}
	return a.with(signing, func(o *opened) error {
		all := found
		if !c.Only {
			known, err := o.Trusted(a.ctx, o.owner(), c.Producer)
			if err != nil {
				return err
			}
			all = joined(known, found)
		}
		if err := o.TrustProducer(a.ctx, o.owner(), c.Producer, all); err != nil {
			return err
		}
		out, err := toTrustOut(vault.Trust{Producer: c.Producer, Keys: all})
		if err != nil {
			return err
		}
		out.Fetched = fetched
		if a.json {
			return a.emit(out)
		}
		if fetched != "" {
			a.say("fetched %s from %s; compare the key with what its owner tells you by another way", plural(len(found), "key", "keys"), clean(fetched))
		}
		out.show(a)
		return nil
	})
}

// joined adds keys to those that are known, each once; the last spelling of its name
// counts.
func joined(known, found []aimem.Key) []aimem.Key {
	all := slices.DeleteFunc(slices.Clone(known), func(k aimem.Key) bool { return slices.ContainsFunc(found, k.Equal) })
	for i, k := range found {
		if !slices.ContainsFunc(found[:i], k.Equal) {
			all = append(all, k)
		}
	}
	return all
}

func toTrustOut(t vault.Trust) (trustOut, error) {
	out := trustOut{Producer: t.Producer, Keys: []trustedOut{}}
	for _, k := range t.Keys {
		encoded, err := aimem.EncodeKey(k)
		if err != nil {
			return out, fmt.Errorf("show a key of %s: %w", t.Producer, err)
		}
		out.Keys = append(out.Keys, trustedOut{k.Name(), base64.StdEncoding.EncodeToString(encoded)})
	}
	return out, nil
}

func (t trustOut) show(a *app) {
	for _, k := range t.Keys {
		a.print("%s  %s", t.Producer, clean(k.Key))
	}
}

type trustListCmd struct{}

// Run lists the producers and issuers that are known.
func (c *trustListCmd) Run(a *app) error {
	return a.with(reading, func(o *opened) error {
		known, err := o.Trusts(a.ctx, o.owner())
		if err != nil {
			return err
		}
		issuers, err := o.TrustedIssuers(a.ctx, o.owner())
		if err != nil {
			return err
		}
		producers := make([]trustOut, 0, len(known))
		all := make([]any, 0, len(known)+len(issuers))
		for _, t := range known {
			one, err := toTrustOut(t)
			if err != nil {
				return err
			}
			producers, all = append(producers, one), append(all, one)
		}
		for _, t := range issuers {
			all = append(all, toIssuerTrust(t))
		}
		if a.json {
			return a.emit(all)
		}
		if len(all) == 0 {
			a.say("no producer is known by a key, and no issuer; satchel trust add vouches for one")
		}
		return trustTable(a, producers, issuers)
	})
}

func trustTable(a *app, producers []trustOut, issuers []vault.TrustedIssuer) error {
	table := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	for _, t := range producers {
		for _, k := range t.Keys {
			fmt.Fprintf(table, "%s\t%s\n", t.Producer, oneLine(k.Key, 100))
		}
	}
	for _, t := range issuers {
		for _, k := range t.Keys {
			fmt.Fprintf(table, "%s\t%s, until %s\n", clean(t.URL), oneLine(k.Kid, 60), local(k.ExpiresAt))
		}
	}
	return table.Flush()
}

type trustRemoveCmd struct {
	Producer string `arg:"" name:"producer|issuer" help:"The producer's name, or the issuer's address."`
	Key      string `arg:"" optional:"" help:"Only this key, as satchel trust list shows it."`
}

// Run forgets a producer, or one key of it.
func (c *trustRemoveCmd) Run(a *app) error {
	what, remove := "producer", c.producer
	if namesIssuer(c.Producer) {
		what, remove = "issuer", c.issuer
	}
	return a.with(signing, func(o *opened) error {
		left, err := remove(a, o)
		if err != nil {
			return err
		}
		if a.json {
			return a.emit(map[string]any{what: c.Producer, "left": left})
		}
		a.print("%s is known by %s", clean(c.Producer), plural(left, "key", "keys"))
		return nil
	})
}

// producer forgets a producer of bundles, or one key of it, and returns how many keys of
// it stay.
func (c *trustRemoveCmd) producer(a *app, o *opened) (int, error) {
	if c.Key == "" {
		return 0, o.DistrustProducer(a.ctx, o.owner(), c.Producer)
	}
	known, err := o.Trusted(a.ctx, o.owner(), c.Producer)
	if err != nil {
		return 0, err
	}
	left, err := keysBut(c, known, aimem.Key.Name)
	switch {
	case err != nil:
	case len(left) > 0:
		err = o.TrustProducer(a.ctx, o.owner(), c.Producer, left)
	default:
		err = o.DistrustProducer(a.ctx, o.owner(), c.Producer)
	}
	return len(left), err
}

// keysBut are the keys that stay when the one that is named goes.
func keysBut[K any](c *trustRemoveCmd, known []K, name func(K) string) ([]K, error) {
	left := slices.DeleteFunc(slices.Clone(known), func(k K) bool { return name(k) == c.Key })
	if len(left) == len(known) {
		return nil, &memory.Error{Kind: memory.NotFound, Op: "distrust", Message: clean(c.Producer) + " is known by no key " + clean(c.Key) + "; satchel trust list shows them"}
	}
	return left, nil
}
