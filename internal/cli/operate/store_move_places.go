package operate

import (
	"context"
	"errors"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/carry"
	"github.com/satchel-memory/satchel/internal/store/postgres"
	"github.com/satchel-memory/satchel/internal/store/sqlite"
	"github.com/satchel-memory/satchel/memory"
)

// openSource opens the source store with every available key, so that satchel finds outside
// changes before it moves the rows.
func openSource(a *cli.App, from cli.Home) (*cli.Session, error) {
	b := *a
	b.Store, b.HomeDir, b.Owner = from.Dir, "", ""
	if from.InDatabase() {
		b.Store, b.HomeDir = from.URL, from.Dir
	}
	o, err := b.Open(cli.Signing)
	if err != nil {
		return nil, err
	}
	j, begun, err := o.ReadJournal()
	if err == nil && begun {
		err = cli.Refusedf("the change of keys from %s to %s is not finished; finish it first with satchel owner rekey", j.From, j.To)
	}
	if err == nil {
		err = requireSettled(o, a.Ctx)
	}
	if err == nil {
		err = openAll(o, a.Ctx)
	}
	if err != nil {
		return nil, errors.Join(err, o.Close())
	}
	return o, nil
}

// requireSettled refuses a store with an owner whose change of keys is not complete.
func requireSettled(o *cli.Session, ctx context.Context) error {
	owners, err := o.Owners(ctx, o.Operator(), "")
	for _, w := range owners {
		if w.Moving {
			return cli.Refusedf("the change of keys from %s to %s is not finished; finish it first with satchel --owner DID owner rekey", w.Owner, w.MovedTo)
		}
	}
	return err
}

// openAll opens the keys of all owners, as far as they are here.
func openAll(o *cli.Session, ctx context.Context) error {
	owners, err := o.Store.Owners(ctx)
	for _, owner := range owners {
		err = errors.Join(err, o.Open(ctx, owner))
	}
	return err
}

// openTarget opens the target store, and makes it if needed. The source's operator becomes
// its operator.
func openTarget(a *cli.App, o *cli.Session, to cli.Home) (carry.Place, error) {
	if err := fits(o, a, to); err != nil {
		return nil, err
	}
	if !to.InDatabase() {
		if err := to.Make(); err != nil {
			return nil, err
		}
		s, err := sqlite.Open(a.Ctx, to.Database(), sqlite.Options{Seal: o.Seal})
		return s, to.NameError(err)
	}
	if err := migrate(to, a); err != nil {
		return nil, err
	}
	s, err := postgres.Open(a.Ctx, to.URL, postgres.Options{Seal: o.Seal})
	if err != nil {
		return nil, to.NameError(err)
	}
	if err = unclaimed(to, a.Ctx, s, o.Config.Owner); err == nil {
		err = enrolOnce(a, o)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// enrolOnce records the source store's operator, in the owner's row that moves to the
// database.
func enrolOnce(a *cli.App, o *cli.Session) error {
	account, err := cli.AccountOf(a.Ctx, o.Store, o.Config.Owner)
	if err != nil || account.Label == cli.OperatorLabel {
		return err
	}
	return enrol(a, o.Store, o.Config.Owner)
}

// unclaimed refuses a database that has another operator.
func unclaimed(h cli.Home, ctx context.Context, s store.Store, owner memory.DID) error {
	owners, err := s.Owners(ctx)
	for _, other := range owners {
		if other == owner {
			continue
		}
		account, err := cli.AccountOf(ctx, s, other)
		if err != nil {
			return h.NameError(err)
		}
		if account.Label == cli.OperatorLabel {
			return cli.Refusedf("%s is the store of another operator; name another database", h.Name())
		}
	}
	return h.NameError(err)
}
