package canon

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// Layout says how the values of a stream are laid out.
type Layout int

// The layouts. A stream without any value has Lines.
const (
	Unread Layout = iota // Next has not been called
	Single               // one value that is not an array
	List                 // the elements of one array
	Lines                // values separated by white space: NDJSON
)

// Elements reads the values of a stream one by one, holding one at a time: the
// elements of a top-level array, or one value, or values separated by white
// space. A byte order mark at the start is dropped.
type Elements struct {
	in     *bufio.Reader
	opt    Options
	layout Layout
	index  int   // of the current element
	start  int64 // offset of the current element
	offset int64 // bytes consumed
	buf    []byte
	frame  frame // of the current element
	size   int   // of the current element, as it is written
	whole  bool  // it was refused, and its end is known or can be found
	mended Repairs
	broken error // error of the reader, met while finding the layout
	err    error // what every later Next returns
}

// NewElements returns a reader of r's values. Options.Bytes bounds each element:
// a longer one is refused before it is held whole.
func NewElements(r io.Reader, opt Options) *Elements {
	return &Elements{in: bufio.NewReaderSize(r, 64<<10), opt: opt.filled(), index: -1}
}

// Layout returns how the stream is laid out, Unread before the first Next. To
// tell Single from Lines the first Next reads on to what follows the value.
func (e *Elements) Layout() Layout { return e.layout }

// Index returns the position of the current element, from 0, and -1 before the
// first.
func (e *Elements) Index() int { return e.index }

// Offset returns how many bytes of the stream precede the current element.
func (e *Elements) Offset() int64 { return e.start }

// Size returns how many bytes the current element has as it is written.
func (e *Elements) Size() int { return e.size }

// Repairs returns what was mended in the current element, with Options.Mend.
func (e *Elements) Repairs() Repairs { return e.mended }

// Next returns the next element, checked as [Check] does; raw is valid until
// the call after. It returns io.EOF after the proper end of the stream, an
// [*Error] for what is wrong with it, and the reader's error as it is. The
// pointer of an Error begins with the element's index, unless the layout is
// Single. After an error every call returns that error, until [Elements.Skip].
func (e *Elements) Next() (raw []byte, err error) {
	if e.err == nil {
		e.err = e.next()
	}
	if e.err != nil {
		return nil, e.err
	}
	return e.buf, nil
}

// Value is Next with the element as a tree, which stays valid.
func (e *Elements) Value() (Value, error) {
	raw, err := e.Next()
	if err != nil {
		return Value{}, err
	}
	p := parser{text: string(raw)} // Next has checked it
	return p.value(), nil
}

func (e *Elements) next() error {
	e.whole = false
	step := e.between
	if e.index < 0 {
		step = e.open
	}
	if err := step(); err != nil {
		return err
	}
	e.index++
	e.start, e.mended = e.offset, Repairs{}
	if err := e.read(); err != nil {
		refused, ok := errors.AsType[*Error](err)
		e.whole = ok && refused.Kind == TooLarge
		return err
	}
	e.size, e.whole = int(e.offset-e.start), e.frame.done
	if e.layout == Unread {
		e.settle()
	}
	err := Check(e.buf, e.opt)
	if err != nil && e.opt.Mend {
		var v Value
		if v, e.mended, err = mend(e.buf, e.opt, err); err == nil {
			e.buf = v.Append(e.buf[:0])
		}
	}
	if err != nil {
		return e.place(err)
	}
	return nil
}

// open reads up to the first element.
func (e *Elements) open() error {
	if mark, _ := e.in.Peek(3); string(mark) == "\xEF\xBB\xBF" {
		e.discard(3)
	}
	c, err := e.peek()
	if err == io.EOF {
		e.layout = Lines
	}
	if err != nil || c != '[' {
		return err
	}
	e.layout = List
	e.discard(1)
	if c, err = e.peek(); err != nil {
		return e.early(err)
	}
	if c == ']' {
		return e.close()
	}
	return nil
}

// between reads from the end of one element to the start of the next.
func (e *Elements) between() error {
	if e.layout != List {
		return e.gap()
	}
	c, err := e.peek()
	if err != nil {
		return e.early(err)
	}
	switch c {
	case ']':
		return e.close()
	case ',':
		e.discard(1)
		_, err = e.peek()
		return e.early(err) // Check will refuse a bracket here: it is no element
	}
	return e.syntax(errSeparator)
}

var errSeparator = errors.New("elements are not separated properly")

// gap reads the white space between two values.
func (e *Elements) gap() error {
	if e.broken != nil {
		return e.broken
	}
	_, err := e.peek()
	if err == nil && e.offset == e.start+int64(e.size) {
		return e.syntax(errSeparator)
	}
	return err
}

// settle tells one value from several.
func (e *Elements) settle() {
	e.layout = Single
	if _, err := e.peek(); err != io.EOF {
		e.layout = Lines
		e.broken = err
	}
}

// close reads the closing bracket of the list and makes sure that nothing
// follows it.
func (e *Elements) close() error {
	e.discard(1)
	_, err := e.peek()
	if err == nil {
		return &Error{Kind: Syntax, Offset: e.offset, Err: errTrailing}
	}
	return err
}

// peek skips white space and returns the byte after it, unread.
func (e *Elements) peek() (byte, error) {
	for {
		c, err := e.in.ReadByte()
		if err != nil {
			return 0, err
		}
		if c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			return c, e.in.UnreadByte()
		}
		e.offset++
	}
}

func (e *Elements) discard(n int) {
	n, _ = e.in.Discard(n) // within what was peeked at
	e.offset += int64(n)
}

// early turns the end of the stream inside a list into an error.
func (e *Elements) early(err error) error {
	if err == io.EOF {
		return &Error{Kind: Syntax, Offset: e.offset, Err: io.ErrUnexpectedEOF}
	}
	return err
}

func (e *Elements) syntax(cause error) error {
	return &Error{Kind: Syntax, Pointer: "/" + strconv.Itoa(e.index+1), Offset: e.offset, Err: cause}
}

// place moves an error of the current element to its place in the stream.
func (e *Elements) place(err error) error {
	inner, ok := errors.AsType[*Error](err)
	if !ok {
		return fmt.Errorf("element %d: %w", e.index, err)
	}
	inner.Offset += e.start
	if e.layout == List || e.layout == Lines {
		inner.Pointer = "/" + strconv.Itoa(e.index) + inner.Pointer
	}
	return inner
}
