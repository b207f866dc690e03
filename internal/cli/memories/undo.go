package memories

import (
	"time"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/internal/vault/takeback"
	"github.com/satchel-memory/satchel/memory"
)

// UndoCmd is the command satchel undo.
type UndoCmd struct {
	ID   string `arg:"" optional:"" help:"The act, as --list shows it, or a memory that it changed. Default: the latest act."`
	List bool   `help:"List what can be taken back, and until when."`
}

// Run takes an act back.
func (c *UndoCmd) Run(a *cli.App) error {
	need := cli.Writing
	if c.List {
		need = cli.Reading
	}
	return a.With(need, func(o *cli.Session) error {
		acts := takeback.New(o.Vault)
		if c.List {
			return c.list(a, o, acts)
		}
		name, err := c.named(a, o, acts)
		if err != nil {
			return err
		}
		done, err := acts.Undo(a.Ctx, o.Caller(), name)
		if err != nil {
			return err
		}
		if a.JSON {
			return a.Emit(actOut(done))
		}
		a.Print("%s", undoneWords(done))
		return nil
	})
}

// named returns the name of the act that is meant, "" for the latest.
func (c *UndoCmd) named(a *cli.App, o *cli.Session, acts *takeback.Service) (string, error) {
	if c.ID == "" {
		return "", nil
	}
	list, err := acts.List(a.Ctx, o.Caller())
	if err != nil {
		return "", err
	}
	for _, act := range list {
		if act.Name == c.ID {
			return act.Name, nil
		}
	}
	id, err := o.FindID(a.Ctx, c.ID)
	if err != nil {
		return "", err
	}
	name, err := acts.Of(a.Ctx, o.Caller(), id)
	if err == nil && name == "" {
		err = cli.Refusedf("nothing was done to %s in the last half hour that can be taken back", cli.ShortID(id))
	}
	return name, err
}

// list shows what can be taken back.
func (c *UndoCmd) list(a *cli.App, o *cli.Session, acts *takeback.Service) error {
	list, err := acts.List(a.Ctx, o.Caller())
	if err != nil {
		return err
	}
	if a.JSON {
		out := make([]undoable, len(list))
		for i, act := range list {
			out[i] = actOut(act)
		}
		return a.Emit(map[string]any{"acts": out})
	}
	if len(list) == 0 {
		a.Say("there is nothing to take back")
	}
	for _, act := range list {
		a.Print("%s  %s, until %s", act.Name, actWords(act), act.Ends.Local().Format("15:04"))
	}
	return nil
}

// undoable is an act for machines.
type undoable struct {
	Name string        `json:"name"`
	Act  vault.UndoAct `json:"act"`
	IDs  []memory.ID   `json:"ids"`
	Ends time.Time     `json:"ends"`
}

func actOut(act takeback.Act) undoable { return undoable{act.Name, act.Did, act.Records, act.Ends} }

// actWords says what an act did.
func actWords(act takeback.Act) string {
	what := cli.ShortID(act.Records[0])
	if n := len(act.Records); n > 1 {
		what = cli.Plural(n, "memory", "memories")
	}
	switch act.Did {
	case vault.UndoForget:
		return "forgotten " + what
	case vault.UndoReject:
		return "rejected " + what
	case vault.UndoConfirm:
		return "confirmed " + what
	}
	return "revised as " + what
}

// undoneWords says what holds after an act was taken back.
func undoneWords(act takeback.Act) string {
	what := cli.ShortID(act.Records[0])
	if n := len(act.Records); n > 1 {
		what = cli.Plural(n, "memory", "memories")
	}
	switch act.Did {
	case vault.UndoForget:
		return "not forgotten any more: " + what
	case vault.UndoReject:
		return "waits for you again: " + what
	case vault.UndoConfirm:
		return "waits for you again; what it replaced is in force, and " + what + " is gone"
	}
	return "as before; " + what + " is gone"
}
