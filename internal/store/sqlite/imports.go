package sqlite

import (
	"database/sql"

	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/store/stored"
)

// Table imports: the documents and folders that were taken in.
//
//	doc              key made of the owner's number and the import's
//	digest … units   see [store.Import]
//	lease            the zero time when there is none
//	residue          last, because it can be large
var importsTable = newTable("imports")

const importColumns = `doc, digest, format, name, at, state, lease, created, merged, units`

// Imports lists the imports.
func (s *session) Imports() ([]store.Import, error) {
	var imports []store.Import
	first, last := s.owner.key(0), s.owner.key(1<<40-1)
	err := s.each(selectImports, []any{first, last}, func(rows *sql.Rows) error {
		i, err := scanImport(rows.Scan)
		imports = append(imports, i)
		return err
	})
	return imports, err
}

const selectImports = `SELECT ` + importColumns + ` FROM imports WHERE doc BETWEEN ? AND ? ORDER BY doc DESC`

// Import returns one import with its residue.
func (s *session) Import(number int64) (store.Import, error) {
	var residue []byte
	i, err := scanImport(func(into ...any) error {
		return s.first(`SELECT `+importColumns+`, residue FROM imports WHERE doc = ?`,
			[]any{s.owner.key(number)}, append(into, &residue)...)
	})
	i.Residue = residue
	return i, err
}

func scanImport(scan func(...any) error) (store.Import, error) {
	var i store.Import
	var doc, at, lease int64
	err := scan(&doc, &i.Digest, &i.Format, &i.Name, &at, &i.State, &lease, &i.Created, &i.Merged, &i.Units)
	if err != nil {
		return store.Import{}, err
	}
	i.Number, i.At, i.Lease = number(doc), stored.Instant(at), stored.Instant(lease)
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
	leaves := false
	err := w.first(`SELECT coalesce(length(residue), 0) > ? FROM imports WHERE doc = ?`,
		[]any{len(i.Residue), w.owner.key(i.Number)}, &leaves)
	if err != nil {
		return i.Number, err
	}
	if leaves {
		w.leave()
	}
	return i.Number, w.set(importsTable, importValues(i)...)
}

func importValues(i store.Import) []any {
	return []any{i.Number, i.Digest, i.Format, i.Name, stored.Micros(i.At), string(i.State), stored.Micros(i.Lease),
		i.Created, i.Merged, int64(i.Units), i.Residue}
}
