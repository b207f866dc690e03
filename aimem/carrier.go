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

// CarriedPointer is the pointer to the records in a bundle that are not chunks.
const CarriedPointer = "/" + memberCarrier + "/" + carriedRecords

// carrierEnvelope is an envelope to write, and the members of its x_ump that a [Carrier]
// yields.
type carrierEnvelope struct {
	envelope canon.Value
	from     Carrier // nil: envelope contains everything
	streamed []string
}

// newCarrierEnvelope finds the members of x_ump that a Brain yields and its envelope does
// not contain.
func newCarrierEnvelope(b Brain, envelope canon.Value) (carrierEnvelope, error) {
	c := carrierEnvelope{envelope: envelope}
	from, ok := b.(Carrier)
	said := envelope.Get(memberCarrier)
	if !ok || said.Type() != canon.TypeUndefined && said.Type() != canon.TypeObject {
		return c, nil
	}
	for _, name := range []string{carriedOrder, carriedRecords} {
		if said.Has(name) {
			continue
		}
		any, err := isPresent(from, name)
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

// errEnough ends a walk early.
var errEnough = errors.New("enough")

// isPresent reports whether a Carrier yields anything for a member.
func isPresent(from Carrier, name string) (bool, error) {
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

// carrier writes x_ump: the members in the envelope, and those that the Carrier yields.
func (e *encoder) carrier(c carrierEnvelope) error {
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
		err := inner.carrierMember(c, said, name)
		if err != nil {
			return err
		}
	}
	return inner.raw("}")
}

func (e *encoder) carrierMember(c carrierEnvelope, said canon.Value, name string) error {
	if !slices.Contains(c.streamed, name) {
		return e.value(said.Get(name))
	}
	return e.array(func(item func(canon.Value) error) error { return walkCarried(c.from, name, item) })
}

// Carried yields the records of the envelope's x_ump.records one by one, for any number
// of records.
func (b *Bundle) Carried(yield func(canon.Value) error) error {
	return b.carrier(carriedRecords, yield)
}

// Order yields the ids of the envelope's x_ump.order.
func (b *Bundle) Order(yield func(string) error) error {
	return b.carrier(carriedOrder, func(v canon.Value) error {
		if v.Type() != canon.TypeString {
			return nil
		}
		return yield(v.Text())
	})
}

// carrier yields the items of an array in x_ump. x_ump is an extension: carrier yields
// nothing if it has another meaning.
func (b *Bundle) carrier(name string, yield func(canon.Value) error) error {
	if b.doc == nil {
		return nil
	}
	text := b.doc.root()
	at, err := memberAt(text, text.Root(), '{', memberCarrier)
	if err == nil {
		at, err = memberAt(text, at, '{', name)
	}
	if err == nil {
		at, err = ifOpening(text, at, '[')
	}
	if err != nil || at.Len() == 0 {
		return err
	}
	return text.Items(at, func(_ int, _ canon.Extent, raw []byte) error {
		if raw == nil {
			return tooLarge(canon.Pointer(memberCarrier, name))
		}
		v, _, err := read(raw, text.Depth())
		if err != nil {
			return err
		}
		return yield(v)
	})
}

// ifOpening returns where a value lies if it begins as wanted, and nothing otherwise.
func ifOpening(text *canon.Text, at canon.Extent, opening byte) (canon.Extent, error) {
	if at.Len() == 0 {
		return at, nil
	}
	first, err := text.Opening(at)
	if err != nil || first != opening {
		return canon.Extent{}, err
	}
	return at, nil
}

// memberAt returns where a member of an object lies; nowhere: the empty extent.
func memberAt(text *canon.Text, at canon.Extent, opening byte, name string) (canon.Extent, error) {
	at, err := ifOpening(text, at, opening)
	if err != nil || at.Len() == 0 {
		return canon.Extent{}, err
	}
	parts, err := text.Members(at)
	if err != nil {
		return canon.Extent{}, err
	}
	for _, part := range parts {
		if part.Name == name {
			return part.At, nil
		}
	}
	return canon.Extent{}, nil
}
