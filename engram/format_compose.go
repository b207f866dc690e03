package engram

import (
	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// sortedRecords groups records by the object that holds them.
type sortedRecords struct {
	identity    *memory.Record // nil: no record holds it
	constraints []memory.Record
	beliefs     []memory.Record
	rest        []memory.Record // no object holds them
}

// sortRecords groups records by the object that holds them.
func (m Mapper) sortRecords(records []memory.Record) sortedRecords {
	var s sortedRecords
	chosen, _, ok := newestIdentity(records)
	for i, r := range records {
		_, constraint := constraintIn(r)
		gone := r.Lifecycle.Status == memory.Tombstoned
		switch {
		case ok && i == chosen:
			s.identity = &records[i]
		case constraint:
			s.constraints = append(s.constraints, r)
		case !gone && (IsIdentity(r) || isObject(statedConstraint(r))):
			s.rest = append(s.rest, r)
		default:
			s.beliefs = append(s.beliefs, r)
		}
	}
	return s
}

// document makes the document m.Under of records.
func (m Mapper) document(s sortedRecords) (Document, []codec.Loss, error) {
	var told []BeliefHistory
	var losses []codec.Loss
	for _, l := range Lineages(s.beliefs) {
		t, err := m.belief(l)
		if err != nil {
			return Document{}, nil, err
		}
		told, losses = append(told, t), append(losses, t.Losses...)
	}
	d := m.Under
	d.Memory = Collect(told)
	var err error
	if d.Identity, err = m.identityObject(s.identity); err != nil {
		return d, nil, err
	}
	for _, r := range s.constraints {
		k, err := m.constraintObject(r)
		if err != nil {
			return d, nil, err
		}
		d.Constraints = append(d.Constraints, k)
	}
	m.dropEmptyLists(&d)
	return m.enclose(d, s.rest, losses)
}

// dropEmptyLists leaves out empty lists that the received document did not have.
func (m Mapper) dropEmptyLists(d *Document) {
	if d.Value.Type() != canon.TypeObject {
		return
	}
	if !d.Value.Has("evolution") && len(d.Evolution) == 0 {
		d.Evolution = nil
	}
	if !d.Value.Has("corrections") && len(d.Corrections) == 0 {
		d.Corrections = nil
	}
	if d.Value.Has("constraints") && d.Constraints == nil {
		d.Constraints = []Constraint{}
	}
}

// identityObject makes the identity from its record; nil: nobody has said who the person
// is.
func (m Mapper) identityObject(r *memory.Record) (Identity, error) {
	if r != nil {
		i, _ := identityOf(*r)
		return m.carryIdentity(i, *r)
	}
	i := defaultIdentity()
	x, err := carrierOf(nil)
	i.Value = i.fields().With(carrier, x)
	return i, err
}

// constraintObject makes a constraint from its record, with x_ump when the record says
// more.
func (m Mapper) constraintObject(r memory.Record) (Constraint, error) {
	k, _ := constraintIn(r)
	d := m.Under
	d.Memory = Memory{Constraints: []Constraint{k}}
	if made, losses, err := m.records(d); err == nil && len(losses) == 0 && sameForms(made, []memory.Record{r}) {
		return k, nil
	}
	x, err := carrierOf([]memory.Record{r})
	if err == nil && r.Lifecycle.Status != memory.Tombstoned {
		k.Value = k.Wire().With(carrier, x)
	}
	return k, err
}

// enclose puts the records that no object holds into the envelope.
func (m Mapper) enclose(d Document, rest []memory.Record, losses []codec.Loss) (Document, []codec.Loss, error) {
	if len(rest) == 0 && !carriesRecords(d) {
		return d, losses, nil
	}
	x, err := carrierOf(rest)
	if err != nil {
		return d, nil, err
	}
	v := d.Value
	if v.Type() != canon.TypeObject {
		v = d.envelope()
	}
	d.Value = v.With(carrier, x.With(carriedOwner, canon.String(string(m.Owner))))
	return d, losses, nil
}

// carriesRecords reports whether an object of the document carries records.
func carriesRecords(d Document) bool {
	if d.Identity.Value.Has(carrier) {
		return true
	}
	for _, b := range d.Beliefs {
		if b.Value.Has(carrier) {
			return true
		}
	}
	for _, k := range d.Constraints {
		if k.Value.Has(carrier) {
			return true
		}
	}
	return false
}
