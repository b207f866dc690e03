package canon

import (
	"bytes"
	"errors"
	"io"
)

// read collects the element at the cursor in e.buf. It finds the element's end and leaves
// checking to Check. A bracket too many, or of the wrong kind, also ends the element.
func (e *Elements) read() error {
	e.buf, e.frame = e.buf[:0], frame{}
	return e.scan(func(window []byte) error {
		if int64(len(e.buf)+len(window)) > e.opt.Bytes {
			return e.place(tooLarge(e.opt))
		}
		e.buf = append(e.buf, window...)
		return nil
	})
}

// scan moves to the end of the element and passes all of it to keep.
func (e *Elements) scan(keep func(window []byte) error) error {
	for !e.frame.done {
		if e.in.Buffered() == 0 {
			if _, err := e.in.Peek(1); err == io.EOF {
				return nil // Check says whether the text ends too early
			} else if err != nil {
				return err
			}
		}
		window, _ := e.in.Peek(e.in.Buffered())
		after := e.frame
		n := after.scan(window, e.offset)
		if err := keep(window[:n]); err != nil {
			return err
		}
		e.frame = after
		e.discard(n)
	}
	return nil
}

// Skip lets Next continue after an element that it refused, and reports whether it can: the
// end of the element is known, and it begins like an array or an object.
func (e *Elements) Skip() bool {
	refused, ok := errors.AsType[*Error](e.err)
	if !ok || len(e.buf) == 0 || !e.whole {
		return false
	}
	if first := e.buf[0]; refused.Kind == Syntax && first != '{' && first != '[' {
		return false
	}
	if refused.Kind == TooLarge {
		if err := e.scan(func([]byte) error { return nil }); err != nil || !e.frame.done {
			return false
		}
		e.size = int(e.offset - e.start)
		if e.layout == Unread {
			e.settle()
		}
	}
	e.err, e.whole = nil, false
	return true
}

// frame finds the end of one value across windows.
type frame struct {
	depth   int
	text    stringState
	begun   bool // a byte of the value has been seen
	done    bool
	outline *outline // learns where arrays and objects begin and end; nil: not needed
}

// scan returns how many bytes of window, which begins at an offset, belong to the
// value.
func (f *frame) scan(window []byte, at int64) int {
	for i := 0; i < len(window); {
		if f.text.inside {
			i += f.text.scan(window[i:])
			f.done = f.depth == 0 && !f.text.inside
		} else if !f.outside(window[i], at+int64(i)) {
			f.done = true
			return i
		} else {
			i++
		}
		if f.done {
			return i
		}
	}
	return len(window)
}

// outside takes a byte outside strings, and reports whether it still belongs to
// the value.
func (f *frame) outside(c byte, at int64) bool {
	first := !f.begun
	f.begun = true
	switch c {
	case '"':
		if f.depth == 0 && !first {
			return false
		}
		f.text.inside = true
	case '{', '[':
		if f.depth == 0 && !first {
			return false
		}
		f.depth++
		f.outline.enter(f.depth, at)
	case '}', ']':
		if f.depth == 0 {
			return first // a wrong value if it stands alone, the end of the list after a scalar
		}
		f.outline.leave(f.depth, at+1)
		f.depth--
		f.done = f.depth == 0
	case ',', ' ', '\t', '\r', '\n':
		return f.depth > 0 || first
	}
	return true
}

// stringState is the state inside a string between two windows.
type stringState struct {
	inside  bool
	escaped bool // the byte before was a backslash
}

// scan returns how many bytes of the window belong to the present string.
func (t *stringState) scan(window []byte) int {
	i := 0
	if t.escaped {
		t.escaped = false
		i = 1
	}
	quote := -1 // the next quote; -1: not yet searched
	for {
		if quote < i {
			quote = indexFrom(window, i, '"')
		}
		escape := bytes.IndexByte(window[i:quote], '\\')
		switch {
		case escape < 0 && quote == len(window):
			return len(window)
		case escape < 0:
			t.inside = false
			return quote + 1
		case i+escape+1 == len(window):
			t.escaped = true
			return len(window)
		}
		i += escape + 2
	}
}

// indexFrom returns the position of c in window from position i on, or the length of the
// window.
func indexFrom(window []byte, i int, c byte) int {
	if n := bytes.IndexByte(window[i:], c); n >= 0 {
		return i + n
	}
	return len(window)
}
