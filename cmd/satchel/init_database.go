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

// belongs makes the database a store of the operator whose key is given, and reports
// whether it was that before. The key is asked for only when it was not.
func (h home) belongs(a *app, owner memory.DID, key func() (keys.Private, error)) (already bool, err error) {
	var held keys.Private
	seal := func(who memory.DID) []byte {
		if who != owner || held.IsZero() {
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
	already, err = h.operates(a.ctx, s, owner)
	if err == nil && !already {
		if held, err = key(); err == nil {
			err = enrol(a, s, owner)
		}
	}
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
	already, err := h.belongs(a, conf.Owner, func() (keys.Private, error) { return a.ownerKey(h, conf.Owner) })
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
