package letta

import (
	"strings"
	"time"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/memory"
)

// A block may hold several memories, as a list:
//
//   - Prefers oak
//   - Keeps bees.
//     They are black.
//
// Its metadata gives their kind and the date of each:
//
//	{"satchel_list":{"kind":"semantic","created":["2026-02-03T10:00:00Z","…"]}}

const (
	listMember = "satchel_list"
	bullet     = "- "
	indent     = "  "
)

// listMetadata is the metadata of a list.
type listMetadata struct {
	kind  memory.Kind
	dates []time.Time // of the items; nil: missing or unreadable
}

// listIn reports whether a block is a list, and returns its metadata.
func listIn(block canon.Value) (l listMetadata, ok bool) {
	v := block.Get("metadata").Get(listMember)
	l.kind = memory.Kind(v.Get("kind").Text())
	if !l.kind.Valid() {
		return l, false
	}
	for _, s := range v.Get("created").Items() {
		at, ok := codec.Instant(s.Text())
		if !ok {
			return listMetadata{kind: l.kind}, true
		}
		l.dates = append(l.dates, at)
	}
	return l, true
}

// metadata returns the metadata that makes a block a list.
func (l listMetadata) metadata() canon.Value {
	dates := make([]canon.Value, len(l.dates))
	for i, at := range l.dates {
		dates[i] = canon.String(at.UTC().Format(time.RFC3339Nano))
	}
	return canon.Object(canon.Member{Name: listMember, Value: canon.Object(
		canon.Member{Name: "kind", Value: canon.String(string(l.kind))},
		canon.Member{Name: "created", Value: canon.Array(dates...)})})
}

// join makes a list of texts.
func join(texts []string) string {
	var b strings.Builder
	for i, text := range texts {
		if i > 0 {
			b.WriteString("\n")
		}
		b.WriteString(bullet + strings.ReplaceAll(text, "\n", "\n"+indent))
	}
	return b.String()
}

// split splits a list into texts. A line without a bullet, which an agent added, belongs to
// the item before it, or is an item itself at the beginning.
func split(value string) (texts []string) {
	if value == "" {
		return nil
	}
	for line := range strings.SplitSeq(value, "\n") {
		item, begins := strings.CutPrefix(line, bullet)
		if begins || len(texts) == 0 {
			texts = append(texts, item)
			continue
		}
		texts[len(texts)-1] += "\n" + strings.TrimPrefix(line, indent)
	}
	return texts
}
