package exchange

import "github.com/satchel-memory/satchel/aaif"

// Refuse returns the error of a converter: a [codec.ParseError] of its format at a place,
// with an [aaif.Fault] inside. The rule is named without its "AAIF-".
func Refuse(format, rule, pointer string, code aaif.Code, text string, args ...any) error {
	return aaif.Violation(format, code, rule, pointer, text, args...)
}
