package sharing

import (
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/vault/trust"
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
	return a.With(cli.Reading, func(o *cli.Session) error {
		given, err := o.Trust().Consents(a.Ctx, o.Caller())
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
			a.Say("nothing is agreed to; satchel consent grant %s lets vectors leave in bundles for others than the owner", trust.ExportEmbeddings)
		}
		return nil
	})
}

type consentGrantCmd struct {
	Consent trust.Consent `arg:"" help:"embeddings:export"`
}

// Run gives a consent.
func (c *consentGrantCmd) Run(a *cli.App) error {
	if err := known(c.Consent); err != nil {
		return err
	}
	return a.With(cli.Writing, func(o *cli.Session) error {
		if err := o.Trust().GrantConsent(a.Ctx, o.Caller(), c.Consent); err != nil {
			return err
		}
		if a.JSON {
			return a.Emit(agreement(c.Consent, true))
		}
		a.Say("agreed to %s; satchel consent revoke %s takes that back", c.Consent, c.Consent)
		return nil
	})
}

// known refuses what nobody can agree to.
func known(c trust.Consent) error {
	if !c.Valid() {
		return cli.Usagef("there is no consent %s; the only one is %s", cli.Clean(string(c)), trust.ExportEmbeddings)
	}
	return nil
}

// agreement says for machines whether something is agreed to.
func agreement(c trust.Consent, given bool) any {
	return map[string]any{"consent": c, "given": given}
}

type consentRevokeCmd struct {
	Consent trust.Consent `arg:"" help:"embeddings:export"`
}

// Run withdraws a consent.
func (c *consentRevokeCmd) Run(a *cli.App) error {
	if err := known(c.Consent); err != nil {
		return err
	}
	return a.With(cli.Writing, func(o *cli.Session) error {
		if err := o.Trust().RevokeConsent(a.Ctx, o.Caller(), c.Consent); err != nil {
			return err
		}
		if a.JSON {
			return a.Emit(agreement(c.Consent, false))
		}
		a.Say("%s is not agreed to any more; what has left stays where it is", c.Consent)
		return nil
	})
}
