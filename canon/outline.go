package canon

import "io"

// outline records where each array and object ends that is longer than a limit, while a
// frame runs over a text. It checks nothing. For a text that is not JSON the outline is
// wrong, and reading it shows the fault. It records nothing below the deepest level, so
// that a text of brackets alone costs no memory.
type outline struct {
	limit   int64
	deepest int
	large   map[int64]int64 // start -> end
	open    []int64         // starts of the open arrays and objects, down to the deepest level
}

// outline runs once over the value at the cursor.
func (t *Text) outline(c *cursor) error {
	o := outline{limit: t.opt.Bytes, deepest: t.opt.Depth + 1, large: t.large}
	f := frame{outline: &o}
	for !f.done {
		if err := c.more(); err == io.EOF {
			break
		} else if err != nil {
			return err
		}
		c.skip(f.scan(c.win, c.pos))
	}
	for len(o.open) > 0 { // the text is cut off
		o.close(c.pos)
	}
	return nil
}

func (o *outline) enter(depth int, at int64) {
	if o != nil && depth <= o.deepest {
		o.open = append(o.open, at)
	}
}

func (o *outline) leave(depth int, end int64) {
	if o != nil && depth <= o.deepest {
		o.close(end)
	}
}

// close ends the innermost open array or object.
func (o *outline) close(end int64) {
	last := len(o.open) - 1
	if start := o.open[last]; end-start > o.limit {
		o.large[start] = end
	}
	o.open = o.open[:last]
}
