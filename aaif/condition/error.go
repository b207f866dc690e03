package condition

import (
	"errors"
	"fmt"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/codec"
)

// Code says of which kind a failure is.
type Code string

// The codes of this package.
const (
	Shape       Code = "CONDITION_SHAPE"       // neither of the two forms of section 5
	ExprType    Code = "EXPR_TYPE"             // an expression of the wrong JSON type for its language
	Parse       Code = "CONDITION_PARSE"       // no expression of its language
	Type        Code = "CONDITION_TYPE"        // a result that is not true or false, in CEL
	Failed      Code = "CONDITION_ERROR"       // could not be decided, as where a variable is missing
	Limit       Code = "CONDITION_LIMIT"       // beyond a limit of [Limits]
	TooLarge    Code = Code(aaif.TooLarge)     // the conditions of a definition are longer together than [MostBytes]
	Unsupported Code = "CONDITION_UNSUPPORTED" // in a language that is switched off
)

// Error is why a condition was not decided. Its text never repeats what a
// payload says.
type Error struct {
	Code Code
	Lang Language // "" where none is known
	Text string   // for people
}

// Error returns the text with its language.
func (e *Error) Error() string {
	if e.Lang == "" {
		return e.Text
	}
	return string(e.Lang) + ": " + e.Text
}

// CodeOf returns the code of an error of this package, and "" of any other.
func CodeOf(err error) Code {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return ""
}

func failure(code Code, lang Language, text string, args ...any) *Error {
	return &Error{Code: code, Lang: lang, Text: fmt.Sprintf(text, args...)}
}

// fault places an error in the document that holds the condition.
func fault(rule, pointer string, err *Error) *codec.ParseError {
	return &codec.ParseError{Format: "aaif", Path: pointer, Rule: "AAIF-" + rule, Err: err}
}
