package canon

import (
	"io"
	"slices"
	"strconv"
)

// WriteCanonical writes the canonical form of a value (RFC 8785), without the members
// called skip if it is an object. It checks the value while it writes; if it fails, discard
// what it wrote. Its error is one of the faults, but not always the first in the text,
// unlike that of [Text.Check]. Errors of w come back unchanged.
func (t *Text) WriteCanonical(w io.Writer, at Extent, skip ...string) error {
	out := &canonicalWriter{text: t, w: w}
	if len(skip) > 0 {
		return out.object(at, 0, skip)
	}
	c := t.cursor(at)
	p, err := t.piece(c)
	if err != nil {
		return err
	}
	return out.value(p, 0)
}

// canonicalWriter writes the canonical forms of values in a Text.
type canonicalWriter struct {
	text *Text
	w    io.Writer
	buf  []byte // reused
}

func (o *canonicalWriter) value(p piece, depth int) error {
	if p.raw == nil {
		return o.large(p.at, depth)
	}
	out, err := appendCanonical(o.buf[:0], p.raw, o.text.below(depth))
	if err != nil {
		return moved(err, p.at.Start)
	}
	o.buf = out
	_, err = o.w.Write(out)
	return err
}

// large writes an array item by item, an object member by member.
func (o *canonicalWriter) large(at Extent, depth int) error {
	if depth >= o.text.opt.Depth {
		return &Error{Kind: TooDeep, Offset: at.Start}
	}
	b, err := o.text.Opening(at)
	if err != nil {
		return err
	}
	if b == '[' {
		return o.array(at, depth)
	}
	return o.object(at, depth, nil)
}

func (o *canonicalWriter) array(at Extent, depth int) error {
	if err := o.raw("["); err != nil {
		return err
	}
	err := o.text.items(at, func(i int, p piece) error {
		if err := o.comma(i); err != nil {
			return err
		}
		return under(o.value(p, depth+1), strconv.Itoa(i))
	})
	if err != nil {
		return err
	}
	return o.raw("]")
}

// object writes the members in the order of their names. It holds the names and looks the
// values up one by one.
func (o *canonicalWriter) object(at Extent, depth int, skip []string) error {
	defer o.text.release(o.text.held)
	var parts []Part
	err := o.text.members(at, func(name string, p piece) error {
		if !slices.Contains(skip, name) {
			parts = append(parts, Part{name, p.at})
		}
		return nil
	})
	if err != nil {
		return err
	}
	slices.SortFunc(parts, func(a, b Part) int { return CompareNames(a.Name, b.Name) })
	if err := o.raw("{"); err != nil {
		return err
	}
	c := o.text.cursor(at)
	for i, part := range parts {
		if err := o.comma(i); err != nil {
			return err
		}
		if err := o.member(c, part, depth); err != nil {
			return under(err, part.Name)
		}
	}
	return o.raw("}")
}

func (o *canonicalWriter) member(c *cursor, part Part, depth int) error {
	if _, err := o.w.Write(append(appendString(nil, part.Name), ':')); err != nil {
		return err
	}
	c.pos, c.end, c.win = part.At.Start, part.At.End, nil
	p, err := o.text.piece(c)
	if err != nil {
		return err
	}
	return o.value(p, depth+1)
}

func (o *canonicalWriter) comma(i int) error {
	if i == 0 {
		return nil
	}
	return o.raw(",")
}

func (o *canonicalWriter) raw(s string) error {
	_, err := io.WriteString(o.w, s)
	return err
}
