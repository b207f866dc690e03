package main

import (
	"bytes"
	"encoding/json"

	"github.com/satchel-memory/satchel/memory"
)

type getCmd struct {
	ID   string      `arg:"" help:"The id, or its first characters."`
	View memory.View `default:"current" enum:"current,origin" help:"current, or origin: the record as it was signed." placeholder:"V"`
}

// Run shows one record.
func (c *getCmd) Run(a *app) error {
	return a.with(reading, func(o *opened) error {
		id, err := o.resolve(a.ctx, c.ID)
		if err != nil {
			return err
		}
		rec, err := o.Get(a.ctx, o.owner(), id, c.View)
		if err != nil {
			return err
		}
		if !a.json {
			called, err := o.tokenNames(a, len(tokensOf(rec)) > 0)
			a.details(rec, o.Owner, called)
			return err
		}
		form, err := raw(rec)
		if err != nil {
			return err
		}
		var b bytes.Buffer
		if err := json.Indent(&b, form, "", "  "); err != nil {
			return err
		}
		a.print("%s", b.String())
		return nil
	})
}

// tokenNames returns how tokens are called, by jti; nothing where that is not
// wanted.
func (o *opened) tokenNames(a *app, wanted bool) (map[string]string, error) {
	if !wanted {
		return nil, nil
	}
	grants, err := o.Tokens(a.ctx, o.owner())
	return names(grants), err
}
