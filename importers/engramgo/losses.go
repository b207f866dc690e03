package engramgo

import "github.com/satchel-memory/satchel/codec"

// What does not survive, in the words in which it is reported. docs/mapping.md lists
// the same.
const (
	lossDeleted = "it was deleted"
	lossBlank   = "it is blank, nothing to remember"
)

// lossAside names what is left out as a whole, and how many there are of it.
func lossAside(what, many string) string {
	return what + " are no memories and are left out: " + many
}

func declared() codec.Declared {
	return codec.Declared{Reading: append(codec.MendedReasons(), lossDeleted, lossBlank, lossAside("…", "…"))}
}
