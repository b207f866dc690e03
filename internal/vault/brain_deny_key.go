package vault

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"strings"

	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// deniedKeySpace holds what the deny list was marked with before its owner, or
// whoever marks for the owner, took another key. Key is which key and which next
// one, as marks; Data is the former, under a pad that the next one gives.
const deniedKeySpace = "aimem.denied.key"

// carriedKey is the attachment by which whoever has next can ask a deny list that
// was marked with old. It is the same every time.
func carriedKey(old, next []byte) store.Attachment {
	key := keyMark(old) + " " + keyMark(next)
	return store.Attachment{Space: deniedKeySpace, Key: key, Data: padded(next, key, old)}
}

// carriedIn is the inverse of carriedKey. It is nil for what is there for another
// key than next.
func carriedIn(a store.Attachment, next []byte) []byte {
	if _, to, _ := strings.Cut(a.Key, " "); to != keyMark(next) || len(a.Data) != sha256.Size {
		return nil
	}
	return padded(next, a.Key, a.Data)
}

func keyMark(secret []byte) string { return audit.Log{Secret: secret}.Mark("deny list") }

// padded covers a secret, or uncovers it. No two secrets have the same pad.
func padded(by []byte, key string, secret []byte) []byte {
	h := hmac.New(sha256.New, by)
	h.Write([]byte("satchel deny list, key of an earlier one, v1\x00" + key))
	pad := h.Sum(nil)
	if subtle.XORBytes(pad, pad, secret) != len(pad) {
		return nil
	}
	return pad
}

// denyMarks returns what may stand for a name on the deny list: what is put there
// first, then what was put there under earlier keys.
func denyMarks(ledgers []audit.Log, name string) []string {
	var all []string
	for _, l := range ledgers {
		if mark := l.Mark(name); mark != "" {
			all = append(all, mark)
		}
	}
	return all
}

// denyLedgers returns what marks the names on the deny list.
func (v *Vault) denyLedgers(r store.Reader, owner memory.DID) ([]audit.Log, error) {
	now := v.ledger(owner)
	all := []audit.Log{now}
	if len(now.Secret) == 0 {
		return nil, nil
	}
	carried, err := r.Attachments(store.AttachmentFilter{Space: deniedKeySpace}, 0, importBatch)
	for _, a := range carried {
		if secret := carriedIn(a, now.Secret); secret != nil {
			all = append(all, audit.Log{Owner: owner, Secret: secret})
		}
	}
	return all, err
}

// carriedOver is what of the attachments of the old owner the new one gets: all of
// them, and the keys of the deny list so that the new owner's key opens them.
func (k *rekeying) carriedOver(space string, list []store.Attachment) []store.Attachment {
	if space != deniedKeySpace {
		return list
	}
	var all []store.Attachment
	for _, a := range list {
		if secret := carriedIn(a, k.vault.ledger(k.from).Secret); secret != nil {
			all = append(all, carriedKey(secret, audit.Secret(k.to)))
		}
	}
	return all
}

// ownDenials is the key of the old owner's own marks, for the new one.
func (k *rekeying) ownDenials() []store.Attachment {
	old := k.vault.ledger(k.from).Secret
	if len(old) == 0 || bytes.Equal(old, audit.Secret(k.to)) {
		return nil
	}
	return []store.Attachment{carriedKey(old, audit.Secret(k.to))}
}

// carryDenials lets the next home owner mark for those whose keys are not kept here
// as the present one did.
func (k *rekeying) carryDenials(ctx context.Context) error {
	v := k.vault
	home := v.holder(v.home)
	if k.from != v.home || home == nil {
		return nil
	}
	owners, err := v.bare.Owners(ctx)
	if err != nil {
		return err
	}
	for _, owner := range owners {
		err = errors.Join(err, v.bare.Update(ctx, owner, func(w store.Writer) error {
			a, err := w.Account()
			if err != nil || a.Added.IsZero() || len(a.Key) > 0 {
				return err
			}
			return carryDenialsOf(w, home.Secret(marking(owner)), k.to.Secret(marking(owner)))
		}))
	}
	return err
}

func carryDenialsOf(w store.Writer, old, next []byte) error {
	some, err := denying(w)
	if err != nil || !some {
		return err
	}
	list := []store.Attachment{carriedKey(old, next)}
	carried, err := w.Attachments(store.AttachmentFilter{Space: deniedKeySpace}, 0, importBatch)
	if err != nil {
		return err
	}
	for _, a := range carried {
		if secret := carriedIn(a, old); secret != nil {
			list = append(list, carriedKey(secret, next))
		}
	}
	_, err = w.AttachAll(list)
	return err
}

// marking is what the home owner's key gives for an owner whose own is not kept here.
func marking(owner memory.DID) string { return "satchel audit log of " + string(owner) }
