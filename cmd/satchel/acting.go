package main

import (
	"context"
	"strings"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// operatorLabel is by what a database knows whose it is: the account of its
// operator's own owner has this label, and no other may.
const operatorLabel = vault.OperatorLabel

// enrolled refuses a home folder whose owner is not the operator of the database:
// what it seals would be lost to the others, and theirs to it.
func (o *opened) enrolled(ctx context.Context) error {
	if !o.remote() {
		return nil
	}
	account, err := accountOf(ctx, o.store, o.config.Owner)
	switch {
	case err != nil:
		return o.named(err)
	case account.Label != operatorLabel:
		return refusedf("the database %s does not know the owner of the home folder %s as its operator: name the right home folder with --home, or the right database; satchel init takes a new one into use", o.name(), o.dir)
	}
	return nil
}

// accountOf reads what a store says of an owner as one of many.
func accountOf(ctx context.Context, s store.Store, owner memory.DID) (account store.Account, err error) {
	err = s.View(ctx, owner, func(r store.Reader) (err error) {
		account, err = r.Account()
		return err
	})
	return account, err
}

// actFor makes whom --owner means the one who is acted for; "" means the owner of
// the home folder.
func (o *opened) actFor(ctx context.Context, who string) error {
	if who == "" || who == string(o.config.Owner) {
		return nil
	}
	owner, err := o.meant(ctx, who)
	if err != nil {
		return err
	}
	if err := o.isIn(ctx, owner); err != nil {
		return err
	}
	o.Owner = owner
	return o.Open(ctx, owner)
}

// meant finds the owner who is meant by a DID or a label.
func (o *opened) meant(ctx context.Context, who string) (memory.DID, error) {
	if who == "" {
		return "", usagef("the owner's name is empty; give a DID or a label")
	}
	if strings.HasPrefix(who, "did:") {
		return memory.DID(who), o.isKnown(ctx, memory.DID(who))
	}
	owners, err := o.Owners(ctx, o.operator())
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
	return "", usagef("%s have the label %s; name the one you mean by its DID, as satchel owner list shows it",
		plural(len(found), "owner", "owners"), clean(who))
}

// isKnown refuses an owner of whom the store has never heard.
func (o *opened) isKnown(ctx context.Context, owner memory.DID) error {
	known := false
	err := o.store.View(ctx, owner, func(r store.Reader) error {
		account, err := r.Account()
		if err != nil {
			return err
		}
		moved, err := r.Moved()
		if err != nil {
			return err
		}
		entries, _, err := r.AuditSize()
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
func (o *opened) isIn(ctx context.Context, owner memory.DID) error {
	info, err := o.Vault.Owner(ctx, o.operator(), owner)
	if err == nil && o.removed(info) && !o.bygone {
		err = removedOwner(owner)
	}
	return err
}

func removedOwner(owner memory.DID) error {
	return &memory.Error{Kind: memory.NotFound,
		Message: "nobody of that name is let in: " + string(owner) + " was removed; satchel owner list shows who is in, satchel --owner DID audit show what was done"}
}

func unknownOwner() error {
	return &memory.Error{Kind: memory.NotFound, Message: "the store knows no such owner; satchel owner list shows those it knows"}
}

// keyIsOpen refuses where a signature is needed of an owner whose key is held
// elsewhere.
func (o *opened) keyIsOpen(ctx context.Context) error {
	info, err := o.Vault.Owner(ctx, o.operator(), o.Owner)
	if err == nil && !info.Held {
		err = refusedf("the key of %s is held by its owner alone: nothing can be signed here for it", o.Owner)
	}
	return err
}
