package beliefs

import (
	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/memories"
)

type beliefCorrectCmd struct {
	beliefRef
	Value string `arg:"" help:"The new value. - reads standard input."`
	Note  string `help:"The reason, kept with the correction." placeholder:"TEXT"`
	cli.SecretFlag
}

// Run gives a belief another value, in the owner's name.
func (c *beliefCorrectCmd) Run(a *cli.App) error {
	value, err := a.Text(c.Value, memories.MaxText)
	if err != nil {
		return err
	}
	c.Mask(a, &value, &c.Note)
	return c.change(a, func(o *cli.Session, id string) (engram.Belief, error) {
		return o.Beliefs().Correct(a.Ctx, c.Owner(o), id, value, c.Note)
	})
}

// change changes the named belief, and shows the result.
func (r beliefRef) change(a *cli.App, do func(o *cli.Session, id string) (engram.Belief, error)) error {
	return a.With(cli.Writing, func(o *cli.Session) error {
		id, err := r.find(a, o)
		if err != nil {
			return err
		}
		b, err := do(o, id)
		if err != nil {
			return err
		}
		return stands(a, b)
	})
}

type beliefConfirmCmd struct{ beliefRef }

// Run confirms that a belief still holds.
func (c *beliefConfirmCmd) Run(a *cli.App) error {
	return c.change(a, func(o *cli.Session, id string) (engram.Belief, error) {
		return o.Beliefs().Confirm(a.Ctx, o.Caller(), id)
	})
}

type beliefArchiveCmd struct{ beliefRef }

// Run archives a belief.
func (c *beliefArchiveCmd) Run(a *cli.App) error {
	return c.change(a, func(o *cli.Session, id string) (engram.Belief, error) {
		return o.Beliefs().Archive(a.Ctx, o.Caller(), id)
	})
}

type beliefDeleteCmd struct{ beliefRef }

// Run deletes a belief.
func (c *beliefDeleteCmd) Run(a *cli.App) error {
	return a.With(cli.Writing, func(o *cli.Session) error {
		id, err := c.find(a, o)
		if err != nil {
			return err
		}
		gone, err := o.Beliefs().Delete(a.Ctx, o.Caller(), id)
		if err != nil {
			return err
		}
		return tellGone(a, gone, "assistants are told that it is gone, and not what it was; satchel forget --hard erases the memories it was made of")
	})
}

// tellGone shows a tombstone.
func tellGone(a *cli.App, g engram.Tombstone, said string) error {
	if a.JSON {
		return a.Emit(map[string]any{"id": g.ID, "status": engram.Deleted, "deleted_at": engram.FormatInstant(g.DeletedAt)})
	}
	a.Print("%s deleted", a.ShownPart(g.ID))
	a.Say("%s", said)
	return nil
}
