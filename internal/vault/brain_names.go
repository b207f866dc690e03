package vault

import (
	"errors"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/internal/store"
	"github.com/satchel-memory/satchel/memory"
)

// claim returns the URN under which a record wants to leave. The name of a chunk
// that it says it came from it gets only if that chunk was taken in as this record
// or an earlier version of it, or nobody knows the name.
func (x *leaving) claim(row store.Row, rec memory.Record) (aimem.URN, error) {
	name := x.mapper.Name(rec)
	if string(name) == x.born(rec.ID) {
		return name, nil
	}
	id, err := x.rows.Alias(aliasSpace, string(x.mapper.Origin(rec)))
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
	x.plain.add(x.born(rec.ID))
	return x.mapper.URN(rec.ID), nil
}

// settleNames sees to it that no two chunks have one name: it stays with the oldest
// record that claims it, unless it is another's by birth.
func (x *leaving) settleNames(names, parts *marks) error {
	disputed := map[hashed]bool{} // whether it is taken
	for _, m := range names.settle() {
		disputed[m] = false
	}
	parts.settle()
	for _, m := range names.list {
		if x.live.hasMark(m) || parts.hasMark(m) {
			disputed[m] = true
		}
	}
	if len(disputed) == 0 {
		return nil
	}
	var losers []hashed
	err := x.eachLive(func(rec memory.Record) error {
		name := x.name(rec)
		if string(name) == x.born(rec.ID) {
			return nil
		}
		taken, ok := disputed[nameMark(string(name))]
		switch {
		case taken:
			losers = append(losers, nameMark(x.born(rec.ID)))
		case ok:
			disputed[nameMark(string(name))] = true
		}
		return nil
	})
	x.plain.list = append(x.plain.list, losers...)
	x.plain.settle()
	return err
}

// name is the URN under which a record that leaves does so.
func (x *leaving) name(rec memory.Record) aimem.URN {
	name := x.mapper.Name(rec)
	if born := x.mapper.URN(rec.ID); name != born && x.plain.has(string(born)) {
		return born
	}
	return name
}

// urn is the name of a record, or "" when it does not leave as a chunk.
func (x *leaving) urn(id memory.ID) (aimem.URN, error) {
	if !x.live.has(x.born(id)) {
		return "", nil
	}
	rec, err := x.record(id)
	if err != nil {
		return "", err
	}
	return x.name(rec), nil
}

// record returns a record that leaves, as it does.
func (x *leaving) record(id memory.ID) (memory.Record, error) {
	row, err := x.rows.Row(id)
	if err != nil {
		return memory.Record{}, err
	}
	return x.redacted(row)
}
