package conversation

import "github.com/satchel-memory/satchel/codec"

// Losses that every export may have; a format declares those that its exports can have.
const (
	LostFile     = "a file of the export that tells of the account or repeats what is in others"
	LostOthers   = "other files and folders beside what is read of the export" // after how many
	LostElements = "elements that are of something else"                       // after how many
	LostEmpty    = "a conversation in which nothing was said"
	LostBlank    = "a note that says nothing"
)

// Unread returns, as they are declared, the losses of an export that is not written as
// JSON should be, or cannot be read in parts.
func Unread() []string { return append(codec.MendedReasons(), codec.LostUnit) }

// lostNotes is the loss of whoever reads nothing but the conversations.
const lostNotes = "memories, instructions and documents that are kept beside the conversations"

// Counted returns reasons as they are declared where a number stands before them.
func Counted(reasons ...string) []string {
	list := make([]string, len(reasons))
	for i, reason := range reasons {
		list[i] = "… " + reason
	}
	return list
}
