package paste

import "github.com/satchel-memory/satchel/codec"

// What does not survive, in the words in which it is reported. docs/mapping.md lists the
// same. One that ends in a colon is followed by a count.
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
		Reading: []string{lossChatter + "…", lossEmpty, lossDate},
		Writing: []string{codec.NotHeld, codec.NoPlace, lossText, lossKind, lossUndated, lossBlank, lossUnread},
	}
}
