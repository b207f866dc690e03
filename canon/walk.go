package canon

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// piece is a value on a walk through a Text.
type piece struct {
	at  Extent
	raw []byte // as written, valid until the walk continues; nil: too large to hold
}

// piece reads the value at the cursor, which is consumed in any case.
func (t *Text) piece(c *cursor) (piece, error) {
	start := c.pos
	if end, ok := t.large[start]; ok {
		c.seek(end)
		return piece{at: Extent{start, end}}, nil
	}
	raw, err := c.value()
	return piece{Extent{start, c.pos}, raw}, err
}

// Items yields the items of an array one by one, unchecked. raw is the item as written,
// valid until yield returns, or nil if it is longer than Options.Bytes. An error of yield
// ends the walk and is returned.
func (t *Text) Items(at Extent, yield func(i int, at Extent, raw []byte) error) error {
	return t.items(at, func(i int, p piece) error { return yield(i, p.at, p.raw) })
}

func (t *Text) items(at Extent, visit func(i int, p piece) error) error {
	i := -1
	return t.list(at, '[', ']', func(c *cursor) error {
		i++
		p, err := t.piece(c)
		if err != nil {
			return under(err, strconv.Itoa(i))
		}
		return visit(i, p)
	})
}

// Members lists the members of an object, their values unchecked. With Options.Mend it
// lists the last member of each name.
func (t *Text) Members(at Extent) ([]Part, error) {
	var parts []Part
	defer t.release(t.held)
	places := map[string]int{} // of names; without Mend the walk itself refuses doubled names
	err := t.members(at, func(name string, p piece) error {
		if i, again := places[name]; again {
			parts[i].At = p.at
			return nil
		}
		places[name] = len(parts)
		parts = append(parts, Part{name, p.at})
		return nil
	})
	return parts, err
}

// members visits the members of an object. It holds the names until the walk ends, to find
// doubled ones; the caller releases them.
func (t *Text) members(at Extent, visit func(name string, p piece) error) error {
	seen := map[string]struct{}{}
	return t.list(at, '{', '}', func(c *cursor) error {
		start := c.pos
		name, err := t.name(c)
		if err != nil {
			return err
		}
		if _, ok := seen[name]; ok && t.opt.Mend {
			t.count(Repairs{Members: 1, First: RepairPlaces{Members: Pointer(name)}})
		} else if ok {
			return &Error{Kind: DuplicateMember, Pointer: Pointer(name), Offset: start}
		}
		if err := t.hold(name, start); err != nil {
			return err
		}
		seen[name] = struct{}{}
		if err := c.separator(':'); err != nil {
			return under(err, name)
		}
		p, err := t.piece(c)
		if err != nil {
			return under(err, name)
		}
		return visit(name, p)
	})
}

// list reads the brackets and commas of an array or object, and calls each for the parts
// between them.
func (t *Text) list(at Extent, opening, closing byte, each func(c *cursor) error) error {
	c := t.cursor(at)
	if b, err := c.peek(); err != nil || b != opening {
		return c.wrong(err)
	}
	c.skip(1)
	b, err := c.peek()
	for first := true; err == nil && (b != closing || !first); first = false {
		if err = each(c); err != nil {
			return err
		}
		if b, err = c.peek(); err != nil {
			break
		}
		if b == closing {
			break
		}
		if err = c.separator(','); err != nil {
			return err
		}
		b, err = c.peek()
	}
	if err != nil {
		return c.wrong(err)
	}
	if c.skip(1); c.pos != at.End {
		return c.wrong(nil)
	}
	return nil
}

// separator consumes a comma or a colon, and stops before the next value.
func (c *cursor) separator(want byte) error {
	b, err := c.peek()
	if err != nil || b != want {
		return c.wrong(err)
	}
	c.skip(1)
	if _, err = c.peek(); err != nil {
		return c.wrong(err)
	}
	return nil
}

// wrong reports an unexpected character at the cursor.
func (c *cursor) wrong(err error) error {
	switch err {
	case nil:
		next := append(bytes.Clone(c.win[:min(len(c.win), utf8.UTFMax)]), ' ')
		return &Error{Kind: kindAt(next), Offset: c.pos, Err: errSeparator}
	case io.EOF:
		return &Error{Kind: Syntax, Offset: c.pos, Err: io.ErrUnexpectedEOF}
	}
	return err
}

// name reads the name of a member.
func (t *Text) name(c *cursor) (string, error) {
	start := c.pos
	raw, err := c.value()
	if err != nil {
		return "", err
	}
	if len(raw) == 0 || raw[0] != '"' {
		return "", &Error{Kind: kindAt(append(raw, ' ')), Offset: start, Err: errName}
	}
	strict := check(raw, t.opt)
	if strict == nil {
		name, _ := jsontext.AppendUnquote(nil, raw) // checked
		return string(name), nil
	}
	if t.opt.Mend {
		if v, mended, err := mend(raw, t.opt, strict); err == nil {
			t.count(mended.below(Pointer(v.Text())))
			return v.Text(), nil
		}
	}
	return "", moved(strict, start)
}

// count adds repairs to those of Check.
func (t *Text) count(more Repairs) {
	if t.counts {
		t.mended.add(more.below(Pointer(t.path...)))
	}
}

var errName = errors.New("a member has no name")

// Most names that a Text holds at a time, in multiples of Options.Bytes, and the cost of
// each besides its bytes.
const (
	heldTimes = 4
	heldName  = 128
)

// hold counts a name among those that are held.
func (t *Text) hold(name string, at int64) error {
	if t.held += int64(len(name)) + heldName; t.held > max(heldTimes*t.opt.Bytes, windowSize) {
		return &Error{Kind: TooLarge, Offset: at}
	}
	return nil
}

// release forgets the names held since held was this value.
func (t *Text) release(held int64) { t.held = held }

// check reports what is wrong with a value that lies at a depth, in the order of
// the text.
func (t *Text) check(p piece, depth int) error {
	if p.raw != nil {
		err := check(p.raw, t.below(depth))
		if err != nil && t.opt.Mend {
			var mended Repairs
			_, mended, err = mend(p.raw, t.below(depth), err)
			t.count(mended)
		}
		return moved(err, p.at.Start)
	}
	below := func(step string, p piece) error {
		t.path = append(t.path, step)
		err := t.check(p, depth+1)
		t.path = t.path[:len(t.path)-1]
		return under(err, step)
	}
	return t.descend(p.at, depth, func(i int, p piece) error { return below(strconv.Itoa(i), p) }, below)
}

// below returns the options for a value at a depth.
func (t *Text) below(depth int) Options {
	opt := t.opt
	opt.Depth -= depth
	return opt
}

// descend visits the parts of a large array or object.
func (t *Text) descend(at Extent, depth int, item func(int, piece) error, member func(string, piece) error) error {
	if depth >= t.opt.Depth {
		return &Error{Kind: TooDeep, Offset: at.Start}
	}
	b, err := t.Opening(at)
	if err != nil {
		return err
	}
	if b == '[' {
		return t.items(at, item)
	}
	defer t.release(t.held)
	return t.members(at, member)
}
