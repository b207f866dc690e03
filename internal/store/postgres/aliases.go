package postgres

import (
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// Table aliases: which record a foreign id stands for.
//
//	owner, space, alias  key; space names whose id it is
//	doc                  the record
//	by_space, by_alias   see short
//
// Index aliases_doc finds the aliases of a record.
var aliasesTable = newTable("aliases")

// Alias follows a foreign id, unless somebody else put it there.
func (s *session) Alias(space, foreign string) (memory.ID, error) {
	var id memory.ID
	genuine, err := s.genuine(aliasesTable, selectAlias, []any{short(space), short(foreign)}, &id)
	if err == nil && !genuine {
		err = store.ErrNotFound
	}
	if err != nil {
		return "", err
	}
	return id, nil
}

const selectAlias = `SELECT a.space, a.alias, a.doc, a.seal, d.id
	FROM aliases AS a JOIN records AS d ON d.owner = a.owner AND d.doc = a.doc
	WHERE a.owner = $1 AND d.owner = $1 AND a.by_space = $2 AND a.by_alias = $3`

// SetAlias lets a foreign id stand for a record.
func (w *writer) SetAlias(space, foreign string, id memory.ID) error {
	doc, err := w.find(id)
	if err != nil {
		return err
	}
	return w.set(aliasesTable, space, foreign, doc)
}
