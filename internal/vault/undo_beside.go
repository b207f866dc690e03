package vault

import (
	"slices"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// detachSome takes back some of what an import put beside the records, and reports
// whether there may be more.
func (v *Vault) detachSome(w store.Writer, number int64) (more bool, err error) {
	if err := v.ungrow(w, number); err != nil {
		return false, err
	}
	n, err := w.DetachImport(number, ImportBatch)
	return n == ImportBatch, err
}

// ungrow takes back the relations that an import added to records of others, for
// those of its edges that are taken back next.
func (v *Vault) ungrow(w store.Writer, number int64) error {
	some, err := w.Attachments(store.AttachmentFilter{Space: EdgeSpace, Import: number}, 0, ImportBatch)
	if err != nil {
		return err
	}
	for _, a := range some {
		if err := v.ungrowOne(w, number, a); err != nil {
			return err
		}
	}
	return nil
}

func (v *Vault) ungrowOne(w store.Writer, number int64, a store.Attachment) error {
	rel, ok := RelationOf(a)
	if a.Staged || !ok {
		return nil
	}
	r, err := w.Row(a.From)
	if err != nil || r.Columns.Import == number {
		return NotFoundIsNone(err)
	}
	rec, damage, err := v.read(w, r)
	if err != nil || damage != nil { // doctor names what is damaged
		return err
	}
	i := slices.Index(rec.Relations, rel)
	if i < 0 || bornWith(r, rel) {
		return nil
	}
	rec.Relations = slices.Delete(slices.Clone(rec.Relations), i, i+1)
	return v.amend(w, r, rec)
}

// bornWith reports whether a record had a relation from its birth.
func bornWith(r store.Row, rel memory.Relation) bool {
	r.Current = nil
	born, err := Decoded(r)
	return err != nil || slices.Contains(born.Relations, rel)
}

// aliasBack lets the URN of a chunk that was updated lead to its version before.
func (v *Vault) aliasBack(w store.Writer, rec memory.Record) error {
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
	names := v.namesOf(rec.Scope.Owner, old)
	for _, name := range []string{string(sources[0]), string(v.takes(rec.Scope.Owner).Alias(sources[0]))} {
		if !slices.Contains(names, name) {
			continue
		}
		if err := w.SetAlias(AliasSpace, name, old.ID); err != nil {
			return err
		}
	}
	return nil
}

// builtOn returns those of the users of a record that keep it: not the ones that
// came with it and are as they came.
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
