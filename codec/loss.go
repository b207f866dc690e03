package codec

import (
	"fmt"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/memory"
)

// Loss says that a conversion could not keep something. Losses are results: a member that
// vanishes without one is a defect.
type Loss struct {
	ID      memory.ID `json:"id,omitempty"`      // the record it concerns, if any
	Pointer string    `json:"pointer,omitempty"` // JSON Pointer, or "line:12" in a text format
	Reason  string    `json:"reason"`            // what was lost, and why
}

// String renders the loss in one line.
func (l Loss) String() string {
	return fmt.Sprintf("%s %s: %s", l.ID, l.Pointer, l.Reason)
}

// Declared lists all losses that a format may report, with the words of the report. An … in
// them stands for a name, a number or words of the document.
type Declared struct {
	Reading []string
	Writing []string
}

// Covers reports whether a loss is declared, or is a count of declared losses: see
// [LossList].
func (d Declared) Covers(l Loss) bool {
	_, counted := Counts(l.Reason)
	declares := func(words string) bool { return matches(words, l.Reason) || matches(words, counted) }
	return counted == LostMore || slices.ContainsFunc(d.Reading, declares) || slices.ContainsFunc(d.Writing, declares)
}

// matches reports whether a reason has these words.
func matches(words, reason string) bool {
	parts := strings.Split(words, "…")
	first, last := parts[0], parts[len(parts)-1]
	if len(parts) == 1 {
		return reason == words
	}
	rest, ok := strings.CutPrefix(reason, first)
	if !ok {
		return false
	}
	for _, part := range parts[1 : len(parts)-1] {
		if _, rest, ok = strings.Cut(rest, part); !ok {
			return false
		}
	}
	return strings.HasSuffix(rest, last)
}
