package canon

import (
	"bytes"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// Check reports whether data is one strict JSON text, and if not, the first
// thing wrong with it in the order of the text, as an [*Error].
func Check(data []byte, opt Options) error {
	opt = opt.filled()
	if int64(len(data)) > opt.Bytes {
		return tooLarge(opt)
	}
	return check(data, opt)
}

// check is Check with filled-in limits: depth 0 means no nesting.
func check(data []byte, opt Options) error {
	if !suspicious(data, opt) && jsontext.Value(data).IsValid() {
		return nil
	}
	return locate(data, opt)
}

// Canonical checks data and returns its canonical form (RFC 8785), in memory of
// its own.
func Canonical(data []byte, opt Options) ([]byte, error) {
	opt = opt.filled()
	if int64(len(data)) > opt.Bytes {
		return nil, tooLarge(opt)
	}
	return appendCanonical(nil, data, opt)
}

// appendCanonical appends the result of Canonical, with filled-in limits.
func appendCanonical(dst, data []byte, opt Options) ([]byte, error) {
	if !suspicious(data, opt) {
		out, err := jsontext.AppendFormat(dst, data,
			jsontext.CanonicalizeRawInts(true),
			jsontext.CanonicalizeRawFloats(true),
			jsontext.ReorderRawObjects(true))
		if err == nil {
			return out, nil
		}
	}
	return nil, locate(data, opt)
}

func tooLarge(opt Options) *Error { return &Error{Kind: TooLarge, Offset: opt.Bytes} }

// suspicious looks, in one pass, for two faults that jsontext accepts: nesting beyond the
// limit and numbers that would not survive. It assumes that data is JSON, so it may report
// a text that is not; locate decides.
func suspicious(data []byte, opt Options) bool {
	depth := 0
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case c == '"':
			i = closingQuote(data, i)
		case c == '{' || c == '[':
			if depth++; depth > opt.Depth {
				return true
			}
		case c == '}' || c == ']':
			depth--
		case isDigit(c):
			end := numberEnd(data, i)
			if checkNumber(data[i:end], opt.Inexact) != 0 {
				return true
			}
			i = end - 1
		}
	}
	return false
}

// closingQuote returns the index of the quote that ends the string opened at
// open, or the last index of data if none does.
func closingQuote(data []byte, open int) int {
	for i := open + 1; i < len(data); i++ {
		n := bytes.IndexByte(data[i:], '"')
		if n < 0 {
			break
		}
		i += n
		escapes := 0
		for data[i-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return i
		}
	}
	return len(data) - 1
}

// locate reads data token by token and returns its first fault. It is slow, and runs on
// refused texts only.
func locate(data []byte, opt Options) error {
	d := jsontext.NewDecoder(bytes.NewBuffer(data))
	for {
		token, err := d.ReadToken()
		if err != nil {
			return fromJSONText(err, data, opt)
		}
		place := func(k Kind, back int) error {
			return &Error{Kind: k, Pointer: string(d.StackPointer()), Offset: d.InputOffset() - int64(back)}
		}
		switch token.Kind() {
		case '{', '[':
			if d.StackDepth() > opt.Depth {
				return place(TooDeep, 1)
			}
		case '0':
			if k := checkNumber([]byte(token.String()), opt.Inexact); k != 0 {
				return place(k, len(token.String()))
			}
		}
		if d.StackDepth() == 0 {
			return trailing(d, data)
		}
	}
}

var (
	errEmpty    = errors.New("there is no value")
	errTrailing = errors.New("there is more after the value")
)

// trailing returns the error for whatever follows the first value of data.
func trailing(d *jsontext.Decoder, data []byte) error {
	rest := data[d.InputOffset():]
	space := len(rest) - len(bytes.TrimLeft(rest, " \t\r\n"))
	return &Error{Kind: Syntax, Offset: d.InputOffset() + int64(space), Err: errTrailing}
}

// fromJSONText turns an error of jsontext into an [*Error]. It drops the error's text,
// which quotes the input.
func fromJSONText(err error, data []byte, opt Options) error {
	var s *jsontext.SyntacticError
	if !errors.As(err, &s) {
		return &Error{Kind: Syntax, Offset: int64(len(data)), Err: errEmpty} // io.EOF
	}
	e := &Error{Kind: Syntax, Pointer: string(s.JSONPointer), Offset: s.ByteOffset}
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		e.Kind = DuplicateMember
	case errors.Is(err, io.ErrUnexpectedEOF):
		e.Err = io.ErrUnexpectedEOF
	case s.ByteOffset < int64(len(data)):
		e.Kind = kindAt(data[s.ByteOffset:])
	}
	return e
}
