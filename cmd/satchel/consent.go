package main

import (
	"github.com/satchel-memory/satchel/internal/vault"
)

// consentCmd holds what the owner agrees to once and for all.
type consentCmd struct {
	List   consentListCmd   `cmd:"" help:"List the consents."`
	Grant  consentGrantCmd  `cmd:"" help:"Grant a consent. embeddings:export lets agents and holders of an export token have vectors in bundles."`
	Revoke consentRevokeCmd `cmd:"" help:"Revoke a consent."`
}

type consentListCmd struct{}

// consentOut is an agreement for machines.
type consentOut struct {
	Consent string `json:"consent"`
	Given   string `json:"given"`
}

// Run lists what is agreed to.
func (c *consentListCmd) Run(a *app) error {
	return a.with(reading, func(o *opened) error {
		given, err := o.Consents(a.ctx, o.owner())
		if err != nil {
			return err
		}
		if a.json {
			out := []consentOut{}
			for _, g := range given {
				out = append(out, consentOut{string(g.Consent), stamp(g.At)})
			}
			return a.emit(out)
		}
		for _, g := range given {
			a.print("%s  since %s", g.Consent, local(g.At))
		}
		if len(given) == 0 {
			a.say("nothing is agreed to; satchel consent grant %s lets vectors leave in bundles for others than the owner", vault.ExportEmbeddings)
		}
		return nil
	})
}

type consentGrantCmd struct {
	Consent vault.Consent `arg:"" help:"embeddings:export"`
}

// Run agrees to something.
func (c *consentGrantCmd) Run(a *app) error {
	if err := known(c.Consent); err != nil {
		return err
	}
	return a.with(writing, func(o *opened) error {
		if err := o.GrantConsent(a.ctx, o.owner(), c.Consent); err != nil {
			return err
		}
		if a.json {
			return a.emit(agreement(c.Consent, true))
		}
		a.say("agreed to %s; satchel consent revoke %s takes that back", c.Consent, c.Consent)
		return nil
	})
}

// known refuses what nobody can agree to.
func known(c vault.Consent) error {
	if !c.Valid() {
		return usagef("there is no consent %s; the only one is %s", clean(string(c)), vault.ExportEmbeddings)
	}
	return nil
}

// agreement says for machines whether something is agreed to.
func agreement(c vault.Consent, given bool) any {
	return map[string]any{"consent": c, "given": given}
}

type consentRevokeCmd struct {
	Consent vault.Consent `arg:"" help:"embeddings:export"`
}

// Run takes an agreement back.
func (c *consentRevokeCmd) Run(a *app) error {
	if err := known(c.Consent); err != nil {
		return err
	}
	return a.with(writing, func(o *opened) error {
		if err := o.RevokeConsent(a.ctx, o.owner(), c.Consent); err != nil {
			return err
		}
		if a.json {
			return a.emit(agreement(c.Consent, false))
		}
		a.say("%s is not agreed to any more; what has left stays where it is", c.Consent)
		return nil
	})
}
