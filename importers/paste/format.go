package paste

import (
	"github.com/satchel-memory/satchel/codec"
)

const formatName = "paste"

// Format returns the format of a pasted list of memories.
func Format() codec.Format {
	return codec.Format{
		Name:       formatName,
		Title:      "Pasted list of memories ([date] - memory, or a list)",
		Extensions: []string{".txt", ".md"},
		Detect:     detect,
		Open:       open,
		Create:     create,
		Validate:   validate,
		Declared:   declared(),
	}
}

// The losses, in the words of the report. docs/mapping.md lists the same. A count follows
// one that ends in a colon.
const (
	lossChatter = "lines that belong to no entry: "
	lossEmpty   = "an entry without text: nothing to remember"
	lossDate    = "not a date as YYYY-MM-DD or RFC 3339; it is kept as written, and the record is dated by the file"

	lossText    = "blank space around a text, at the ends of its lines and in lines of its own, is not kept, nor are line ends other than LF"
	lossKind    = "an entry is about the user, an instruction or something else: the kind shows as one of these"
	lossUndated = "the list that it came from does not date it, or no list can; nor does this one"
	lossBlank   = "a text of blank space alone: nothing to write"
	lossUnread  = "it would not be read again: it is left out"
)

func declared() codec.Declared {
	return codec.Declared{
		Reading: []string{codec.LostUnit, lossChatter + "…", lossEmpty, lossDate},
		Writing: []string{codec.NotHeld, codec.NoPlace, lossText, lossKind, lossUndated, lossBlank, lossUnread},
	}
}
