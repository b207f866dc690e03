package chatgpt

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/text/conversation"
	"github.com/satchel-memory/satchel/text/pattern"
)

// mostSaved bounds the length of the saved memories that messages repeat, in bytes.
const mostSaved = 16 << 20

// repeated is the saved memories that conversations repeat to the model. They become notes
// at the end of the export, when the memories that it holds in another place are known.
type repeated struct {
	notes []conversation.Note
	at    map[string]int  // the places of the notes, by their texts
	known map[string]bool // digests of the memories that the export holds elsewhere
	size  int
}

// isSaved reports whether a message repeats the saved memories to the model.
func isSaved(m canon.Value) bool {
	return m.Get("content").Get("content_type").Text() == "model_editable_context"
}

// repeat reads the saved memories that messages on the path repeat. A memory without a date
// is dated by the first conversation that has it.
func (r *exportReader) repeat(t *tree, path []string, at time.Time) {
	for _, id := range path {
		m := t.nodes[id].Get("message")
		if !isSaved(m) {
			continue
		}
		content := m.Get("content")
		for _, member := range content.Members() {
			if !isBlank(member.Value) && (member.Name != "model_set_context" || member.Value.Type() != canon.TypeString) && member.Name != "content_type" {
				t.lost[unread]++
			}
		}
		for _, line := range numberedLines(content.Get("model_set_context").Text()) {
			if !r.repeated.take(line, cmp.Or(instant(m.Get("create_time")), at)) {
				t.lost[unread]++
			}
		}
	}
}

// isBlank reports whether a value says nothing.
func isBlank(v canon.Value) bool {
	switch v.Type() {
	case canon.TypeString:
		return strings.TrimSpace(v.Text()) == ""
	case canon.TypeArray, canon.TypeObject:
		return v.Len() == 0
	}
	return v.Type() == canon.TypeNull
}

// take adds a saved memory, once; false: there are too many.
func (r *repeated) take(line savedLine, at time.Time) bool {
	if r.at == nil {
		r.at = map[string]int{}
	}
	if !line.day.IsZero() {
		at = line.day
	}
	if i, again := r.at[line.text]; again {
		if made := r.notes[i].Made; !at.IsZero() && (made.IsZero() || at.Before(made)) {
			r.notes[i].Made = at
		}
		return true
	}
	if r.size += len(line.text); r.size > mostSaved {
		return false
	}
	r.at[line.text] = len(r.notes)
	r.notes = append(r.notes, conversation.Note{
		Kind: memory.Semantic, Text: line.text, Ref: []string{"memories", digest(line.text)}, Made: at,
	})
	return true
}

// note notes a memory that the export holds elsewhere.
func (r *repeated) note(text string) {
	if r.known == nil {
		r.known = map[string]bool{}
	}
	r.known[digest(strings.TrimSpace(text))] = true
}

// left returns the memories that the export holds nowhere else.
func (r *repeated) left() (notes []conversation.Note) {
	for _, n := range r.notes {
		if !r.known[digest(n.Text)] {
			notes = append(notes, n)
		}
	}
	return notes
}

// digest names a text.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:16])
}

// savedLine is a saved memory of a numbered list.
type savedLine struct {
	text string
	day  time.Time // zero: unknown
}

// A memory begins with its number and its day, as in "1. [2026-01-02]. User drinks tea.".
// The days may all be missing.
var (
	dayLine  = pattern.New(`(?m)^[ \t]*[0-9]+\.[ \t]*\[([0-9]{4}-[0-9]{2}-[0-9]{2})[^\]\n]*\]\.?[ \t]*`)
	bareLine = pattern.New(`(?m)^[ \t]*([0-9]+)\.[ \t]+`)
)

// numberedLines splits a numbered list into its memories. Lists within a memory stay
// there. A text without numbers is one memory.
func numberedLines(text string) (found []savedLine) {
	starts := dayLine.FindAllStringSubmatchIndex(text, -1)
	if len(starts) == 0 {
		starts = counted(text)
	}
	if len(starts) == 0 || strings.TrimSpace(text[:starts[0][0]]) != "" {
		starts = append([][]int{{0, 0, 0, 0}}, starts...)
	}
	for i, at := range starts {
		end := len(text)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		line := savedLine{text: strings.TrimSpace(text[at[1]:end])}
		if day, err := time.Parse(time.DateOnly, text[at[2]:at[3]]); err == nil {
			line.day = day
		}
		if line.text != "" {
			found = append(found, line)
		}
	}
	return found
}

// counted returns the places of the lines that are numbered 1, 2, 3 and so on.
func counted(text string) (starts [][]int) {
	for _, at := range bareLine.FindAllStringSubmatchIndex(text, -1) {
		if text[at[2]:at[3]] == strconv.Itoa(len(starts)+1) {
			starts = append(starts, at)
		}
	}
	return starts
}
