package claudecode

import "github.com/satchel-memory/satchel/codec"

// The losses, in the words of the report. docs/mapping.md lists the same. A count follows
// those that end in a colon.
const (
	lossComments = "comments: "
	lossHollow   = "headings with nothing under them: "
	lossItems    = "empty list items: "
	lossFront    = "front matter of rules, such as the files that they are for"
	lossEmpty    = "an empty note: nothing to remember"
	lossPointed  = "a note the index points to is not there: what the line says is taken instead"
	lossHook     = "a line of the index says of a note what the note does not say: it is not kept"
	lossProject  = "which project these notes belong to: the folder's name does not say it; import this folder alone and name the project"
	lossUnopened = "not read: it is a link that leads out of the folder, or closed to this program"
	lossOther    = "not a note: only Markdown files in the memory folder itself are read"
	lossSingle   = "an import, which a single file does not come with; name the folder to follow it"
	lossOutside  = "an import from outside the folder"
	lossNothing  = "an import that names no file in the folder"
	lossDeep     = "an import that lies more than 5 imports deep"
	lossBinary   = "an imported file that is not text"
	lossBelow    = "rules of a folder in the project: import that folder by its name to read them"
	lossSessions = "transcripts of sessions, which are not read: "
	lossWithin   = "lines between the marks that are no memory: "

	lossText   = "line ends other than LF, and blank space around a text, are not kept"
	lossDate   = "a note has no date: it is dated by its file"
	lossKind   = "a note is about the user, a rule or a fact: the kind shows as one of these"
	lossScope  = "of which project it is: the folder or the file is the project's own; name it when it is read"
	lossBlank  = "a text of blank space alone: nothing to write"
	lossTaken  = "a note of this name is there which says something else: it is left alone; import or remove it first"
	lossSame   = "another memory is this note already, word for word"
	lossIndex  = "the index is longer than the 200 lines that an assistant reads of it"
	lossRoom   = "no room: the block holds 32 KiB, identity and rules first"
	lossUnread = "it would not be read again: it is left out"
)

func declared() codec.Declared {
	return codec.Declared{
		Reading: []string{
			lossComments + "…", lossHollow + "…", lossItems + "…", lossFront, lossEmpty, lossPointed, lossHook, lossProject,
			lossUnopened, lossOther, lossSingle, lossOutside, lossNothing, lossDeep, lossBinary, lossBelow, lossSessions + "…", lossWithin + "…",
			codec.LostUnit,
		},
		Writing: []string{
			codec.NotHeld, codec.NoPlace, lossText, lossDate, lossKind, lossScope, lossBlank, lossTaken, lossSame, lossIndex, lossRoom, lossUnread,
		},
	}
}
