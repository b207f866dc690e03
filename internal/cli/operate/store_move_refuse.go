package operate

import (
	"context"
	"errors"
	"io/fs"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/carry"
	"github.com/satchel-memory/satchel/internal/store/postgres"
	"github.com/satchel-memory/satchel/internal/store/sqlite"
	"github.com/satchel-memory/satchel/memory"
)

// fits refuses to move a store to another store's home folder.
func fits(o *cli.Session, a *cli.App, to cli.Home) error {
	conf, err := to.ReadConfig()
	switch {
	case err == nil && conf.Owner != o.Config.Owner:
		return cli.Refusedf("%s belongs to another owner, %s: name another folder with --home, or another target", to.Dir, conf.Owner)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	return takesStoreKey(o, a, to)
}

// wentTo tells where owners moved from here before. It fails if all of them moved, and not
// to the target: the target's rows are older.
func wentTo(o *cli.Session, ctx context.Context, to cli.Home) (map[memory.DID]string, error) {
	owners, err := o.Owners(ctx, o.Operator(), "")
	if err != nil {
		return nil, err
	}
	went, other := map[memory.DID]string{}, ""
	for _, w := range owners {
		if w.Store == "" {
			continue
		}
		went[w.Owner] = w.Store
		if !isStore(to, w.Store) {
			other = w.Store
		}
	}
	if other != "" && len(went) == len(owners) {
		return nil, cli.Refusedf("nothing was moved: the owners of %s went to %s; move from there: satchel store move %[2]s %[3]s", o.Name(), cli.Clean(other), to.Name())
	}
	return went, nil
}

// giveUp removes incompletely moved owners from the target. It makes nothing.
func (c *storeMoveCmd) giveUp(a *cli.App, o *cli.Session, to cli.Home) error {
	if err := fits(o, a, to); err != nil {
		return err
	}
	arrives, err := openExisting(o, a, to)
	if err != nil {
		return err
	}
	gone, err := carry.Abandon(a.Ctx, arrives)
	if err = errors.Join(err, arrives.Close()); err != nil {
		return err
	}
	if len(gone) == 0 {
		return nothingBegun(to)
	}
	if err := endMove(o.Home); err != nil {
		return err
	}
	if to.InDatabase() {
		a.Warn("traces of what had arrived remain in the pages and logs of the database until satchel store scrub")
	}
	a.Say("given up: %s removed from %s; they live in %s", cli.Plural(len(gone), "owner", "owners"), to.Name(), o.Name())
	return nil
}

// openExisting opens a target that already exists.
func openExisting(o *cli.Session, a *cli.App, to cli.Home) (carry.Place, error) {
	if !to.InDatabase() {
		if !cli.Exists(to.Database()) {
			return nil, nothingBegun(to)
		}
		s, err := sqlite.Open(a.Ctx, to.Database(), sqlite.Options{Seal: o.Seal})
		return s, to.NameError(err)
	}
	s, err := postgres.Open(a.Ctx, to.URL, postgres.Options{Seal: o.Seal})
	if errors.Is(err, store.ErrNotStore) {
		return nil, nothingBegun(to)
	}
	return s, to.NameError(err)
}

func nothingBegun(to cli.Home) error {
	return cli.Refusedf("there is nothing to give up: no move to %s was begun, or it is finished", to.Name())
}
