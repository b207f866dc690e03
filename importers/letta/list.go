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
// Its metadata says so, of which kind they are, and when each was made:
//
//	{"satchel_list":{"kind":"semantic","created":["2026-02-03T10:00:00Z","…"]}}

const (
	listMember = "satchel_list"
	bullet     = "- "
	indent     = "  "
)

// listed is what the metadata of a list says.
type listed struct {
	kind  memory.Kind
	dates []time.Time // of the items; nil: not said so that it can be read
}

// listIn reports whether a block is a list, and of what.
func listIn(block canon.Value) (l listed, ok bool) {
	v := block.Get("metadata").Get(listMember)
	l.kind = memory.Kind(v.Get("kind").Text())
	if !l.kind.Valid() {
		return l, false
	}
	for _, s := range v.Get("created").Items() {
		at, ok := codec.Instant(s.Text())
		if !ok {
			return listed{kind: l.kind}, true
		}
		l.dates = append(l.dates, at)
	}
	return l, true
}

// metadata says that a block is a list.
func (l listed) metadata() canon.Value {
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

// split takes a list apart. What an agent put between or before the items without a
// bullet belongs to the item before it, or is one.
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
