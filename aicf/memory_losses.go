package aicf

import "github.com/satchel-memory/satchel/codec"

// What does not survive between files and records, in the words in which it is reported.
// docs/mapping.md lists the same.
const (
	lossTemporary = "temporary state is not kept"
	lossBlank     = "an insight without a text makes no record"
	lossVector    = "the vector is left out: the file has more of them than are held at a time"
	lossLarge     = "the file is too large for its order, its links and what the format does not know to be kept beside its records"
	lossDialect   = "how the file was written: its dialect has no parts that could be kept apart, so that it will be written anew, as 3.1"
	lossRide      = "the record that rides along is none that can be read"
	lossTampered  = "the record that rides along was changed after it was signed"
	lossOverruled = "the record that rides along no longer says what the file says; what the file says counts"
	lossConsent   = "its owner allows no export"
	lossAuthored  = "the record is written as it is now, and not as it was authored"
	lossUnsigned  = "a record without a document cannot be verified: what it says of its integrity is left out"
)

func declared() codec.Declared {
	return codec.Declared{
		Reading: []string{lossTemporary, lossBlank, lossVector, lossLarge, lossDialect, lossRide, lossTampered, lossOverruled},
		Writing: []string{lossConsent, lossAuthored, lossUnsigned},
	}
}
