package condition

import (
	"errors"
	"fmt"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/codec"
)

// Code is the kind of a failure.
type Code string

// The codes of this package.
const (
	Shape       Code = "CONDITION_SHAPE"       // neither of the two forms of section 5
	ExprType    Code = "EXPR_TYPE"             // wrong JSON type for the language
	Parse       Code = "CONDITION_PARSE"       // not an expression of the language
	Type        Code = "CONDITION_TYPE"        // in CEL, a result other than true or false
	Failed      Code = "CONDITION_ERROR"       // not decidable, for example because a variable is missing
	Limit       Code = "CONDITION_LIMIT"       // beyond a limit of [Limits]
	TooLarge    Code = Code(aaif.TooLarge)     // the conditions of a definition exceed [MostBytes] together
	Unsupported Code = "CONDITION_UNSUPPORTED" // the language is switched off
)

// Error says why a condition was not decided. Its text never repeats the payload.
type Error struct {
	Code Code
	Lang Language // "" if unknown
	Text string   // for people
}

// Error returns the text with its language.
func (e *Error) Error() string {
	if e.Lang == "" {
		return e.Text
	}
	return string(e.Lang) + ": " + e.Text
}

// CodeOf returns the code of an error of this package, "" for any other.
func CodeOf(err error) Code {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return ""
}

func failure(code Code, lang Language, text string, args ...any) *Error {
	return &Error{Code: code, Lang: lang, Text: fmt.Sprintf(text, args...)}
}

// fault places an error in the document with the condition.
func fault(rule, pointer string, err *Error) *codec.ParseError {
	return &codec.ParseError{Format: "aaif", Path: pointer, Rule: "AAIF-" + rule, Err: err}
}
