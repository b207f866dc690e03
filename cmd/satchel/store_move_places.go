package main

import (
	"context"
	"errors"
	"os"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/carry"
	"github.com/satchel-memory/satchel/internal/store/postgres"
	"github.com/satchel-memory/satchel/internal/store/sqlite"
	"github.com/satchel-memory/satchel/memory"
)

// departing opens the store that is left, with every key that there is, so that
// what was changed behind satchel's back is found before it is carried.
func (a *app) departing(from home) (*opened, error) {
	b := *a
	b.store, b.homeDir, b.owner = from.dir, "", ""
	if from.remote() {
		b.store, b.homeDir = from.url, from.dir
	}
	o, err := b.open(signing)
	if err != nil {
		return nil, err
	}
	j, begun, err := o.readJournal()
	if err == nil && begun {
		err = refusedf("the change of keys from %s to %s is not finished; finish it first with satchel owner rekey", j.From, j.To)
	}
	if err == nil {
		err = o.settled(a.ctx)
	}
	if err == nil {
		err = o.openAll(a.ctx)
	}
	if err != nil {
		return nil, errors.Join(err, o.Close())
	}
	return o, nil
}

// settled refuses a store of which an owner is going over to another key.
func (o *opened) settled(ctx context.Context) error {
	owners, err := o.Owners(ctx, o.operator())
	for _, w := range owners {
		if w.Moving {
			return refusedf("the change of keys from %s to %s is not finished; finish it first with satchel --owner DID owner rekey", w.Owner, w.MovedTo)
		}
	}
	return err
}

// openAll opens the keys of all owners, as far as they lie here.
func (o *opened) openAll(ctx context.Context) error {
	owners, err := o.store.Owners(ctx)
	for _, owner := range owners {
		err = errors.Join(err, o.Open(ctx, owner))
	}
	return err
}

// arriving opens the store that everything goes to, and makes it if need be. The
// operator of the one that is left becomes its operator.
func (a *app) arriving(o *opened, to home) (carry.Place, error) {
	if err := o.fits(a, to); err != nil {
		return nil, err
	}
	if !to.remote() {
		if err := os.MkdirAll(to.dir, 0o700); err != nil {
			return nil, err
		}
		s, err := sqlite.Open(a.ctx, to.database(), sqlite.Options{Seal: o.seal})
		return s, to.named(err)
	}
	if err := to.migrate(a); err != nil {
		return nil, err
	}
	s, err := postgres.Open(a.ctx, to.url, postgres.Options{Seal: o.seal})
	if err != nil {
		return nil, to.named(err)
	}
	if err = to.unclaimed(a.ctx, s, o.config.Owner); err == nil {
		err = enrolOnce(a, o)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// enrolOnce notes in the store that is left whose it is: with the owner's row that
// comes into the database.
func enrolOnce(a *app, o *opened) error {
	account, err := accountOf(a.ctx, o.store, o.config.Owner)
	if err != nil || account.Label == operatorLabel {
		return err
	}
	return enrol(a, o.store, o.config.Owner)
}

// unclaimed refuses a database that has another operator.
func (h home) unclaimed(ctx context.Context, s store.Store, owner memory.DID) error {
	owners, err := s.Owners(ctx)
	for _, other := range owners {
		if other == owner {
			continue
		}
		account, err := accountOf(ctx, s, other)
		if err != nil {
			return h.named(err)
		}
		if account.Label == operatorLabel {
			return refusedf("%s is the store of another operator; name another database", h.name())
		}
	}
	return h.named(err)
}
