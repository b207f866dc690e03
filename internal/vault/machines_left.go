package vault

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strconv"
	"strings"

	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/keys"
	"github.com/satchel-memory/satchel/memory"
)

// The spaces of what package replicate keeps and the erasure of everything leaves, so that
// the owner's other machines learn of it.
const (
	MachineSpace  = "replica.machine" // a machine's id -> replica.Machine
	GoneMarkSpace = "count.gone"      // the keyed mark of a record's id -> replica.Gone
	ItemSpace     = "replica.rest"    // kind and key of another item -> replica.Known
)

// GoneSecret returns the secret that marks the ids of records that an owner's machines have
// erased.
func GoneSecret(owner keys.Private) []byte {
	return owner.Secret("satchel marks of records that a machine erased")
}

// GoneMark returns the keyed mark of a record's id.
func GoneMark(secret []byte, id memory.ID) string {
	h := hmac.New(sha256.New, secret)
	h.Write([]byte(id))
	return hex.EncodeToString(h.Sum(nil)[:20])
}

// leftOfMachines returns what stays when everything of an owner is erased: the owner's
// machines, and marks of all that was here, which name nothing. It is nothing for an owner
// without machines.
func (e *eraser) leftOfMachines(w store.Writer) (left []store.Attachment, err error) {
	self, err := w.Attached(MachineStateSpace, SelfKey, 0)
	key := e.holder(w.Owner())
	if errors.Is(err, store.ErrNotFound) || key == nil {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	head, err := w.Head()
	if err != nil {
		return nil, err
	}
	left = append(left, self, store.Attachment{Space: MachineStateSpace, Key: HarvestedKey, Data: strconv.AppendInt(nil, head, 10)})
	keep := func(a store.Attachment) error { left = append(left, a); return nil }
	if err := EachBeside(w, store.AttachmentFilter{Space: MachineSpace}, keep); err != nil {
		return nil, err
	}
	gone, err := e.goneMarks(w, GoneSecret(*key))
	if err != nil {
		return nil, err
	}
	for mark, g := range gone {
		left = append(left, store.Attachment{Space: GoneMarkSpace, Key: mark, Data: replica.Encode(g)})
	}
	return left, EachBeside(w, store.AttachmentFilter{Space: ItemSpace}, func(a store.Attachment) error {
		k, err := replica.Decode[replica.Known](a.Data)
		if err != nil || !k.Register.Here || strings.HasPrefix(a.Key, string(replica.KindProject)) {
			return err // names of projects do not stay
		}
		a.Data = replica.Encode(replica.Known{Register: k.Register.Set(nil, false)})
		return keep(a)
	})
}

// goneMarks returns the marks of all records that are here or were erased before.
func (e *eraser) goneMarks(w store.Writer, secret []byte) (map[string]replica.Gone, error) {
	gone := map[string]replica.Gone{}
	err := EachBeside(w, store.AttachmentFilter{Space: GoneMarkSpace}, func(a store.Attachment) error {
		g, err := replica.Decode[replica.Gone](a.Data)
		gone[a.Key] = g
		return err
	})
	if err != nil {
		return nil, err
	}
	return gone, EachPage(context.Background(), w, store.Filter{}, func(rows []store.Row) error {
		for _, row := range rows {
			if mark := GoneMark(secret, row.ID); !gone[mark].Erased() {
				gone[mark]++
			}
		}
		return nil
	})
}
