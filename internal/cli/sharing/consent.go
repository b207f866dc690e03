package sharing

import (
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/vault"
)

// ConsentCmd holds the owner's lasting consents.
type ConsentCmd struct {
	List   consentListCmd   `cmd:"" help:"List the consents."`
	Grant  consentGrantCmd  `cmd:"" help:"Grant a consent. embeddings:export lets agents and holders of an export token have vectors in bundles."`
	Revoke consentRevokeCmd `cmd:"" help:"Revoke a consent."`
}

type consentListCmd struct{}

// consentOut is a consent for machines.
type consentOut struct {
	Consent string `json:"consent"`
	Given   string `json:"given"`
}

// Run lists the consents.
func (c *consentListCmd) Run(a *cli.App) error {
	return a.With(cli.Reading, func(o *cli.Opened) error {
		given, err := o.Consents(a.Ctx, o.Caller())
		if err != nil {
			return err
		}
		if a.JSON {
			out := []consentOut{}
			for _, g := range given {
				out = append(out, consentOut{string(g.Consent), cli.Stamp(g.At)})
			}
			return a.Emit(out)
		}
		for _, g := range given {
			a.Print("%s  since %s", g.Consent, cli.Local(g.At))
		}
		if len(given) == 0 {
			a.Say("nothing is agreed to; satchel consent grant %s lets vectors leave in bundles for others than the owner", vault.ExportEmbeddings)
		}
		return nil
	})
}

type consentGrantCmd struct {
	Consent vault.Consent `arg:"" help:"embeddings:export"`
}

// Run gives a consent.
func (c *consentGrantCmd) Run(a *cli.App) error {
	if err := known(c.Consent); err != nil {
		return err
	}
	return a.With(cli.Writing, func(o *cli.Opened) error {
		if err := o.GrantConsent(a.Ctx, o.Caller(), c.Consent); err != nil {
			return err
		}
		if a.JSON {
			return a.Emit(agreement(c.Consent, true))
		}
		a.Say("agreed to %s; satchel consent revoke %s takes that back", c.Consent, c.Consent)
		return nil
	})
}

// known refuses an unknown consent.
func known(c vault.Consent) error {
	if !c.Valid() {
		return cli.Usagef("there is no consent %s; the only one is %s", cli.Clean(string(c)), vault.ExportEmbeddings)
	}
	return nil
}

// agreement says for machines whether the owner has consented.
func agreement(c vault.Consent, given bool) any {
	return map[string]any{"consent": c, "given": given}
}

type consentRevokeCmd struct {
	Consent vault.Consent `arg:"" help:"embeddings:export"`
}

// Run withdraws a consent.
func (c *consentRevokeCmd) Run(a *cli.App) error {
	if err := known(c.Consent); err != nil {
		return err
	}
	return a.With(cli.Writing, func(o *cli.Opened) error {
		if err := o.RevokeConsent(a.Ctx, o.Caller(), c.Consent); err != nil {
			return err
		}
		if a.JSON {
			return a.Emit(agreement(c.Consent, false))
		}
		a.Say("%s is not agreed to any more; what has left stays where it is", c.Consent)
		return nil
	})
}
