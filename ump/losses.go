package ump

import "github.com/satchel-memory/satchel/codec"

// What does not survive, in the words in which it is reported. docs/mapping.md lists
// the same.
const (
	lossAuthored  = "the record as its author signed it is not written, only what it has become"
	lossSignature = "the record was changed after it was signed; it is written without a signature"
	lossEdited    = "the file was edited after the record was signed; it is taken as an unsigned revision of that record"
	lossOpened    = "an edited file cannot open a record to others; the revision is private until its owner says otherwise"
)

func declared() codec.Declared {
	return codec.Declared{Writing: []string{lossAuthored, lossSignature}}
}

// declaredOfFiles is declared of what people edit by hand.
func declaredOfFiles() codec.Declared {
	return codec.Declared{Reading: []string{lossEdited, lossOpened}, Writing: declared().Writing}
}
