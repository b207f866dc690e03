package bundle

import (
	"errors"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/internal/vault"
	"github.com/satchel-memory/satchel/memory"
)

// claim returns the URN that a record asks for on export. A record may name the chunk
// that it was imported from. It gets the chunk's name only if the chunk was imported as
// this record or as an earlier version, or if the name is unknown here.
func (x *bundleExport) claim(row store.Row, rec memory.Record) (aimem.URN, error) {
	name := x.mapper.Name(rec)
	if string(name) == x.born(rec.ID) {
		return name, nil
	}
	id, err := x.rows.Alias(vault.AliasSpace, string(x.mapper.Origin(rec)))
	if errors.Is(err, store.ErrNotFound) || err == nil && id == rec.ID {
		return name, nil
	}
	if err != nil {
		return "", err
	}
	known, err := x.rows.Row(id)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return "", err
	}
	if err == nil && known.Columns.Lineage == row.Columns.Lineage {
		return name, nil
	}
	return x.mapper.URN(rec.ID), nil
}

// record returns a record in its exported form.
func (x *bundleExport) record(id memory.ID) (memory.Record, error) {
	row, err := x.rows.Row(id)
	if err != nil {
		return memory.Record{}, err
	}
	return x.redacted(row)
}
