package graphiti

import "github.com/satchel-memory/satchel/codec"

// What does not survive, in the words in which it is reported. docs/mapping.md lists
// the same.
const (
	lossBlank  = "it is blank, nothing to remember"
	lossLink   = "a link without a fact says only that two nodes belong together"
	lossBare   = "an entity of which nothing is said but its name"
	lossTwice  = "it stands twice; the first counts"
	lossVector = "the numbers of an embedding are left out: a model makes them from the text"
	lossScore  = "how well it answered a search is not kept"
	lossBegin  = "valid_at is later than the fact's end, and is left out"
	lossMember = "a member of the whole document, which no record carries"
)

func declared() codec.Declared {
	return codec.Declared{Reading: append(codec.MendedReasons(), lossBlank, lossLink, lossBare, lossTwice, lossVector, lossScore, lossBegin, lossMember)}
}
