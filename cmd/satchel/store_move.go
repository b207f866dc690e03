package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"

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

// moved is what came of a move, for machines.
type moved struct {
	From    string       `json:"from"`
	To      string       `json:"to"`
	Home    string       `json:"home"`    // of the store that it became
	Owners  []memory.DID `json:"owners"`  // who went there now
	Already []memory.DID `json:"already"` // who had gone there before
	Left    []memory.DID `json:"left"`    // who had gone to yet another store, and were left alone
	Rows    int64        `json:"rows"`
}

// Run moves every owner. What was cut off goes on when it is said again.
func (c *storeMoveCmd) Run(a *app) error {
	from, to, err := c.places(a)
	if err != nil {
		return err
	}
	if err := c.ask(a, from, to); err != nil {
		return err
	}
	o, err := a.departing(from)
	if err != nil {
		return err
	}
	return errors.Join(c.move(a, o, to), o.Close())
}

// places finds both stores. The home folder of a database is the one that --home
// names, unless it goes to a folder, which becomes its own.
func (c *storeMoveCmd) places(a *app) (from, to home, err error) {
	if a.store != "" {
		return from, to, usagef("name both stores after satchel store move, and leave --store out")
	}
	if from, err = a.storeAt(c.From); err == nil {
		to, err = a.storeAt(c.To)
	}
	if err == nil && from.is(to.name()) {
		err = usagef("%s is both: name another store to move to", to.name())
	}
	return from, to, err
}

// storeAt finds a store that an argument names.
func (a *app) storeAt(named string) (home, error) {
	if isDatabase(named) {
		return a.homeOf(named)
	}
	b := *a
	b.store, b.homeDir = named, ""
	return b.home()
}

// ask makes sure that it is meant.
func (c *storeMoveCmd) ask(a *app, from, to home) error {
	switch {
	case c.Yes:
		return nil
	case !a.interactive():
		return usagef("after a move the old store answers nobody; say --yes when there is no terminal to ask on")
	}
	yes, err := a.confirm(fmt.Sprintf("Move everything from %s to %s? Programs that use the old store should be stopped; it answers nobody afterwards.", from.name(), to.name()))
	if err == nil && !yes {
		err = refusedf("nothing was moved")
	}
	return err
}

func (c *storeMoveCmd) move(a *app, o *opened, to home) error {
	leaves, ok := o.store.(carry.Place)
	if !ok {
		return errors.ErrUnsupported
	}
	if c.Abandon {
		return c.giveUp(a, o, to)
	}
	went, err := o.wentTo(a.ctx, to)
	if err != nil {
		return err
	}
	undo, err := o.beginMove(to)
	if err != nil {
		return err
	}
	arrives, err := a.arriving(o, to)
	if err != nil {
		return errors.Join(err, undo())
	}
	done := moved{From: o.name(), To: to.name(), Home: to.dir, Owners: []memory.DID{}, Already: []memory.DID{}, Left: []memory.DID{}}
	report, err := carried(a, leaves, arrives, to, undo)
	if err = errors.Join(err, arrives.Close()); err != nil {
		return fmt.Errorf("%w; the same command goes on from here, --abandon gives up", err)
	}
	if err := o.follow(to); err != nil {
		return err
	}
	if err := errors.Join(o.endMove(), to.endMove()); err != nil {
		return err
	}
	done.Owners, done.Already, done.Left = append(done.Owners, report.Moved...), append(done.Already, report.Already...), append(done.Left, report.Left...)
	done.Rows = report.Rows
	return done.report(a, to, went)
}

// carried lets everything arrive. undo takes back the note of the move, which does not
// stay where nothing has arrived.
func carried(a *app, leaves, arrives carry.Place, to home, undo func() error) (carry.Report, error) {
	report, err := carry.Move(a.ctx, leaves, arrives, carry.Options{Where: to.name(), Progress: a.carrying()})
	if err != nil {
		halfway, unknown := arrives.Arriving(context.WithoutCancel(a.ctx))
		if unknown == nil && len(halfway) == 0 && len(report.Moved) == 0 {
			err = errors.Join(err, undo())
		}
		return report, err
	}
	if c, ok := arrives.(store.Compacter); ok && !to.remote() {
		err = c.Compact(a.ctx) // of former rows of who has come back
	}
	return report, err
}

// carrying shows how far a move has come.
func (a *app) carrying() func(carry.Progress) {
	p, last := a.progress("carried"), carry.Progress{}
	total := 0
	return func(now carry.Progress) {
		before := last.Rows
		if now.Owner != last.Owner {
			before = 0
		}
		total, last = total+int(now.Rows-before), now
		p.reached(total)
		if now.Rows == now.Of && now.Nth == now.Owners {
			p.end()
		}
	}
}

// report says what was moved, and what to do next.
// Who had gone elsewhere before is not there, which is no success.
func (d moved) report(a *app, to home, went map[memory.DID]string) (err error) {
	if len(d.Left) > 0 {
		err = silent(exitRefused)
	}
	if a.json {
		return errors.Join(a.emit(d), err)
	}
	switch {
	case len(d.Owners) > 0:
		a.print("moved %s to %s, and compared both: %s", plural(len(d.Owners), "owner", "owners"), d.To, plural(int(d.Rows), "row", "rows"))
	case len(d.Left) == 0:
		a.print("all is there already: %s", d.To)
	}
	for _, owner := range d.Left {
		a.warn("%s had gone to %s and was left alone: move from there", owner, cmp.Or(went[owner], "another store"))
	}
	if to.remote() {
		a.say("the home folder is %s: every server over the database needs a copy of it", d.Home)
	}
	a.say("%s answers nobody any more; hosts that use it need satchel connect again. Remove it when you are sure, with its backups.", d.From)
	return err
}
