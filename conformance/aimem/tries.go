package aimemsuite

import "github.com/satchel-memory/satchel/conformance"

// Tries reports whether a run has something to say of a row, or of any row of a
// section, that is named as in [Target].Only.
func Tries(only string) bool { return conformance.Names(rows(), only) }
