package basicmemory

import "github.com/satchel-memory/satchel/codec"

// What does not survive besides what is lost of every folder of notes, in the words in
// which it is reported. docs/mapping.md lists the same.
const lossLines = "lines of a list of memories that are none: " // and their number

func declared() codec.Declared {
	return codec.Declared{Reading: []string{lossLines + "…"}}
}
