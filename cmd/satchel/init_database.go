package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/postgres"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// belongs makes the database a store of the operator whom who names, and reports
// whether it was that before. Who does so at the same time waits, and finds it taken:
// only then is who asked, and key only when the database does not know the owner.
func (h home) belongs(a *app, who func() (memory.DID, error), key func() (keys.Private, error)) (already bool, err error) {
	var held keys.Private
	seal := func(owner memory.DID) []byte {
		if held.IsZero() || owner != held.DID() {
			return nil
		}
		return vault.SealSecret(held)
	}
	s, err := h.openStore(a, seal)
	if errors.Is(err, store.ErrNotStore) || errors.Is(err, store.ErrOperator) { // it is to be made, or of an earlier release
		if err := h.migrate(a); err != nil {
			return false, err
		}
		s, err = h.openStore(a, seal)
	}
	if err != nil {
		return false, err
	}
	err = postgres.Claim(a.ctx, h.url, postgres.Options{}, func() error {
		owner, err := who()
		if err == nil {
			already, err = h.operates(a.ctx, s, owner)
		}
		if err != nil || already {
			return err
		}
		if held, err = key(); err != nil {
			return err
		}
		return enrol(a, s, owner)
	})
	return already, errors.Join(err, s.Close())
}

// migrate makes the tables in a database, or brings them up to date.
func (h home) migrate(a *app) error {
	err := h.named(postgres.Migrate(a.ctx, h.url, postgres.Options{})) // also sees to roles and policies
	if errors.Is(err, store.ErrOperator) {
		err = fmt.Errorf("%w; the user in the URL has to be the one who owns the tables", err)
	}
	return err
}

// operates reports whether an owner is the operator of a database. It refuses when
// somebody else is.
func (h home) operates(ctx context.Context, s store.Store, owner memory.DID) (bool, error) {
	account, err := accountOf(ctx, s, owner)
	if err != nil || account.Label == operatorLabel {
		return err == nil, h.named(err)
	}
	owners, err := s.Owners(ctx)
	if err != nil {
		return false, h.named(err)
	}
	if len(owners) > 0 {
		return false, refusedf("%s is the store of another operator than the owner of %s; name their home folder with --home, bring it back with their recovery kit "+
			"and satchel init --recover, or name another database", h.name(), h.dir)
	}
	return false, nil
}

// enrol notes in a store who its operator is.
func enrol(a *app, s store.Store, owner memory.DID) error {
	return s.Update(a.ctx, owner, func(w store.Writer) error {
		account, err := w.Account()
		if err != nil {
			return err
		}
		account.Label = operatorLabel
		if account.Added.IsZero() {
			account.Added = a.now()
		}
		return w.SetAccount(account)
	})
}

// join takes a home folder into use with a database: its own already, or an empty
// one.
func (c *initCmd) join(a *app, h home, conf config) error {
	already, err := h.belongs(a, func() (memory.DID, error) { return conf.Owner, nil },
		func() (keys.Private, error) { return a.ownerKey(h, conf.Owner) })
	switch {
	case err != nil:
		return err
	case already:
		a.say("%s is the store of this home folder already; nothing was changed", h.name())
	default:
		a.say("%s is the store of this home folder now", h.name())
	}
	return c.report(a, h, conf, "")
}

// begin makes a home folder's owner the operator of a database. The owner is the one
// whose key is given, unless somebody who makes the same folder was faster.
func (c *initCmd) begin(a *app, h home, owner keys.Private, kept bool, pass string) (keys.Private, error) {
	who := func() (memory.DID, error) {
		if kept || !exists(h.key(ownerKey)) {
			return owner.DID(), nil
		}
		made, err := a.unlock(h, ownerKey, "")
		if err == nil && c.Recover && made.DID() != owner.DID() {
			err = refusedf("there is another key in %s by now; move that file away", h.key(ownerKey))
		}
		if err == nil {
			owner, kept = made, true
		}
		return owner.DID(), err
	}
	_, err := h.belongs(a, who, func() (keys.Private, error) { return owner, c.buildKeys(h, owner, kept, pass) })
	return owner, err
}
