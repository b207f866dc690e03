package canon

import "io"

// read gathers the element that starts at the cursor into e.buf. It finds the
// element's end without judging it, which is for Check: a bracket that closes
// too much, or the wrong way, ends the element all the same.
func (e *Elements) read() error {
	e.buf = e.buf[:0]
	var f frame
	for !f.done {
		if e.in.Buffered() == 0 {
			if _, err := e.in.Peek(1); err == io.EOF {
				return nil // Check says whether that is too early
			} else if err != nil {
				return err
			}
		}
		window, _ := e.in.Peek(e.in.Buffered())
		n := f.scan(window)
		if int64(len(e.buf)+n) > e.opt.Bytes {
			return e.place(tooLarge(e.opt))
		}
		e.buf = append(e.buf, window[:n]...)
		e.discard(n)
	}
	return nil
}

// frame finds the end of one value in a run of windows.
type frame struct {
	depth    int
	inString bool
	escaped  bool // the byte before was a backslash in a string
	begun    bool // a byte of the value has been seen
	done     bool
}

// scan returns how many bytes of window belong to the value.
func (f *frame) scan(window []byte) int {
	for i, c := range window {
		if f.inString {
			f.inside(c)
		} else if !f.outside(c) {
			f.done = true
			return i
		}
		if f.done {
			return i + 1
		}
	}
	return len(window)
}

// inside takes a byte of a string.
func (f *frame) inside(c byte) {
	switch {
	case f.escaped:
		f.escaped = false
	case c == '\\':
		f.escaped = true
	case c == '"':
		f.inString = false
		f.done = f.depth == 0
	}
}

// outside takes a byte outside strings, and reports whether it still belongs to
// the value.
func (f *frame) outside(c byte) bool {
	first := !f.begun
	f.begun = true
	switch c {
	case '"':
		if f.depth == 0 && !first {
			return false
		}
		f.inString = true
	case '{', '[':
		if f.depth == 0 && !first {
			return false
		}
		f.depth++
	case '}', ']':
		if f.depth == 0 {
			return first // alone it is wrong, after a scalar it is the list's
		}
		f.depth--
		f.done = f.depth == 0
	case ',', ' ', '\t', '\r', '\n':
		return f.depth > 0 || first
	}
	return true
}
