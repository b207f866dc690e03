package exchange

import (
	"fmt"

	"github.com/satchel-memory/satchel/aaif"
	"github.com/satchel-memory/satchel/codec"
)

// Refuse returns the error of a converter: a [codec.ParseError] of its format about a
// place, by a requirement given without its "AAIF-", with an [aaif.Fault] inside.
func Refuse(format, rule, pointer string, code aaif.Code, text string, args ...any) error {
	return &codec.ParseError{Format: format, Path: pointer, Rule: "AAIF-" + rule, Err: &aaif.Fault{Code: code, Text: fmt.Sprintf(text, args...)}}
}
