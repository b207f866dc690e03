package codec

import (
	"fmt"

	"github.com/satchel-memory/satchel/memory"
)

// Loss says that something did not survive a decoding or an encoding. Losses
// are results: a member that vanishes without one is a defect.
type Loss struct {
	ID      memory.ID `json:"id,omitempty"`      // the record it concerns, if any
	Pointer string    `json:"pointer,omitempty"` // JSON Pointer, or "line:12" in a text format
	Reason  string    `json:"reason"`            // what was lost, and why
}

// String renders the loss in one line.
func (l Loss) String() string {
	return fmt.Sprintf("%s %s: %s", l.ID, l.Pointer, l.Reason)
}
