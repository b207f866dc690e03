package operate

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/carry"
	"github.com/satchel-memory/satchel/memory"
)

type storeMoveCmd struct {
	From    string `arg:"" help:"The store to move: a folder, or postgres://USER@HOST/DATABASE."`
	To      string `arg:"" help:"An empty folder or database, or the target of an interrupted move."`
	Abandon bool   `help:"Give up an interrupted move: remove incomplete owners from TO."`
	Yes     bool   `short:"y" help:"Do not ask."`
}

// moved is the result of a move, for machines.
type moved struct {
	From    string       `json:"from"`
	To      string       `json:"to"`
	Home    string       `json:"home"`    // of the target store
	Owners  []memory.DID `json:"owners"`  // that moved now
	Already []memory.DID `json:"already"` // that moved before
	Left    []memory.DID `json:"left"`    // that had moved to a third store, and stay there
	Rows    int64        `json:"rows"`
}

// Run moves every owner. A second run continues an interrupted move.
func (c *storeMoveCmd) Run(a *cli.App) error {
	from, to, err := c.places(a)
	if err != nil {
		return err
	}
	if err := c.ask(a, from, to); err != nil {
		return err
	}
	o, err := openSource(a, from)
	if err != nil {
		return err
	}
	return errors.Join(c.move(a, o, to), o.Close())
}

// places finds both stores. --home names the home folder of a database, unless the target
// is a folder, which becomes its own.
func (c *storeMoveCmd) places(a *cli.App) (from, to cli.Home, err error) {
	if a.Store != "" {
		return from, to, cli.Usagef("name both stores after satchel store move, and leave --store out")
	}
	if from, err = storeAt(a, c.From); err == nil {
		to, err = storeAt(a, c.To)
	}
	if err == nil && isStore(from, to.Name()) {
		err = cli.Usagef("%s is both: name another store to move to", to.Name())
	}
	return from, to, err
}

// storeAt finds the store that an argument names.
func storeAt(a *cli.App, named string) (cli.Home, error) {
	if cli.IsDatabase(named) {
		return a.HomeOf(named)
	}
	b := *a
	b.Store, b.HomeDir = named, ""
	return b.Home()
}

// ask asks for confirmation.
func (c *storeMoveCmd) ask(a *cli.App, from, to cli.Home) error {
	switch {
	case c.Yes:
		return nil
	case !a.Interactive():
		return cli.Usagef("after a move the old store answers nobody; say --yes when there is no terminal to ask on")
	}
	yes, err := a.Confirm(fmt.Sprintf("Move everything from %s to %s? Programs that use the old store should be stopped; it answers nobody afterwards.", from.Name(), to.Name()))
	if err == nil && !yes {
		err = cli.Refusedf("nothing was moved")
	}
	return err
}

func (c *storeMoveCmd) move(a *cli.App, o *cli.Session, to cli.Home) error {
	leaves, ok := o.Store.(carry.Place)
	if !ok {
		return errors.ErrUnsupported
	}
	if c.Abandon {
		return c.giveUp(a, o, to)
	}
	went, err := wentTo(o, a.Ctx, to)
	if err != nil {
		return err
	}
	undo, err := beginMove(o.Home, to)
	if err != nil {
		return err
	}
	arrives, err := openTarget(a, o, to)
	if err != nil {
		return errors.Join(err, undo())
	}
	done := moved{From: o.Name(), To: to.Name(), Home: to.Dir, Owners: []memory.DID{}, Already: []memory.DID{}, Left: []memory.DID{}}
	report, err := carryAll(a, leaves, arrives, to, undo)
	if err = errors.Join(err, arrives.Close()); err != nil {
		return fmt.Errorf("%w; the same command goes on from here, --abandon gives up", err)
	}
	if err := follow(o, to); err != nil {
		return err
	}
	if err := errors.Join(endMove(o.Home), endMove(to)); err != nil {
		return err
	}
	done.Owners, done.Already, done.Left = append(done.Owners, report.Moved...), append(done.Already, report.Already...), append(done.Left, report.Left...)
	done.Rows = report.Rows
	return done.report(a, to, went)
}

// carryAll moves everything. undo removes the note of the move if nothing has arrived.
func carryAll(a *cli.App, leaves, arrives carry.Place, to cli.Home, undo func() error) (carry.Report, error) {
	report, err := carry.Move(a.Ctx, leaves, arrives, carry.Options{Where: to.Name(), Progress: showProgress(a)})
	if err != nil {
		halfway, unknown := arrives.Arriving(context.WithoutCancel(a.Ctx))
		if unknown == nil && len(halfway) == 0 && len(report.Moved) == 0 {
			err = errors.Join(err, undo())
		}
		return report, err
	}
	if c, ok := arrives.(store.Compacter); ok && !to.InDatabase() {
		err = c.Compact(a.Ctx) // old rows of owners that came back
	}
	return report, err
}

// showProgress shows a move's progress.
func showProgress(a *cli.App) func(carry.Progress) {
	p, last := a.Progress("carried"), carry.Progress{}
	total := 0
	return func(now carry.Progress) {
		before := last.Rows
		if now.Owner != last.Owner {
			before = 0
		}
		total, last = total+int(now.Rows-before), now
		p.Reached(total)
		if now.Rows == now.Of && now.Nth == now.Owners {
			p.End()
		}
	}
}

// report says what was moved, and the next steps. If owners had moved elsewhere before, the
// move is no success.
func (d moved) report(a *cli.App, to cli.Home, went map[memory.DID]string) (err error) {
	if len(d.Left) > 0 {
		err = cli.Silent(cli.ExitRefused)
	}
	if a.JSON {
		return errors.Join(a.Emit(d), err)
	}
	switch {
	case len(d.Owners) > 0:
		a.Print("moved %s to %s, and compared both: %s", cli.Plural(len(d.Owners), "owner", "owners"), d.To, cli.Plural(int(d.Rows), "row", "rows"))
	case len(d.Left) == 0:
		a.Print("all is there already: %s", d.To)
	}
	for _, owner := range d.Left {
		a.Warn("%s had gone to %s and was left alone: move from there", owner, cmp.Or(went[owner], "another store"))
	}
	if to.InDatabase() {
		a.Say("the home folder is %s: every server over the database needs a copy of it", d.Home)
	}
	a.Say("%s answers nobody any more; hosts that use it need satchel connect again. Remove it when you are sure, with its backups.", d.From)
	return err
}
