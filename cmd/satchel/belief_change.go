package main

import (
	"github.com/satchel-memory/satchel/engram"
)

type beliefCorrectCmd struct {
	beliefRef
	Value string `arg:"" help:"The new value. - reads standard input."`
	Note  string `help:"The reason, kept with the correction." placeholder:"TEXT"`
	secretFlag
}

// Run gives a belief another value, by the owner's word.
func (c *beliefCorrectCmd) Run(a *app) error {
	value, err := a.text(c.Value, maxText)
	if err != nil {
		return err
	}
	c.mask(a, &value, &c.Note)
	return c.change(a, func(o *opened, id string) (engram.Belief, error) {
		return o.Correct(a.ctx, c.owner(o), id, value, c.Note)
	})
}

// change does something to the belief that is meant, and shows how it stands then.
func (r beliefRef) change(a *app, do func(o *opened, id string) (engram.Belief, error)) error {
	return a.with(writing, func(o *opened) error {
		id, err := r.find(a, o)
		if err != nil {
			return err
		}
		b, err := do(o, id)
		if err != nil {
			return err
		}
		return a.stands(b)
	})
}

type beliefConfirmCmd struct{ beliefRef }

// Run notes that a belief still holds.
func (c *beliefConfirmCmd) Run(a *app) error {
	return c.change(a, func(o *opened, id string) (engram.Belief, error) { return o.Confirm(a.ctx, o.owner(), id) })
}

type beliefArchiveCmd struct{ beliefRef }

// Run puts a belief away.
func (c *beliefArchiveCmd) Run(a *app) error {
	return c.change(a, func(o *opened, id string) (engram.Belief, error) { return o.Archive(a.ctx, o.owner(), id) })
}

type beliefDeleteCmd struct{ beliefRef }

// Run deletes a belief.
func (c *beliefDeleteCmd) Run(a *app) error {
	return a.with(writing, func(o *opened) error {
		id, err := c.find(a, o)
		if err != nil {
			return err
		}
		gone, err := o.Delete(a.ctx, o.owner(), id)
		if err != nil {
			return err
		}
		return a.gone(gone, "assistants are told that it is gone, and not what it was; satchel forget --hard erases the memories it was made of")
	})
}

// gone shows a tombstone.
func (a *app) gone(g engram.Tombstone, said string) error {
	if a.json {
		return a.emit(map[string]any{"id": g.ID, "status": engram.Deleted, "deleted_at": engram.FormatInstant(g.DeletedAt)})
	}
	a.print("%s deleted", a.part(g.ID))
	a.say("%s", said)
	return nil
}
