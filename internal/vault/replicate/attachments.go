package replicate

import (
	"bytes"
	"errors"
	"slices"

	"github.com/satchel-memory/satchel/internal/replica"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// attachmentSpaces returns the spaces of attachments that never change. They hold what bundles
// contain beside records.
func attachmentSpaces() []string {
	return []string{vault.EntitySpace, vault.EntityAliasSpace, vault.EntityOriginSpace, vault.EdgeSpace, vault.LinkSpace, vault.VectorSpace}
}

func attachmentItem(a store.Attachment, imports importKeys) replica.Item {
	return replica.NewItem(replica.KindAttachment, a.Space+"\x00"+a.Key, replica.Attachment{From: a.From, To: a.To, Import: imports.key[a.Import], Data: a.Data})
}

// joinAttachment stores an attachment of another machine, unless its record or import is erased or
// undone.
func (t *tx) joinAttachment(i replica.Item) (out outcome, err error) {
	said, err := replica.Decode[replica.Attachment](i.Data)
	if err != nil {
		return out, err
	}
	space, key := before(i.Key), after(i.Key)
	if !slices.Contains(attachmentSpaces(), space) {
		return out, replica.ErrMalformed
	}
	a := store.Attachment{Space: space, Key: key, From: said.From, To: said.To, Import: t.imports.number[said.Import], Data: said.Data}
	was, err := t.w.Attached(space, key, 0)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return out, err
	}
	if err == nil {
		mine := attachmentItem(was, t.imports)
		both, err := replica.Join(mine, i)
		if err != nil {
			return out, err
		}
		if out.differs = !bytes.Equal(both.Data, i.Data); bytes.Equal(both.Data, mine.Data) {
			return out, nil
		}
	}
	if said.Import != "" {
		if imp, err := t.w.Import(a.Import); err == nil && imp.State == store.TakenBack {
			return out, nil
		}
	}
	if space == vault.LinkSpace || space == vault.VectorSpace {
		if row, err := t.w.Row(said.From); err == nil && row.Columns.Status == memory.Tombstoned {
			return out, nil // what reveals the content of a forgotten record is removed
		}
	}
	out.changed = true
	if err := store.PutAttachment(t.w, a); errors.Is(err, store.ErrNotFound) {
		if space == vault.LinkSpace {
			t.unlinked[vault.LinkedEntity(a)] = true
		}
		return outcome{}, nil // its record is gone
	} else if err != nil {
		return out, err
	}
	if space == vault.EdgeSpace {
		t.touched.add(said.From)
	}
	return out, nil
}
