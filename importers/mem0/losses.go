package mem0

import "github.com/satchel-memory/satchel/codec"

// What does not survive, in the words in which it is reported. docs/mapping.md lists
// the same.
const (
	lossBlank    = "it is blank, nothing to remember"
	lossDeleted  = "it was deleted"
	lossScore    = "how well it answered a search is not kept"
	lossDocument = "a member of the whole document, which no record carries"
	lossUndated  = "neither a relation nor a memory that had none gets a date"
	lossLong     = "a memory that is larger than may be read is left out"
)

func declared() codec.Declared {
	return codec.Declared{
		Reading: append(codec.MendedReasons(), lossBlank, lossDeleted, lossScore, lossDocument),
		Writing: []string{codec.NotHeld, codec.NoPlace, lossBlank, lossUndated, lossLong},
	}
}
