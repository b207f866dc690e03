package mcpmemory

import "github.com/satchel-memory/satchel/codec"

// What does not survive, in the words in which it is reported. docs/mapping.md lists
// the same.
const (
	lossBlankOnes = "blank observations, nothing to remember: " // how many
	lossGraph     = "a member of the whole graph, which no record carries"

	lossBlank   = "it is blank, nothing to remember"
	lossLong    = "an observation that is longer than may be read is left out"
	lossBare    = "an entity with observations is no memory of its own"
	lossUndated = "the graph has no dates"
	lossPrefix  = "an observation comes back with the name of its entity before it"
	lossLine    = "comes back with the entity or the relation that it is part of"
)

func declared() codec.Declared {
	return codec.Declared{
		Reading: append(codec.MendedReasons(), lossBlankOnes+"…", lossGraph),
		Writing: []string{codec.NotHeld, codec.NoPlace, lossBlank, lossLong, lossBare, lossUndated, lossPrefix, lossLine},
	}
}
