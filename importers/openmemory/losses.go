package openmemory

import "github.com/satchel-memory/satchel/codec"

// What does not survive, in the words in which it is reported. docs/mapping.md lists
// the same.
const (
	lossBlank    = "it is blank, nothing to remember"
	lossDeleted  = "it was deleted"
	lossState    = "it is in a state that is not known here, and left out"
	lossCategory = "a category that the export does not name"
	lossApp      = "an app that the export does not name"
	lossNames    = "of apps and categories only the names are taken over"
	lossMember   = "a member of the whole export, which no record carries"
)

func declared() codec.Declared {
	return codec.Declared{Reading: append(codec.MendedReasons(), lossBlank, lossDeleted, lossState, lossCategory, lossApp, lossNames, lossMember)}
}
