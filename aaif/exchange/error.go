package exchange

import "github.com/satchel-memory/satchel/aaif"

// Refuse returns the error of a converter: a [codec.ParseError] of its format about a
// place, by a requirement given without its "AAIF-", with an [aaif.Fault] inside.
func Refuse(format, rule, pointer string, code aaif.Code, text string, args ...any) error {
	return aaif.Violation(format, code, rule, pointer, text, args...)
}
