package postgres

import (
	"github.com/jackc/pgx/v5"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
)

// Table imports: the documents and folders that were taken in.
//
//	owner, doc       key; doc is the number of the import
//	digest … units   see [store.Import]
//	lease            the zero time when there is none
//	residue          last, because it can be large
var importsTable = newTable("imports")

const importColumns = `doc, digest, format, name, at, state, lease, created, merged, units`

// Imports lists the imports.
func (s *session) Imports() ([]store.Import, error) {
	var imports []store.Import
	err := s.each(selectImports, nil, func(rows pgx.Rows) error {
		i, err := scanImport(rows)
		imports = append(imports, i)
		return err
	})
	return imports, err
}

const selectImports = `SELECT ` + importColumns + ` FROM imports WHERE owner = $1 ORDER BY doc DESC`

// Import returns one import with its residue.
func (s *session) Import(number int64) (store.Import, error) {
	var i store.Import
	found := false
	err := s.each(selectImport, []any{number}, func(rows pgx.Rows) (err error) {
		found = true
		i, err = scanImport(rows, &i.Residue)
		return err
	})
	if err == nil && !found {
		err = store.ErrNotFound
	}
	return i, err
}

const selectImport = `SELECT ` + importColumns + `, residue FROM imports WHERE owner = $1 AND doc = $2`

// scanImport reads importColumns and, where it is asked for, the residue.
func scanImport(rows pgx.Rows, residue ...any) (store.Import, error) {
	var i store.Import
	var at, lease int64
	into := []any{&i.Number, &i.Digest, &i.Format, &i.Name, &at, &i.State, &lease, &i.Created, &i.Merged, &i.Units}
	if len(residue) > 0 {
		into = append(into, &i.Residue)
	}
	if err := rows.Scan(into...); err != nil {
		return store.Import{}, err
	}
	i.At, i.Lease, i.Residue = stored.Instant(at), stored.Instant(lease), someBytes(i.Residue)
	return i, nil
}

// SetImport files or changes an import.
func (w *writer) SetImport(i store.Import) (int64, error) {
	if err := w.enrol(); err != nil {
		return 0, err
	}
	if i.Number == 0 {
		w.owner.imported++
		i.Number = w.owner.imported
		return i.Number, w.putOne(importsTable, importValues(i)...)
	}
	old, seal, err := w.whole(importsTable, i.Number)
	if err != nil {
		return i.Number, err
	}
	if residue, _ := old[len(old)-1].([]byte); len(residue) > len(i.Residue) {
		w.leave()
	}
	return i.Number, w.replace(importsTable, old, seal, importValues(i))
}

func importValues(i store.Import) []any {
	return []any{i.Number, i.Digest, i.Format, i.Name, stored.Micros(i.At), string(i.State), stored.Micros(i.Lease),
		i.Created, i.Merged, int64(i.Units), i.Residue}
}
