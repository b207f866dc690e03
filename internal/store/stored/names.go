package stored

import (
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// Table aliases: which record a foreign id stands for.
//
//	owner, space, alias  key; space names whose id it is
//	doc                  the record
//
// Index aliases_doc finds the aliases of a record.
//
// Table project_aliases: which name of a project stands for which.
//
//	owner, alias  key
//	project       the name it stands for

// NamesSQL are a store's statements on aliases.
type NamesSQL struct {
	Alias            string // selects an alias by its key, and the id of its record
	ProjectAliases   string // selects all of them
	DropProjectAlias string // deletes one by its key
}

// Names resolves aliases.
type Names struct {
	tx  Tx
	sql *NamesSQL
}

// NewNames returns the aliases of the owner of a transaction.
func NewNames(tx Tx, sql *NamesSQL) Names { return Names{tx, sql} }

// NameKeeper changes aliases.
type NameKeeper struct {
	tx  WriteTx
	sql *NamesSQL
}

// NewNameKeeper returns the keeper of the aliases of an Update's owner.
func NewNameKeeper(tx WriteTx, sql *NamesSQL) NameKeeper { return NameKeeper{tx, sql} }

// Alias resolves a foreign id. It does not find an alias that was changed outside of the
// store.
func (n Names) Alias(space, foreign string) (memory.ID, error) {
	var id memory.ID
	genuine := false
	err := n.tx.Whole("aliases", n.sql.Alias, []any{n.tx.Key(space), n.tx.Key(foreign)}, func(row TableRow) error {
		genuine = Genuine(n.tx, "aliases", row)
		return nil
	}, &id)
	if err == nil && !genuine {
		err = store.ErrNotFound
	}
	if err != nil {
		return "", err
	}
	return id, nil
}

// SetAlias makes a foreign id stand for a record.
func (n NameKeeper) SetAlias(space, foreign string, id memory.ID) error {
	document, err := n.tx.Document(id)
	if err != nil {
		return err
	}
	return n.tx.Set("aliases", space, foreign, document)
}

// ProjectAliases returns the table, without rows that were changed outside of the store.
func (n Names) ProjectAliases() (map[string]string, error) {
	names := make(map[string]string)
	err := n.tx.Whole("project_aliases", n.sql.ProjectAliases, nil, func(row TableRow) error {
		if Genuine(n.tx, "project_aliases", row) {
			names[textIn(row.Values[0])] = textIn(row.Values[1])
		}
		return nil
	})
	return names, err
}

// textIn returns the text of a column, which may have become bytes.
func textIn(column any) string {
	switch v := column.(type) {
	case []byte:
		return string(v)
	case string:
		return v
	}
	return ""
}

// SetProjectAlias changes one row of the table.
func (n NameKeeper) SetProjectAlias(alias, project string) error {
	if err := n.tx.Enrol(); err != nil {
		return err
	}
	if project == "" {
		return n.tx.Drop(n.sql.DropProjectAlias, n.tx.Key(alias))
	}
	return n.tx.Set("project_aliases", alias, project)
}
