package conversation

import (
	"fmt"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

// Losses that every export may have. A format declares those that its exports can have,
// besides [codec.ReadLosses].
const (
	LostFile     = "not read: another file of the export"
	lostOthers   = "other files and folders beside what is read of the export" // after their number, and before some of their names
	LostElements = "elements that are of something else"                       // after their number
	LostEmpty    = "a conversation in which nothing was said"
	LostBlank    = "a note that says nothing"
	LostDate     = "a conversation of which nothing says when it was held: it is dated by its file"
	LostAnyDate  = "a conversation of which nothing says when it was held, and that no file dates: it is dated to when it was read"
)

// LostBadDate is the loss of a conversation that has an unreadable date alone.
const LostBadDate = "a conversation of which the dates cannot be read: it is dated by its file, or to when it was read"

// lostNotes is the loss of a reader that yields conversations only.
const lostNotes = "memories, instructions and documents that are kept beside the conversations"

// Others is lostOthers as formats declare it.
const Others = "… " + lostOthers + ": …"

// Tally counts the elements of an export that lose something, and keeps the place of the
// first.
type Tally struct {
	count int
	first string
}

// Counting wraps take. It counts an element if take sets more.
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

// Lost returns the loss of the counted elements, or nothing if there are none.
func (t *Tally) Lost(reason string) []codec.Loss {
	if t.count == 0 {
		return nil
	}
	return []codec.Loss{{Pointer: t.first, Reason: fmt.Sprintf("%d %s", t.count, reason)}}
}

// Counted returns reasons as formats declare them with a number before.
func Counted(reasons ...string) []string {
	list := make([]string, len(reasons))
	for i, reason := range reasons {
		list[i] = "… " + reason
	}
	return list
}
