package mif

import "github.com/satchel-memory/satchel/codec"

// What does not survive, in the words in which it is reported. docs/mapping.md lists
// the same.
const (
	lossBlank     = "a memory without content, nothing to remember"
	lossVector    = "the numbers of an embedding are left out: a model makes them from the text"
	lossEnd       = "a relationship with an entity that is not in the graph"
	lossExport    = "when and for whom the export was made, and its checksum, of which the format does not say what it covers"
	lossVendor    = "what a vendor keeps beside the memories, which no record carries"
	lossMember    = "a member of the whole document, which no record carries"
	lossGenerator = "the version of the program that made the export"
)

func declared() codec.Declared {
	return codec.Declared{Reading: append(codec.MendedReasons(), lossBlank, lossVector, lossEnd, lossExport, lossVendor, lossMember, lossGenerator)}
}
