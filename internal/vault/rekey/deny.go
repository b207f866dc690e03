package rekey

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
)

// carriedOver returns the old owner's attachments for the new one: all of them, with the
// keys of the deny list encrypted for the new owner's key, and what agents remember sealed under
// it.
func (k *keyChange) carriedOver(space string, list []store.Attachment) ([]store.Attachment, error) {
	if strings.HasPrefix(space, vault.NoteSpace) {
		return k.resealedNotes(list)
	}
	if space != vault.DeniedKeySpace {
		return list, nil
	}
	var all []store.Attachment
	for _, a := range list {
		if secret := vault.CarriedIn(a, k.kernel.Ledger(k.from).Secret); secret != nil {
			all = append(all, vault.CarriedKey(secret, audit.Secret(k.to)))
		}
	}
	return all, nil
}

// resealedNotes returns what agents remember in the form for the new owner.
func (k *keyChange) resealedNotes(list []store.Attachment) ([]store.Attachment, error) {
	all := slices.Clone(list)
	for i, a := range all {
		if !vault.IsSealed(a.Data) {
			continue
		}
		open, err := vault.OpenNote(k.kernel.Holder(k.from), a)
		if err == nil {
			all[i], err = vault.SealNote(&k.to, open)
		}
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// ownDenials returns the key of the old owner's own marks, for the new one.
func (k *keyChange) ownDenials() []store.Attachment {
	old := k.kernel.Ledger(k.from).Secret
	if len(old) == 0 || bytes.Equal(old, audit.Secret(k.to)) {
		return nil
	}
	return []store.Attachment{vault.CarriedKey(old, audit.Secret(k.to))}
}

// carryDenials lets the next home owner mark, as the present one did, for owners whose
// keys are not kept here.
func (k *keyChange) carryDenials(ctx context.Context) error {
	v := k.Service
	home := v.kernel.Holder(v.kernel.Home())
	if k.from != v.kernel.Home() || home == nil {
		return nil
	}
	owners, err := v.kernel.Bare().Owners(ctx)
	if err != nil {
		return err
	}
	for _, owner := range owners {
		err = errors.Join(err, v.kernel.Bare().Update(ctx, owner, func(w store.Writer) error {
			a, err := w.Account()
			if err != nil || a.Added.IsZero() || len(a.Key) > 0 {
				return err
			}
			return vault.CarryDenialsOf(w, home.Secret(vault.MarkingPurpose(owner)), k.to.Secret(vault.MarkingPurpose(owner)))
		}))
	}
	return err
}
