package bundle

import (
	"slices"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/memory"
)

// departure is a record to export as a chunk: 32 bytes each. The URN that a record would
// have if created here identifies it.
type departure struct {
	born urnMark
	name urnMark // see bundleExport.pack; zero: its name from creation
}

// departures finds records to export. Add all, then settle, then look up.
type departures []departure

func (d departures) settle() {
	slices.SortFunc(d, func(a, b departure) int { return compareMarks(a.born, b.born) })
}

func (d departures) find(born urnMark) (*departure, bool) {
	i, ok := slices.BinarySearchFunc(d, born, func(x departure, sought urnMark) int { return compareMarks(x.born, sought) })
	if !ok {
		return nil, false
	}
	return &d[i], true
}

// leaves reports whether a record is exported as a chunk.
func (x *bundleExport) leavesAs(id memory.ID) (*departure, bool) {
	return x.live.find(urnMarkOf(x.born(id)))
}

// leaves reports whether a record leaves as a chunk.
func (x *bundleExport) leaves(id memory.ID) bool {
	_, ok := x.leavesAs(id)
	return ok
}

// pack puts a name into 16 bytes: the bytes of an alias, from which it can be spelled
// again, and a mark of any other name.
func (x *bundleExport) pack(name aimem.URN) (key urnMark, alias bool) {
	if key, ok := x.mapper.AliasHash(name); ok {
		return key, true
	}
	return urnMarkOf(name), false
}

// departs notes that a record is exported as a chunk under a name.
func (x *bundleExport) departs(id memory.ID, name aimem.URN) {
	d := departure{born: urnMarkOf(x.born(id))}
	if string(name) != x.born(id) {
		key, alias := x.pack(name)
		if d.name = key; !alias {
			x.spelled.list = append(x.spelled.list, d.born)
		}
	}
	x.live = append(x.live, d)
}

// settleNames ensures that no two chunks share a name. The oldest record that claims a
// name keeps it, unless the name is another's from creation. parts are the names of
// chunks that continue a text.
func (x *bundleExport) settleNames(parts *marks) error {
	var names marks
	for _, d := range x.live {
		if d.name != (urnMark{}) {
			names.list = append(names.list, d.name)
		}
	}
	disputed := map[urnMark]bool{} // whether it is taken
	for _, key := range names.settle() {
		disputed[key] = false
	}
	parts.settle()
	for _, key := range names.list {
		if _, born := x.live.find(x.spelling(key)); born || parts.hasMark(key) {
			disputed[key] = true
		}
	}
	if len(disputed) == 0 {
		return nil
	}
	return x.eachChosen(&x.living, func(id memory.ID) error {
		d, _ := x.leavesAs(id)
		taken, ok := disputed[d.name]
		switch {
		case taken:
			d.name = urnMark{}
		case ok:
			disputed[d.name] = true
		}
		return nil
	})
}

// spelling is the mark of a packed name in births.
func (x *bundleExport) spelling(key urnMark) urnMark {
	if mark := urnMarkOf(x.mapper.AliasFromHash(key)); x.live.has(mark) {
		return mark
	}
	return key
}

func (d departures) has(born urnMark) bool {
	_, ok := d.find(born)
	return ok
}

// name is the URN under which a record is exported.
func (x *bundleExport) name(rec memory.Record) aimem.URN {
	d, ok := x.leavesAs(rec.ID)
	switch {
	case !ok || d.name == urnMark{}:
		return x.mapper.URN(rec.ID)
	case x.spelled.hasMark(d.born):
		return x.mapper.Name(rec)
	}
	return x.mapper.AliasFromHash(d.name)
}

// urn is the name of a record, or "" when it is not exported as a chunk.
func (x *bundleExport) urn(id memory.ID) (aimem.URN, error) {
	d, ok := x.leavesAs(id)
	if !ok {
		return "", nil
	}
	rec := memory.Record{ID: id}
	if d.name != (urnMark{}) && x.spelled.hasMark(d.born) {
		if name, ok := x.named[id]; ok {
			return name, nil
		}
		var err error
		if rec, err = x.record(id); err != nil {
			return "", err
		}
	}
	name := x.name(rec)
	if rec.Scope.Owner != "" {
		x.named.keep(id, name)
	}
	return name, nil
}

// recent holds recent lookups.
type recent[K comparable, V any] map[K]V

// maxRecent is the most lookups to remember.
const maxRecent = 4096

func (r recent[K, V]) keep(k K, v V) {
	if len(r) >= maxRecent {
		clear(r)
	}
	r[k] = v
}
