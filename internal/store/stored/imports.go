package stored

import "github.com/satchel-memory/satchel/internal/store"

// Table imports: the documents and folders that were taken in.
//
//	doc              the number of the import
//	digest … units   see [store.Import]
//	lease            the zero time when there is none
//	residue          last, because it can be large

// Imports lists the imports.
func (j Journal) Imports() ([]store.Import, error) {
	var imports []store.Import
	err := j.tx.Query(j.sql.Imports, nil, func(row Scanner) error {
		var i store.Import
		var at, lease int64
		err := row.Scan(&i.Number, &i.Digest, &i.Format, &i.Name, &at, &i.State, &lease, &i.Created, &i.Merged, &i.Units)
		i.At, i.Lease = Instant(at), Instant(lease)
		imports = append(imports, i)
		return err
	})
	return imports, err
}

// Import returns one import with its residue. It fails with ErrAltered if a column has a
// type that no store writes.
func (j Journal) Import(number int64) (store.Import, error) {
	row, err := j.tx.Find("imports", number)
	if err != nil {
		return store.Import{}, err
	}
	if !importsTable.Holds(row.Values) {
		return store.Import{}, store.ErrAltered
	}
	return importOf(row.Values), nil
}

var importsTable = Named("imports")

// SetImport files or changes an import.
func (j JournalKeeper) SetImport(i store.Import) (int64, error) {
	if err := j.tx.Enrol(); err != nil {
		return 0, err
	}
	if i.State == store.Staging {
		if err := j.tx.Schedule(store.Tidy, i.Lease); err != nil {
			return 0, err
		}
	}
	o := j.tx.OwnerRow()
	if i.Number == 0 {
		o.Imported++
		i.Number = o.Imported
		return i.Number, putOne(j.tx, "imports", importRow(i)...)
	}
	old, err := j.tx.Find("imports", i.Number)
	if err != nil {
		return i.Number, err
	}
	if bytesIn(old.Values[len(old.Values)-1]) > len(i.Residue) {
		o.Leave()
	}
	return i.Number, j.tx.Change("imports", old, importRow(i))
}

// importRow returns the columns of table imports for an import.
func importRow(i store.Import) []any {
	return []any{i.Number, i.Digest, i.Format, i.Name, Micros(i.At), string(i.State), Micros(i.Lease),
		i.Created, i.Merged, int64(i.Units), i.Residue}
}

// importOf is the inverse of importRow, as [AgentOf] is of [agentRow].
func importOf(row []any) store.Import {
	number := func(place int) int64 { n, _ := row[place].(int64); return n }
	text := func(place int) string { t, _ := row[place].(string); return t }
	return store.Import{
		Number: number(0), Digest: text(1), Format: text(2), Name: text(3), At: Instant(number(4)),
		State: store.ImportState(text(5)), Lease: Instant(number(6)), Created: int(number(7)),
		Merged: int(number(8)), Units: int(number(9)), Residue: content(row[10]),
	}
}

// bytesIn returns the length of a column of any type.
func bytesIn(column any) int {
	switch v := column.(type) {
	case []byte:
		return len(v)
	case string:
		return len(v)
	}
	return 0
}
