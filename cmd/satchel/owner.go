package main

import (
	"github.com/satchel-memory/satchel/memory"
)

type ownerCmd struct {
	List  ownerListCmd  `cmd:"" help:"List the owners that the store knows."`
	Rekey ownerRekeyCmd `cmd:"" help:"Go over to another key: sign every memory anew, under a new owner."`
}

type ownerListCmd struct{}

// ownerOut is an owner for machines.
type ownerOut struct {
	Owner   memory.DID `json:"owner"`
	Records int        `json:"records"`
	Current bool       `json:"current"` // the owner whose store it is
	MovedTo memory.DID `json:"moved_to,omitempty"`
	Moving  bool       `json:"moving,omitempty"`
}

// Run lists owners, the one whose store it is marked.
func (c *ownerListCmd) Run(a *app) error {
	return a.with(reading, func(o *opened) error {
		owners, err := o.Owners(a.ctx, o.owner())
		if err != nil {
			return err
		}
		out, found := []ownerOut{}, false
		for _, w := range owners {
			found = found || w.Owner == o.Owner
			out = append(out, ownerOut{w.Owner, w.Records, w.Owner == o.Owner, w.MovedTo, w.Moving})
		}
		if !found { // nothing was ever written
			out = append(out, ownerOut{Owner: o.Owner, Current: true})
		}
		if a.json {
			return a.emit(map[string]any{"owners": out})
		}
		for _, w := range out {
			mark, more := " ", ""
			if w.Current {
				mark = "*"
			}
			switch {
			case w.Moving:
				more = ", going over to " + clean(string(w.MovedTo))
			case w.MovedTo != "":
				more = ", went over to " + clean(string(w.MovedTo))
			}
			a.print("%s %s  %s%s", mark, clean(string(w.Owner)), plural(w.Records, "memory", "memories"), more)
		}
		return nil
	})
}
