package mcpmemoryservice

import "github.com/satchel-memory/satchel/codec"

// What does not survive, in the words in which it is reported. docs/mapping.md lists
// the same.
const (
	lossBlank     = "it is blank, nothing to remember"
	lossDeleted   = "it was deleted"
	lossEmbedding = "embeddings are not taken over; they can be made again"
	lossDocument  = "a member of the whole document, which no record carries"
)

func declared() codec.Declared {
	return codec.Declared{Reading: append(codec.MendedReasons(), lossBlank, lossDeleted, lossEmbedding, lossDocument)}
}
