package vault

import (
	"errors"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// linkedTo returns the URNs of the entities that records are linked to beside what
// they say themselves.
func linkedTo(r store.Reader, ids ...memory.ID) (map[string]bool, error) {
	urns := map[string]bool{}
	for _, id := range ids {
		err := EachBeside(r, store.AttachmentFilter{Space: LinkSpace, From: id}, func(a store.Attachment) error {
			urns[LinkedEntity(a)] = true
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return urns, nil
}

// Unlink takes away what hangs on a record that is forgotten and tells what it
// said: its links to entities, and its embeddings.
func Unlink(w store.Writer, id memory.ID) error {
	for _, space := range []string{LinkSpace, VectorSpace} {
		var doomed []string
		err := EachBeside(w, store.AttachmentFilter{Space: space, From: id}, func(a store.Attachment) error {
			doomed = append(doomed, a.Key)
			return nil
		})
		if err != nil {
			return err
		}
		for _, key := range doomed {
			if err := w.Detach(space, key); err != nil {
				return err
			}
		}
	}
	return nil
}

// unlinkAndPrune takes away what hangs on a record whose content is gone.
func (v *Vault) unlinkAndPrune(w store.Writer, id memory.ID) error {
	linked, err := linkedTo(w, id)
	if err != nil {
		return err
	}
	if err := Unlink(w, id); err != nil {
		return err
	}
	return v.prune(w, linked)
}

// prune removes those of these entities that no record is linked to any more
// (AIMEM mapping section 7).
func (v *Vault) prune(w store.Writer, urns map[string]bool) error {
	if len(urns) == 0 {
		return nil
	}
	err := EachBeside(w, store.AttachmentFilter{Space: LinkSpace}, func(a store.Attachment) error {
		delete(urns, LinkedEntity(a))
		if len(urns) == 0 {
			return ErrStopped
		}
		return nil
	})
	if err != nil && !errors.Is(err, ErrStopped) {
		return err
	}
	for urn := range urns {
		if err := w.Detach(EntitySpace, urn); err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
	}
	return dropEntityAliases(w, urns)
}

// dropEntityAliases removes the names under which these entities left, and those
// which they said they came with.
func dropEntityAliases(w store.Writer, urns map[string]bool) error {
	if len(urns) == 0 {
		return nil
	}
	for _, space := range []string{EntityAliasSpace, EntityOriginSpace} {
		var doomed []string
		err := EachBeside(w, store.AttachmentFilter{Space: space}, func(a store.Attachment) error {
			if urns[string(a.Data)] {
				doomed = append(doomed, a.Key)
			}
			return nil
		})
		for _, key := range doomed {
			if err == nil {
				err = w.Detach(space, key)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}
