package postgres

import (
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// Table relations: who links to what, whatever the type of the link.
//
//	owner, target, doc  key; target is a record's id or an entity, doc the record
//	                    that links to it
//	by_target           see short
//
// Index relations_doc finds the links of a record.
var relationsTable = newTable("relations")

// Relating follows links backwards.
func (s *session) Relating(target string) ([]memory.ID, error) {
	var ids []memory.ID
	err := s.each(selectRelating, []any{short(target)}, func(rows pgx.Rows) error {
		var doc int64
		var id memory.ID
		if err := rows.Scan(&doc, &id); err != nil {
			return err
		}
		if s.staging(doc) == nil {
			ids = append(ids, id)
		}
		return nil
	})
	return ids, err
}

const selectRelating = `SELECT r.doc, d.id FROM relations AS r JOIN records AS d ON d.owner = r.owner AND d.doc = r.doc
	WHERE r.owner = $1 AND d.owner = $1 AND r.by_target = $2 ORDER BY r.doc`

// targets returns what a record links to, each once.
func targets(links store.Links) []string {
	var list []string
	for _, r := range links.Relations {
		list = append(list, r.Target)
	}
	for _, id := range links.Supersedes {
		list = append(list, string(id))
	}
	return unique(list)
}

// link files the links of a record.
func (w *writer) link(doc int64, targets []string) error {
	return w.put(relationsTable, len(targets), func(i int) []any { return []any{targets[i], doc} })
}

// linksOf reads the links of a record with their seals.
func linksOf(doc int64, into map[string][]byte) statement {
	return statement{query: selectLinks, args: []any{doc}, scan: func(rows pgx.Rows) error {
		var target string
		var seal []byte
		err := rows.Scan(&target, &seal)
		into[target] = seal
		return err
	}}
}

const (
	selectLinks     = `SELECT target, seal FROM relations WHERE owner = $1 AND doc = $2`
	deleteRelations = `DELETE FROM relations WHERE owner = $1 AND doc = $2`
)

// relink files other links of a record than those before. What has not changed is
// left alone.
func (w *writer) relink(doc int64, before map[string][]byte, targets []string) error {
	if slices.Equal(slices.Sorted(maps.Keys(before)), targets) {
		return w.failed()
	}
	for _, seal := range before {
		w.owner.total, w.dirty = w.owner.total.Minus(seal), true
	}
	w.later(deleteRelations, doc)
	return w.link(doc, targets)
}
