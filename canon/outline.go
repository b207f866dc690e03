package canon

import "io"

// outline notes where each array and object ends that is longer than a limit,
// while a frame runs over a text. It judges nothing: of a text that is not JSON it
// notes something, and reading that shows what is wrong. Below the deepest level
// nothing is noted, so that a text of nothing but brackets costs no memory.
type outline struct {
	limit   int64
	deepest int
	large   map[int64]int64 // start -> end
	open    []int64         // where the open arrays and objects begin, down to the deepest
}

// outline runs over the value at the cursor once.
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
	for len(o.open) > 0 { // cut off
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

// close ends the innermost of those that are open.
func (o *outline) close(end int64) {
	last := len(o.open) - 1
	if start := o.open[last]; end-start > o.limit {
		o.large[start] = end
	}
	o.open = o.open[:last]
}
