package keys

import "github.com/satchel-memory/satchel/memory"

// CheckDID exports checkDID to the external tests.
func CheckDID(did memory.DID) error { return checkDID(did) }
