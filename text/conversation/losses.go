package conversation

import (
	"fmt"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// Losses that every export may have; a format declares those that its exports can have.
const (
	LostFile     = "a file of the export that tells of the account or repeats what is in others"
	LostOthers   = "other files and folders beside what is read of the export" // after how many, and before the names of some
	LostElements = "elements that are of something else"                       // after how many
	LostEmpty    = "a conversation in which nothing was said"
	LostBlank    = "a note that says nothing"
)

// Unread returns, as they are declared, the losses of an export that is not written as
// JSON should be, or cannot be read in parts.
func Unread() []string { return append(codec.MendedReasons(), codec.LostUnit) }

// lostNotes is the loss of whoever reads nothing but the conversations.
const lostNotes = "memories, instructions and documents that are kept beside the conversations"

// Others is LostOthers as it is declared.
const Others = "… " + LostOthers + ": …"

// Tally counts the elements of an export of which something is lost, and knows where the
// first stands.
type Tally struct {
	count int
	first string
}

// Counting lets take read an element, and counts it if more was set meanwhile.
func (t *Tally) Counting(more *bool, take func(*Export, canon.Value) (Item, error)) func(*Export, canon.Value) (Item, error) {
	return func(e *Export, v canon.Value) (Item, error) {
		*more = false
		item, err := take(e, v)
		if err == nil && *more {
			if t.count++; t.count == 1 {
				t.first = e.At("")
			}
		}
		return item, err
	}
}

// Lost says how many elements were counted; nothing, if none was.
func (t *Tally) Lost(reason string) []codec.Loss {
	if t.count == 0 {
		return nil
	}
	return []codec.Loss{{Pointer: t.first, Reason: fmt.Sprintf("%d %s", t.count, reason)}}
}

// Counted returns reasons as they are declared where a number stands before them.
func Counted(reasons ...string) []string {
	list := make([]string, len(reasons))
	for i, reason := range reasons {
		list[i] = "… " + reason
	}
	return list
}
