package obsidian

import "github.com/satchel-memory/satchel/codec"

// What does not survive besides what is lost of every folder of notes, in the words in
// which it is reported. docs/mapping.md lists the same.
const lossTemplate = "not read: a template for notes"

func declared() codec.Declared {
	return codec.Declared{Reading: []string{lossTemplate}}
}
