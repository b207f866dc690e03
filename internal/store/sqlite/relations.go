package sqlite

import (
	"database/sql"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// Table relations: who links to what, whatever the type of the link.
//
//	owner, target, doc  key; target is a record's id or an entity, doc the key of
//	                    the record that links to it
//
// Index relations_doc finds the links of a record.
var relationsTable = newTable("relations")

// Relating follows links backwards.
func (s *session) Relating(target string) ([]memory.ID, error) {
	if err := s.loadRuns(); err != nil {
		return nil, err
	}
	var ids []memory.ID
	err := s.each(selectRelating, []any{s.owner.number, target}, func(rows *sql.Rows) error {
		var doc int64
		var id memory.ID
		if err := rows.Scan(&doc, &id); err != nil {
			return err
		}
		if s.staging(number(doc)) == nil {
			ids = append(ids, id)
		}
		return nil
	})
	return ids, err
}

const selectRelating = `SELECT r.doc, records.id FROM relations AS r CROSS JOIN records ON records.doc = r.doc
	WHERE r.owner = ? AND r.target = ? AND records.owner = r.owner ORDER BY r.doc`

// link files the links of a record.
func (w *writer) link(doc int64, links store.Links) error {
	var targets []string
	for _, r := range links.Relations {
		targets = append(targets, r.Target)
	}
	for _, id := range links.Supersedes {
		targets = append(targets, string(id))
	}
	targets = unique(targets)
	return w.put(relationsTable, len(targets), func(i int, values []any) []any {
		return append(values, targets[i], number(doc))
	})
}

// unlink removes the links of a record.
func (w *writer) unlink(doc int64) error {
	return w.drop(deleteRelations, w.owner.number, doc)
}

const deleteRelations = `DELETE FROM relations WHERE owner = ? AND doc = ? RETURNING seal`
