package sharing

import (
	"encoding/base64"
	"fmt"
	"slices"
	"text/tabwriter"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/documents"
	"github.com/satchel-memory/satchel/internal/vault/trust"
	"github.com/satchel-memory/satchel/memory"
)

// TrustCmd is the command satchel trust.
type TrustCmd struct {
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

// Run adds keys to a trusted producer.
func (c *trustAddCmd) Run(a *cli.App) error {
	if documents.NamesIssuer(c.Producer) {
		return c.issuer(a)
	}
	if !aimem.IsProducer(c.Producer) && c.Key == "" && cli.Exists(c.Producer) {
		return cli.Usagef("say first whose keys are in %[1]s: satchel trust add PRODUCER %[1]s, or of an issuer of exports satchel trust add https://… %[1]s", cli.Clean(c.Producer))
	}
	if !aimem.IsProducer(c.Producer) {
		return cli.Usagef("%q is no name of a producer: bundles have it as producer, 1 to %d of a-z, 0-9 and -", cli.Clean(c.Producer), aimem.MaxProducer)
	}
	if c.Key == "" {
		return cli.Usagef("name the key of %s: a did:key, a COSE_Key in base64, a file that holds one, or a URL", c.Producer)
	}
	found, fetched, err := a.KeysNamed(c.Key)
	if err != nil {
		return err
	}
	return a.With(cli.Signing, func(o *cli.Session) error {
		all := found
		if !c.Only {
			known, err := o.Trust().Trusted(a.Ctx, o.Caller(), c.Producer)
			if err != nil {
				return err
			}
			all = joined(known, found)
		}
		if err := o.Trust().TrustProducer(a.Ctx, o.Caller(), c.Producer, all); err != nil {
			return err
		}
		out, err := toTrustOut(trust.Trust{Producer: c.Producer, Keys: all})
		if err != nil {
			return err
		}
		out.Fetched = fetched
		if a.JSON {
			return a.Emit(out)
		}
		if fetched != "" {
			a.Say("fetched %s from %s; compare the key with what its owner tells you by another way", cli.Plural(len(found), "key", "keys"), cli.Clean(fetched))
		}
		out.show(a)
		return nil
	})
}

// joined adds keys to the known ones, each once; the last spelling of a name counts.
func joined(known, found []aimem.Key) []aimem.Key {
	all := slices.DeleteFunc(slices.Clone(known), func(k aimem.Key) bool { return slices.ContainsFunc(found, k.Equal) })
	for i, k := range found {
		if !slices.ContainsFunc(found[:i], k.Equal) {
			all = append(all, k)
		}
	}
	return all
}

func toTrustOut(t trust.Trust) (trustOut, error) {
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

func (t trustOut) show(a *cli.App) {
	for _, k := range t.Keys {
		a.Print("%s  %s", t.Producer, cli.Clean(k.Key))
	}
}

type trustListCmd struct{}

// Run lists the trusted producers and issuers.
func (c *trustListCmd) Run(a *cli.App) error {
	return a.With(cli.Reading, func(o *cli.Session) error {
		known, err := o.Trust().Trusts(a.Ctx, o.Caller())
		if err != nil {
			return err
		}
		issuers, err := o.Trust().TrustedIssuers(a.Ctx, o.Caller())
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
		if a.JSON {
			return a.Emit(all)
		}
		if len(all) == 0 {
			a.Say("no producer is known by a key, and no issuer; satchel trust add vouches for one")
		}
		return trustTable(a, producers, issuers)
	})
}

func trustTable(a *cli.App, producers []trustOut, issuers []trust.TrustedIssuer) error {
	table := tabwriter.NewWriter(a.Out, 0, 0, 2, ' ', 0)
	for _, t := range producers {
		for _, k := range t.Keys {
			fmt.Fprintf(table, "%s\t%s\n", t.Producer, cli.OneLine(k.Key, 100))
		}
	}
	for _, t := range issuers {
		for _, k := range t.Keys {
			fmt.Fprintf(table, "%s\t%s, until %s\n", cli.Clean(t.URL), cli.OneLine(k.Kid, 60), cli.Local(k.ExpiresAt))
		}
	}
	return table.Flush()
}

type trustRemoveCmd struct {
	Producer string `arg:"" name:"producer|issuer" help:"The producer's name, or the issuer's address."`
	Key      string `arg:"" optional:"" help:"Only this key, as satchel trust list shows it."`
}

// Run forgets a producer, or one of its keys.
func (c *trustRemoveCmd) Run(a *cli.App) error {
	what, remove := "producer", c.producer
	if documents.NamesIssuer(c.Producer) {
		what, remove = "issuer", c.issuer
	}
	return a.With(cli.Signing, func(o *cli.Session) error {
		left, err := remove(a, o)
		if err != nil {
			return err
		}
		if a.JSON {
			return a.Emit(map[string]any{what: c.Producer, "left": left})
		}
		a.Print("%s is known by %s", cli.Clean(c.Producer), cli.Plural(left, "key", "keys"))
		return nil
	})
}

// producer forgets a producer of bundles, or one of its keys, and returns how many keys
// remain.
func (c *trustRemoveCmd) producer(a *cli.App, o *cli.Session) (int, error) {
	if c.Key == "" {
		return 0, o.Trust().DistrustProducer(a.Ctx, o.Caller(), c.Producer)
	}
	known, err := o.Trust().Trusted(a.Ctx, o.Caller(), c.Producer)
	if err != nil {
		return 0, err
	}
	left, err := keysBut(c, known, aimem.Key.Name)
	switch {
	case err != nil:
	case len(left) > 0:
		err = o.Trust().TrustProducer(a.Ctx, o.Caller(), c.Producer, left)
	default:
		err = o.Trust().DistrustProducer(a.Ctx, o.Caller(), c.Producer)
	}
	return len(left), err
}

// keysBut are the keys without the named one.
func keysBut[K any](c *trustRemoveCmd, known []K, name func(K) string) ([]K, error) {
	left := slices.DeleteFunc(slices.Clone(known), func(k K) bool { return name(k) == c.Key })
	if len(left) == len(known) {
		return nil, &memory.Error{Kind: memory.NotFound, Op: "distrust", Message: cli.Clean(c.Producer) + " is known by no key " + cli.Clean(c.Key) + "; satchel trust list shows them"}
	}
	return left, nil
}
