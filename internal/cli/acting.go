package cli

import (
	"context"
	"strings"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// OperatorLabel is by what a database knows whose it is: the account of its
// operator's own owner has this label, and no other may.
const OperatorLabel = vault.OperatorLabel

// enrolled refuses a home folder whose owner is not the operator of the database:
// what it seals would be lost to the others, and theirs to it.
func (o *Opened) enrolled(ctx context.Context) error {
	if !o.InDatabase() {
		return nil
	}
	account, err := AccountOf(ctx, o.Store, o.Config.Owner)
	switch {
	case err != nil:
		return o.NameError(err)
	case account.Label != OperatorLabel:
		return Refusedf("the database %s does not know the owner of the home folder %s as its operator: name the right home folder with --home, or the right database; satchel init takes a new one into use", o.Name(), o.Dir)
	}
	return nil
}

// AccountOf reads what a store says of an owner as one of many.
func AccountOf(ctx context.Context, s store.Store, owner memory.DID) (account store.Account, err error) {
	err = s.View(ctx, owner, func(r store.Reader) (err error) {
		account, err = r.Account()
		return err
	})
	return account, err
}

// actFor makes whom --owner means the one who is acted for; "" means the owner of
// the home folder.
func (o *Opened) actFor(ctx context.Context, who string) error {
	if who == "" || who == string(o.Config.Owner) {
		return nil
	}
	owner, err := o.Meant(ctx, who)
	if err != nil {
		return err
	}
	if err := o.isIn(ctx, owner); err != nil {
		return err
	}
	o.Owner = owner
	return o.Open(ctx, owner)
}

// Meant finds the owner who is meant by a DID or a label.
func (o *Opened) Meant(ctx context.Context, who string) (memory.DID, error) {
	if who == "" {
		return "", Usagef("the owner's name is empty; give a DID or a label")
	}
	if strings.HasPrefix(who, "did:") {
		return memory.DID(who), o.isKnown(ctx, memory.DID(who))
	}
	owners, err := o.Owners(ctx, o.Operator())
	if err != nil {
		return "", err
	}
	var found []vault.OwnerInfo
	for _, w := range owners {
		if string(w.Owner) == who || w.Label == who && (w.MovedTo == "" || w.Moving) {
			found = append(found, w)
		}
	}
	switch len(found) {
	case 0:
		return "", unknownOwner()
	case 1:
		return found[0].Owner, nil
	}
	return "", Usagef("%s have the label %s; name the one you mean by its DID, as satchel owner list shows it",
		Plural(len(found), "owner", "owners"), Clean(who))
}

// isKnown refuses an owner of whom the store has never heard.
func (o *Opened) isKnown(ctx context.Context, owner memory.DID) error {
	known := false
	err := o.Store.View(ctx, owner, func(r store.Reader) error {
		account, err := r.Account()
		if err != nil {
			return err
		}
		moved, err := r.Moved()
		if err != nil {
			return err
		}
		entries, _, err := r.Audit().AuditSize()
		if err != nil {
			return err
		}
		records, _, err := r.Usage()
		known = !account.Added.IsZero() || moved != "" || entries > 0 || records > 0
		return err
	})
	if err == nil && !known {
		err = unknownOwner()
	}
	return err
}

// isIn refuses to act for an owner who was removed.
func (o *Opened) isIn(ctx context.Context, owner memory.DID) error {
	info, err := o.Vault.Owner(ctx, o.Operator(), owner)
	if err == nil && o.WasRemoved(info) && !o.bygone {
		err = RefuseRemoved(owner)
	}
	return err
}

// RefuseRemoved returns the error for an owner who was removed.
func RefuseRemoved(owner memory.DID) error {
	return &memory.Error{Kind: memory.NotFound,
		Message: "nobody of that name is let in: " + string(owner) + " was removed; satchel owner list shows who is in, satchel --owner DID audit show what was done"}
}

func unknownOwner() error {
	return &memory.Error{Kind: memory.NotFound, Message: "the store knows no such owner; satchel owner list shows those it knows"}
}

// WasRemoved reports whether an owner was removed: the store keeps nothing of the owner but
// the audit log, and lets the owner in no more.
func (o *Opened) WasRemoved(w vault.OwnerInfo) bool {
	return w.Owner != o.Config.Owner && w.Added.IsZero() && w.Records == 0 && w.MovedTo == "" && w.Store == ""
}
