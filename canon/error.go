package canon

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Kind says what is wrong with a text.
type Kind int

// The kinds of refusal.
const (
	Syntax          Kind = iota + 1 // not JSON: RFC 8259's grammar is broken, or the text ends early
	DuplicateMember                 // an object names a member twice
	InvalidUTF8                     // bytes that are not UTF-8
	LoneSurrogate                   // half of a surrogate pair, escaped
	TooDeep                         // nested deeper than Options.Depth
	TooLarge                        // longer than Options.Bytes
	NumberOverflow                  // a number beyond the largest double
	IntegerInexact                  // an integer beyond 2^53, or a number whose canonical form is one
)

// String names the kind, as vectors and messages spell it.
func (k Kind) String() string {
	switch k {
	case Syntax:
		return "syntax"
	case DuplicateMember:
		return "duplicate member"
	case InvalidUTF8:
		return "invalid UTF-8"
	case LoneSurrogate:
		return "lone surrogate"
	case TooDeep:
		return "too deep"
	case TooLarge:
		return "too large"
	case NumberOverflow:
		return "number overflow"
	case IntegerInexact:
		return "integer inexact"
	}
	return fmt.Sprintf("kind %d", int(k))
}

// advice says what to do about a refusal.
func (k Kind) advice() string {
	switch k {
	case Syntax:
		return "write plain JSON, without comments or trailing commas"
	case DuplicateMember:
		return "name each member of an object once"
	case InvalidUTF8:
		return "encode the text as UTF-8"
	case LoneSurrogate:
		return "write both halves of the surrogate pair"
	case TooDeep:
		return "nest less deeply"
	case TooLarge:
		return "split the text, or raise the limit"
	case NumberOverflow:
		return "write a number a double can hold, or a string"
	case IntegerInexact:
		return "write integers beyond 2^53 as strings"
	}
	return "mend the text"
}

// Error says why and where a text was refused. It never holds values from the
// text; the pointer holds names of members.
type Error struct {
	Kind    Kind
	Pointer string // JSON Pointer (RFC 6901) to the value or member concerned; "" is the whole text
	Offset  int64  // bytes before the place
	Err     error  // the cause, where there is more to say; io.ErrUnexpectedEOF in a text that ends early
}

// maxShownPointer bounds how much of a pointer a message shows: a name may be
// as long as the text.
const maxShownPointer = 200

// Error describes the refusal in one line: kind, pointer, offset, advice.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("JSON ")
	b.WriteString(e.Kind.String())
	if e.Pointer != "" {
		fmt.Fprintf(&b, " at %q", shorten(e.Pointer))
	}
	fmt.Fprintf(&b, " (byte %d)", e.Offset)
	if e.Err != nil {
		fmt.Fprintf(&b, ": %v", e.Err)
	}
	b.WriteString("; ")
	b.WriteString(e.Kind.advice())
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

func shorten(pointer string) string {
	if len(pointer) <= maxShownPointer {
		return pointer
	}
	cut := maxShownPointer
	for cut > 0 && !utf8.RuneStart(pointer[cut]) {
		cut--
	}
	return pointer[:cut] + "…"
}

// kindAt returns the fault at the place where jsontext stopped.
func kindAt(rest []byte) Kind {
	if r, size := utf8.DecodeRune(rest); r == utf8.RuneError && size <= 1 {
		return InvalidUTF8
	}
	if len(rest) >= 6 && rest[0] == '\\' && rest[1] == 'u' {
		if _, err := strconv.ParseUint(string(rest[2:6]), 16, 16); err == nil {
			return LoneSurrogate // four digits have no other fault
		}
	}
	return Syntax
}
