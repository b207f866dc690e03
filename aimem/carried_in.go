package aimem

import "github.com/satchel-memory/satchel/canon"

// Carried yields the records of the envelope's x_ump.records one by one, however
// many there are.
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

// carrier yields the items of an array in x_ump. It is an extension: where it is
// something else, it holds nothing for us.
func (b *Bundle) carrier(name string, yield func(canon.Value) error) error {
	if b.doc == nil {
		return nil
	}
	text := b.doc.root()
	at, err := inside(text, text.Root(), '{', memberCarrier)
	if err == nil {
		at, err = inside(text, at, '{', name)
	}
	if err == nil {
		at, err = only(text, at, '[')
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

// only returns where a value lies if it begins as wanted, and nothing otherwise.
func only(text *canon.Text, at canon.Extent, opening byte) (canon.Extent, error) {
	if at.Len() == 0 {
		return at, nil
	}
	first, err := text.Opening(at)
	if err != nil || first != opening {
		return canon.Extent{}, err
	}
	return at, nil
}

// inside returns where a member of an object lies; nowhere: the empty extent.
func inside(text *canon.Text, at canon.Extent, opening byte, name string) (canon.Extent, error) {
	at, err := only(text, at, opening)
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
