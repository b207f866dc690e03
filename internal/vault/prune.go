package vault

import (
	"errors"
	"slices"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// linkedTo returns the URNs of the entities to which attachments link records.
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

// Unlink removes the attachments of a forgotten record that reveal its content: its
// links to entities, and its embeddings. What could be taken back of it cannot any more.
func Unlink(w store.Writer, id memory.ID) error {
	return unlinkFrom(w, id, LinkSpace, VectorSpace, UndoSpace)
}

// unlinkFrom removes what is attached to a record in some spaces, and its vectors.
func unlinkFrom(w store.Writer, id memory.ID, spaces ...string) error {
	for _, space := range spaces {
		if err := detachAll(w, store.AttachmentFilter{Space: space, From: id}); err != nil {
			return err
		}
	}
	return detachVectors(w, id)
}

// detachAll removes the attachments that f selects, all of one space.
func detachAll(w store.Writer, f store.AttachmentFilter) error {
	var doomed []string
	err := EachBeside(w, f, func(a store.Attachment) error {
		doomed = append(doomed, a.Key)
		return nil
	})
	for _, key := range doomed {
		if err == nil {
			err = w.Detach(f.Space, key)
		}
	}
	return err
}

// unlinkAndPrune removes the attachments of a record whose content is gone.
func (e *eraser) unlinkAndPrune(w store.Writer, id memory.ID) error {
	linked, err := linkedTo(w, id)
	if err != nil {
		return err
	}
	if err := Unlink(w, id); err != nil {
		return err
	}
	return e.prune(w, linked)
}

// prune removes those of these entities to which no record is linked any more (AIMEM
// mapping section 7).
func (e *eraser) prune(w store.Writer, urns map[string]bool) error {
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

// dropEntityAliases removes the names under which these entities left, and the original
// names that they claimed.
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

// detachSome removes some of an import's attachments, and reports whether there may be
// more.
func (e *eraser) detachSome(w store.Writer, number int64) (more bool, err error) {
	if err := e.ungrow(w, number); err != nil {
		return false, err
	}
	n, err := w.DetachImport(number, importBatch)
	return n == importBatch, err
}

// ungrow removes the relations that an import added to records of others, for the edges
// that are removed next.
func (e *eraser) ungrow(w store.Writer, number int64) error {
	some, err := w.Attachments(store.AttachmentFilter{Space: EdgeSpace, Import: number}, 0, importBatch)
	if err != nil {
		return err
	}
	for _, a := range some {
		if err := e.ungrowOne(w, number, a); err != nil {
			return err
		}
	}
	return nil
}

func (e *eraser) ungrowOne(w store.Writer, number int64, a store.Attachment) error {
	rel, ok := RelationOf(a)
	if a.Staged || !ok {
		return nil
	}
	r, err := w.Row(a.From)
	if err != nil || r.Columns.Import == number {
		return NotFoundIsNone(err)
	}
	rec, damage, err := e.read(w, r)
	if err != nil || damage != nil { // doctor reports damaged records
		return err
	}
	i := slices.Index(rec.Relations, rel)
	if i < 0 || bornWith(r, rel) {
		return nil
	}
	rec.Relations = slices.Delete(slices.Clone(rec.Relations), i, i+1)
	return e.amend(w, r, rec)
}

// bornWith reports whether a record had a relation from its birth.
func bornWith(r store.Row, rel memory.Relation) bool {
	r.Current = nil
	born, err := Decoded(r)
	return err != nil || slices.Contains(born.Relations, rel)
}

// aliasBack points the URN of an updated chunk to its earlier version.
func (e *eraser) aliasBack(w store.Writer, rec memory.Record) error {
	sources := aimem.Sources(rec)
	if len(sources) == 0 || len(rec.Supersedes) == 0 {
		return nil
	}
	prior, err := w.Row(rec.Supersedes[len(rec.Supersedes)-1])
	if err != nil {
		return NotFoundIsNone(err)
	}
	old, err := Decoded(prior)
	if err != nil {
		return nil
	}
	names := e.namesOf(rec.Scope.Owner, old)
	for _, name := range []string{string(sources[0]), string(e.takes(rec.Scope.Owner).Alias(sources[0]))} {
		if !slices.Contains(names, name) {
			continue
		}
		if err := w.SetAlias(AliasSpace, name, old.ID); err != nil {
			return err
		}
	}
	return nil
}

// builtOn returns the users of a record that keep it in use: not those that came with it
// and are unchanged.
func builtOn(w store.Reader, r store.Row, users []memory.ID) ([]memory.ID, error) {
	var kept []memory.ID
	for _, id := range users {
		user, err := w.Row(id)
		if err != nil {
			return nil, err
		}
		if user.Columns.Import != r.Columns.Import || user.Current != nil {
			kept = append(kept, id)
		}
	}
	return kept, nil
}
