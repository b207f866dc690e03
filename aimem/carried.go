package aimem

import (
	"errors"
	"slices"

	"github.com/satchel-memory/satchel/canon"
)

// The members of x_ump that a [Carrier] yields.
const (
	carriedOrder   = "order"
	carriedRecords = "records"
)

// CarriedPointer is where a bundle carries the records that are no chunks.
const CarriedPointer = "/" + memberCarrier + "/" + carriedRecords

// carried is an envelope as it is to be written, and what of its member x_ump comes
// from a [Carrier].
type carried struct {
	envelope canon.Value
	from     Carrier // nil: all is in envelope
	streamed []string
}

// carriedBy finds out what of x_ump a Brain yields one by one: what its envelope
// does not say, unless there is nothing.
func carriedBy(b Brain, envelope canon.Value) (carried, error) {
	c := carried{envelope: envelope}
	from, ok := b.(Carrier)
	said := envelope.Get(memberCarrier)
	if !ok || said.Type() != canon.TypeUndefined && said.Type() != canon.TypeObject {
		return c, nil
	}
	for _, name := range []string{carriedOrder, carriedRecords} {
		if said.Has(name) {
			continue
		}
		any, err := yields(from, name)
		if err != nil {
			return c, err
		}
		if any {
			c.streamed = append(c.streamed, name)
		}
	}
	if len(c.streamed) == 0 {
		return c, nil
	}
	if said.Type() == canon.TypeUndefined {
		c.envelope = envelope.With(memberCarrier, canon.Object(canon.Member{Name: "v", Value: canon.Int(1)}))
	}
	c.from = from
	return c, nil
}

// errEnough ends a walk of which no more is wanted.
var errEnough = errors.New("enough")

// yields reports whether a Carrier has any of a member.
func yields(from Carrier, name string) (bool, error) {
	err := walkCarried(from, name, func(canon.Value) error { return errEnough })
	if errors.Is(err, errEnough) {
		return true, nil
	}
	return false, err
}

func walkCarried(from Carrier, name string, item func(canon.Value) error) error {
	if name == carriedRecords {
		return from.Carried(item)
	}
	return from.Order(func(id string) error { return item(canon.String(id)) })
}

// carried writes x_ump: what the envelope says of it, and what its Carrier yields.
func (e *encoder) carried(c carried) error {
	said := c.envelope.Get(memberCarrier)
	names := slices.Clone(c.streamed)
	for _, m := range said.Members() {
		names = append(names, m.Name)
	}
	slices.SortFunc(names, canon.CompareNames)
	inner := &encoder{out: e.out}
	_ = inner.raw("{")
	for _, name := range names {
		inner.name(name)
		err := inner.carriedMember(c, said, name)
		if err != nil {
			return err
		}
	}
	return inner.raw("}")
}

func (e *encoder) carriedMember(c carried, said canon.Value, name string) error {
	if !slices.Contains(c.streamed, name) {
		return e.value(said.Get(name))
	}
	return e.array(func(item func(canon.Value) error) error { return walkCarried(c.from, name, item) })
}
