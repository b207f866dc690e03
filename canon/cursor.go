package canon

import "io"

// windowSize is how much of a text is read at a time.
const windowSize = 64 << 10

// cursor reads a text from its source, in windows.
type cursor struct {
	r      io.ReaderAt
	opt    Options
	pos    int64  // offset of window[0]
	end    int64  // reading stops here
	window int64  // most bytes read at a time
	win    []byte // read and not consumed
	back   []byte // of all windows
	buf    []byte // a value that spans windows
}

func (t *Text) cursor(at Extent) *cursor {
	return &cursor{r: t.r, opt: t.opt, pos: at.Start, end: min(at.End, t.size), window: windowSize}
}

// more fills an empty window. It returns io.EOF at the end.
func (c *cursor) more() error {
	if len(c.win) > 0 {
		return nil
	}
	left := c.end - c.pos
	if left <= 0 {
		return io.EOF
	}
	want := min(left, c.window)
	if int64(len(c.back)) < want {
		c.back = make([]byte, want)
	}
	n, err := c.r.ReadAt(c.back[:want], c.pos)
	if int64(n) < want {
		return noEOF(err)
	}
	c.win = c.back[:n]
	return nil
}

func (c *cursor) skip(n int) {
	c.win = c.win[n:]
	c.pos += int64(n)
}

// seek moves to pos, which lies ahead.
func (c *cursor) seek(pos int64) {
	if ahead := pos - c.pos; ahead < int64(len(c.win)) {
		c.win = c.win[ahead:]
	} else {
		c.win = nil
	}
	c.pos = pos
}

// peek skips white space and returns the byte after it, not consumed.
func (c *cursor) peek() (byte, error) {
	for {
		if err := c.more(); err != nil {
			return 0, err
		}
		for i, b := range c.win {
			if b != ' ' && b != '\t' && b != '\r' && b != '\n' {
				c.skip(i)
				return b, nil
			}
		}
		c.skip(len(c.win))
	}
}

// dropMark skips a byte order mark.
func (c *cursor) dropMark() error {
	if err := c.more(); err == io.EOF {
		return nil
	} else if err != nil {
		return err
	}
	if len(c.win) >= 3 && string(c.win[:3]) == "\xEF\xBB\xBF" {
		c.skip(3)
	}
	return nil
}

// value reads the value at the cursor without checking it. The bytes are valid until the
// cursor moves. value refuses a value longer than opt.Bytes.
func (c *cursor) value() ([]byte, error) {
	var f frame
	start := c.pos
	if c.buf == nil {
		c.buf = []byte{} // nil would mean a value that is not held
	}
	c.buf = c.buf[:0]
	for {
		if err := c.more(); err == io.EOF {
			return c.buf, nil // Check says whether the text ends too early
		} else if err != nil {
			return nil, err
		}
		window := c.win
		n := f.scan(window, c.pos)
		if int64(len(c.buf)+n) > c.opt.Bytes {
			return nil, &Error{Kind: TooLarge, Offset: start + c.opt.Bytes}
		}
		c.skip(n)
		if f.done && len(c.buf) == 0 {
			return window[:n:n], nil
		}
		c.buf = append(c.buf, window[:n]...)
		if f.done {
			return c.buf, nil
		}
	}
}
