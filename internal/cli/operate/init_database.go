package operate

import (
	"context"
	"errors"
	"fmt"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/postgres"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// belongs makes the database a store of the operator that who returns, and reports whether
// it already was. A second caller waits, and finds the database taken. belongs calls who
// only then, and key only if the database does not know the owner.
func belongs(h cli.Home, a *cli.App, who func() (memory.DID, error), key func() (keys.Private, error)) (already bool, err error) {
	var held keys.Private
	seal := func(owner memory.DID) []byte {
		if held.IsZero() || owner != held.DID() {
			return nil
		}
		return vault.SealSecret(held)
	}
	s, err := h.OpenStore(a, seal)
	if errors.Is(err, store.ErrNotStore) || errors.Is(err, store.ErrOperator) { // it must be made, or is of an earlier release
		if err := migrate(h, a); err != nil {
			return false, err
		}
		s, err = h.OpenStore(a, seal)
	}
	if err != nil {
		return false, err
	}
	err = postgres.Claim(a.Ctx, h.URL, postgres.Options{}, func() error {
		owner, err := who()
		if err == nil {
			already, err = operates(h, a.Ctx, s, owner)
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

// migrate makes the tables in a database, or updates them.
func migrate(h cli.Home, a *cli.App) error {
	err := h.NameError(postgres.Migrate(a.Ctx, h.URL, postgres.Options{})) // also updates roles and policies
	if errors.Is(err, store.ErrOperator) {
		err = fmt.Errorf("%w; the user in the URL has to be the one who owns the tables", err)
	}
	return err
}

// operates reports whether an owner is the operator of a database. It fails if somebody
// else is.
func operates(h cli.Home, ctx context.Context, s store.Store, owner memory.DID) (bool, error) {
	account, err := cli.AccountOf(ctx, s, owner)
	if err != nil || account.Label == cli.OperatorLabel {
		return err == nil, h.NameError(err)
	}
	owners, err := s.Owners(ctx)
	if err != nil {
		return false, h.NameError(err)
	}
	if len(owners) > 0 {
		return false, cli.Refusedf("%s is the store of another operator than the owner of %s; name their home folder with --home, bring it back with their recovery kit "+
			"and satchel init --recover, or name another database", h.Name(), h.Dir)
	}
	return false, nil
}

// enrol records a store's operator.
func enrol(a *cli.App, s store.Store, owner memory.DID) error {
	return s.Update(a.Ctx, owner, func(w store.Writer) error {
		account, err := w.Account()
		if err != nil {
			return err
		}
		account.Label = cli.OperatorLabel
		if account.Added.IsZero() {
			account.Added = a.Now()
		}
		return w.SetAccount(account)
	})
}

// join makes a home folder the folder of a database: its own already, or an empty one.
func (c *InitCmd) join(a *cli.App, h cli.Home, conf cli.Config) error {
	already, err := belongs(h, a, func() (memory.DID, error) { return conf.Owner, nil },
		func() (keys.Private, error) { return a.OwnerKey(h, conf.Owner) })
	switch {
	case err != nil:
		return err
	case already:
		a.Say("%s is the store of this home folder already; nothing was changed", h.Name())
	default:
		a.Say("%s is the store of this home folder now", h.Name())
	}
	return c.report(a, h, conf, "")
}

// begin makes a home folder's owner the operator of a database. The owner is the one with
// the given key, unless another program makes the same folder first.
func (c *InitCmd) begin(a *cli.App, h cli.Home, owner keys.Private, kept bool, pass string) (keys.Private, error) {
	who := func() (memory.DID, error) {
		if kept || !cli.Exists(h.Key(cli.OwnerKey)) {
			return owner.DID(), nil
		}
		made, err := a.Unlock(h, cli.OwnerKey, "")
		if err == nil && c.Recover && made.DID() != owner.DID() {
			err = cli.Refusedf("there is another key in %s by now; move that file away", h.Key(cli.OwnerKey))
		}
		if err == nil {
			owner, kept = made, true
		}
		return owner.DID(), err
	}
	_, err := belongs(h, a, who, func() (keys.Private, error) { return owner, c.buildKeys(h, owner, kept, pass) })
	return owner, err
}
