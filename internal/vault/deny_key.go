package vault

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"strings"

	"github.com/satchel-memory/satchel/internal/audit"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// DeniedKeySpace holds what the deny list was marked with before its owner, or
// whoever marks for the owner, took another key. Key is which key and which next
// one, as marks; Data is the former, under a pad that the next one gives.
const DeniedKeySpace = "aimem.denied.key"

// CarriedKey is the attachment by which whoever has next can ask a deny list that
// was marked with old. It is the same every time.
func CarriedKey(old, next []byte) store.Attachment {
	key := keyMark(old) + " " + keyMark(next)
	return store.Attachment{Space: DeniedKeySpace, Key: key, Data: padded(next, key, old)}
}

// CarriedIn is the inverse of carriedKey. It is nil for what is there for another
// key than next.
func CarriedIn(a store.Attachment, next []byte) []byte {
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
	carried, err := r.Attachments(store.AttachmentFilter{Space: DeniedKeySpace}, 0, ImportBatch)
	for _, a := range carried {
		if secret := CarriedIn(a, now.Secret); secret != nil {
			all = append(all, audit.Log{Owner: owner, Secret: secret})
		}
	}
	return all, err
}

// CarryDenialsOf lets whoever marks with next ask the deny list that was marked with old.
func CarryDenialsOf(w store.Writer, old, next []byte) error {
	some, err := Denying(w)
	if err != nil || !some {
		return err
	}
	list := []store.Attachment{CarriedKey(old, next)}
	carried, err := w.Attachments(store.AttachmentFilter{Space: DeniedKeySpace}, 0, ImportBatch)
	if err != nil {
		return err
	}
	for _, a := range carried {
		if secret := CarriedIn(a, old); secret != nil {
			list = append(list, CarriedKey(secret, next))
		}
	}
	_, err = w.AttachAll(list)
	return err
}

// MarkingPurpose is what the home owner's key gives for an owner whose own is not kept here.
func MarkingPurpose(owner memory.DID) string { return "satchel audit log of " + string(owner) }
