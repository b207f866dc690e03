package main

import (
	"context"
	"errors"
	"io/fs"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/carry"
	"github.com/satchel-memory/satchel/internal/store/postgres"
	"github.com/satchel-memory/satchel/internal/store/sqlite"
	"github.com/satchel-memory/satchel/memory"
)

// fits refuses to move a store to a home folder that is another's.
func (o *opened) fits(a *app, to home) error {
	conf, err := to.readConfig()
	switch {
	case err == nil && conf.Owner != o.config.Owner:
		return refusedf("%s belongs to another owner, %s: name another folder with --home, or another target", to.dir, conf.Owner)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	return o.takesStoreKey(a, to)
}

// wentTo tells where owners went from here before. It refuses where all of them did,
// and not to the store that is named now: what that has of them is of an earlier time.
func (o *opened) wentTo(ctx context.Context, to home) (map[memory.DID]string, error) {
	owners, err := o.Owners(ctx, o.operator())
	if err != nil {
		return nil, err
	}
	went, other := map[memory.DID]string{}, ""
	for _, w := range owners {
		if w.Store == "" {
			continue
		}
		went[w.Owner] = w.Store
		if !to.is(w.Store) {
			other = w.Store
		}
	}
	if other != "" && len(went) == len(owners) {
		return nil, refusedf("nothing was moved: the owners of %s went to %s; move from there: satchel store move %[2]s %[3]s", o.name(), clean(other), to.name())
	}
	return went, nil
}

// giveUp removes from the target who has not wholly arrived. It makes nothing.
func (c *storeMoveCmd) giveUp(a *app, o *opened, to home) error {
	if err := o.fits(a, to); err != nil {
		return err
	}
	arrives, err := o.begun(a, to)
	if err != nil {
		return err
	}
	gone, err := carry.Abandon(a.ctx, arrives)
	if err = errors.Join(err, arrives.Close()); err != nil {
		return err
	}
	if len(gone) == 0 {
		return nothingBegun(to)
	}
	if err := o.endMove(); err != nil {
		return err
	}
	if to.remote() {
		a.warn("traces of what had arrived remain in the pages and logs of the database until satchel store scrub")
	}
	a.say("given up: %s removed from %s; they live in %s", plural(len(gone), "owner", "owners"), to.name(), o.name())
	return nil
}

// begun opens a target that is there already.
func (o *opened) begun(a *app, to home) (carry.Place, error) {
	if !to.remote() {
		if !exists(to.database()) {
			return nil, nothingBegun(to)
		}
		s, err := sqlite.Open(a.ctx, to.database(), sqlite.Options{Seal: o.seal})
		return s, to.named(err)
	}
	s, err := postgres.Open(a.ctx, to.url, postgres.Options{Seal: o.seal})
	if errors.Is(err, store.ErrNotStore) {
		return nil, nothingBegun(to)
	}
	return s, to.named(err)
}

func nothingBegun(to home) error {
	return refusedf("there is nothing to give up: no move to %s was begun, or it is finished", to.name())
}
