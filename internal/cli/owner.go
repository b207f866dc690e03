package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// OperatorLabel marks the operator of a database: the account of the operator's own owner
// has this label, and no other may.
const OperatorLabel = vault.OperatorLabel

// requireOperator refuses a home folder whose owner is not the operator of the database:
// the others could not read what it seals, nor it theirs.
func (o *Session) requireOperator(ctx context.Context) error {
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

// AccountOf reads an owner's account in a store of many owners.
func AccountOf(ctx context.Context, s store.Store, owner memory.DID) (account store.Account, err error) {
	err = s.View(ctx, owner, func(r store.Reader) (err error) {
		account, err = r.Account()
		return err
	})
	return account, err
}

// actFor selects the owner that --owner names; "" selects the owner of the home folder.
func (o *Session) actFor(ctx context.Context, who string) error {
	if who == "" || who == string(o.Config.Owner) {
		return nil
	}
	owner, err := o.FindOwner(ctx, who)
	if err != nil {
		return err
	}
	if err := o.requireMember(ctx, owner); err != nil {
		return err
	}
	o.Owner = owner
	return o.Open(ctx, owner)
}

// FindOwner finds an owner by a DID or a label.
func (o *Session) FindOwner(ctx context.Context, who string) (memory.DID, error) {
	if who == "" {
		return "", Usagef("the owner's name is empty; give a DID or a label")
	}
	if strings.HasPrefix(who, "did:") {
		return memory.DID(who), o.requireKnown(ctx, memory.DID(who))
	}
	found, err := o.Owners(ctx, o.Operator(), who)
	if err != nil {
		return "", err
	}
	found = slices.DeleteFunc(found, func(w vault.OwnerInfo) bool { return w.MovedTo != "" && !w.Moving })
	switch len(found) {
	case 0:
		return "", unknownOwner()
	case 1:
		return found[0].Owner, nil
	}
	return "", Usagef("%s have the label %s; name the one you mean by its DID, as satchel owner list shows it",
		Plural(len(found), "owner", "owners"), Clean(who))
}

// requireKnown refuses an owner that the store does not know.
func (o *Session) requireKnown(ctx context.Context, owner memory.DID) error {
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

// requireMember refuses to act for a removed owner.
func (o *Session) requireMember(ctx context.Context, owner memory.DID) error {
	info, err := o.Vault.Owner(ctx, o.Operator(), owner)
	if err == nil && o.IsRemoved(info) && !o.bygone {
		err = RefuseRemoved(owner)
	}
	return err
}

// RefuseRemoved returns the error for a removed owner.
func RefuseRemoved(owner memory.DID) error {
	return &memory.Error{Kind: memory.NotFound,
		Message: "nobody of that name is let in: " + string(owner) + " was removed; satchel owner list shows who is in, satchel --owner DID audit show what was done"}
}

func unknownOwner() error {
	return &memory.Error{Kind: memory.NotFound, Message: "the store knows no such owner; satchel owner list shows those it knows"}
}

// IsRemoved reports whether an owner was removed: the store keeps only the owner's audit
// log, and does not admit the owner any more.
func (o *Session) IsRemoved(w vault.OwnerInfo) bool {
	return w.Owner != o.Config.Owner && w.Added.IsZero() && w.Records == 0 && w.MovedTo == "" && w.Store == ""
}
