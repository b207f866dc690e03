package sqlite

import (
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// Table aliases: which record a foreign id stands for.
//
//	owner, space, alias  key; space names whose id it is
//	doc                  key of the record
//
// Index aliases_doc finds the aliases of a record.
var aliasesTable = newTable("aliases")

// Alias follows a foreign id, unless somebody else put it there.
func (s *session) Alias(space, foreign string) (memory.ID, error) {
	var id memory.ID
	genuine, err := s.genuine(aliasesTable, func(into ...any) error {
		return s.first(selectAlias, []any{s.owner.number, space, foreign}, into...)
	}, &id)
	if err == nil && !genuine {
		err = store.ErrNotFound
	}
	if err != nil {
		return "", err
	}
	return id, nil
}

const selectAlias = `SELECT a.owner, a.space, a.alias, a.doc, a.seal, records.id FROM aliases AS a CROSS JOIN records ON records.doc = a.doc
	WHERE a.owner = ? AND a.space = ? AND a.alias = ? AND records.owner = a.owner`

// SetAlias lets a foreign id stand for a record.
func (w *writer) SetAlias(space, foreign string, id memory.ID) error {
	doc, err := w.find(id)
	if err != nil {
		return err
	}
	return w.set(aliasesTable, space, foreign, number(doc))
}

// unalias removes the aliases of a record.
func (w *writer) unalias(doc int64) error {
	return w.drop(deleteAliases, w.owner.number, doc)
}

const deleteAliases = `DELETE FROM aliases WHERE owner = ? AND doc = ? RETURNING seal`
