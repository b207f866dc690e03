package canon

import (
	"errors"
	"io"
)

// Extent says where a value lies in a text: from Start up to End.
type Extent struct {
	Start, End int64
}

// Len returns how many bytes a value has as written.
func (e Extent) Len() int64 { return e.End - e.Start }

// Part is one member of an object in a [Text].
type Part struct {
	Name string
	At   Extent
}

// Text is a JSON value that is too large for memory. It reads the value from its source as
// often as necessary, and holds at most a few times Options.Bytes. It reads a smaller value
// as a whole, and a larger one element by element and member by member. It refuses a string
// or a number longer than Options.Bytes, and an object with more names than it can hold.
//
// Offsets are those of the reader. A Text is not safe for concurrent use.
type Text struct {
	r      io.ReaderAt
	size   int64
	opt    Options
	root   Extent
	rest   int64           // where more text follows the value; size: nowhere
	large  map[int64]int64 // start -> end of arrays and objects longer than opt.Bytes
	held   int64           // bytes of names that are held now
	mended Repairs         // by Check
	counts bool            // Check is running
	path   []string        // the present place, inside values that are too large to hold
}

// NewText finds the value at an offset of r, after white space and, at the very start, a
// byte order mark. It only finds the end of the value; [Text.Check] says whether the value
// is valid. The error is the reader's.
func NewText(r io.ReaderAt, start, size int64, opt Options) (*Text, error) {
	t := &Text{r: r, size: size, opt: opt.filled(), large: map[int64]int64{}}
	c := t.cursor(Extent{start, size})
	if start == 0 {
		if err := c.dropMark(); err != nil {
			return nil, err
		}
	}
	if _, err := c.peek(); err != nil && err != io.EOF {
		return nil, err
	}
	t.root.Start = c.pos
	if err := t.outline(c); err != nil {
		return nil, err
	}
	t.root.End = c.pos
	if _, err := c.peek(); err != nil && err != io.EOF {
		return nil, err
	}
	t.rest = c.pos
	return t, nil
}

// Root returns the extent of the value.
func (t *Text) Root() Extent { return t.root }

// Rest returns the offset of the first character after the value that is not white space,
// or the size of the text.
func (t *Text) Rest() int64 { return t.rest }

// Opening returns the first byte of a value, which tells its type, and 0 for an empty
// extent.
func (t *Text) Opening(at Extent) (byte, error) {
	c, err := t.cursor(at).peek()
	if err == io.EOF {
		return 0, nil
	}
	return c, err
}

// Check reports whether the text is one strict value with nothing after it, and if
// not, the first thing wrong with it in the order of the text, as [Check] does.
func (t *Text) Check() error {
	t.mended, t.counts, t.path = Repairs{}, true, nil
	defer func() { t.counts = false }()
	if err := t.CheckValue(t.root); err != nil {
		return err
	}
	return t.CheckRest()
}

// Repairs returns the repairs that Check counted, with Options.Mend.
func (t *Text) Repairs() Repairs { return t.mended }

// CheckRest reports whether nothing follows the value.
func (t *Text) CheckRest() error {
	if t.rest < t.size {
		return &Error{Kind: Syntax, Offset: t.rest, Err: errTrailing}
	}
	return nil
}

// CheckValue is Check of one value of the text, whatever follows it.
func (t *Text) CheckValue(at Extent) error {
	if at.Len() == 0 {
		return &Error{Kind: Syntax, Offset: at.Start, Err: errEmpty}
	}
	c := t.cursor(at)
	p, err := t.piece(c)
	if err != nil {
		return err
	}
	return t.check(p, 0)
}

// bytes returns an unchecked value as it is written, if it is no longer than Options.Bytes.
func (t *Text) bytes(at Extent) ([]byte, error) {
	if at.Len() > t.opt.Bytes {
		return nil, &Error{Kind: TooLarge, Offset: at.Start}
	}
	data := make([]byte, at.Len())
	if n, err := t.r.ReadAt(data, at.Start); n < len(data) {
		return nil, noEOF(err)
	}
	return data, nil
}

// Value returns a value as a tree, if it is no longer than Options.Bytes.
func (t *Text) Value(at Extent) (Value, error) {
	data, err := t.bytes(at)
	if err != nil {
		return Value{}, err
	}
	v, err := Parse(data, t.opt)
	return v, moved(err, at.Start)
}

// ValueFrom returns the value at an offset as a tree, if it is no longer than
// Options.Bytes.
func (t *Text) ValueFrom(start int64) (Value, error) {
	c := t.cursor(Extent{start, t.size})
	c.window = 4 << 10
	raw, err := c.value()
	if err != nil {
		return Value{}, err
	}
	v, err := Parse(raw, t.opt)
	return v, moved(err, start)
}

// Depth returns how deep the text may nest.
func (t *Text) Depth() int { return t.opt.Depth }

// noEOF reports a source that ended before its stated size.
func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// moved adds the number of preceding bytes to the offset of an Error.
func moved(err error, by int64) error {
	if e, ok := errors.AsType[*Error](err); ok {
		e.Offset += by
	}
	return err
}

// under puts a part before the pointer of an Error.
func under(err error, part string) error {
	if e, ok := errors.AsType[*Error](err); ok {
		e.Pointer = Pointer(part) + e.Pointer
	}
	return err
}
