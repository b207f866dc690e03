package mapping

import (
	"strings"

	"github.com/satchel-memory/satchel/aicf"
	"github.com/satchel-memory/satchel/codec"
)

// holds reports whether a record of the file has a name.
func (t linksByName) holds(name string) bool { return t[name] != nil && t[name].id != "" }

// isKept reports whether an entry is a vector or a link that the record of another entry
// keeps.
func (in *recordBuilder) isKept(e aicf.Entry) bool {
	switch e := e.(type) {
	case *aicf.Link:
		return e.Type != "" && in.ties.holds(e.From)
	case *aicf.Embedding:
		return in.ties.holds(e.Entity)
	}
	return false
}

// unsaid returns what an entry says, line by line, that no record of it does: a link or the
// keywords of what is not in the file, and the lines of a state that are no fields.
func (in *recordBuilder) unsaid(e aicf.Entry) (said []string) {
	switch e := e.(type) {
	case *aicf.Link:
		if !in.isKept(e) {
			said = append(said, strings.Join(strings.Fields(e.From+" "+string(e.Type)+" "+e.To), " "))
		}
	case *aicf.Embedding:
		if !in.isKept(e) && len(e.Keywords) > 0 {
			said = append(said, e.Entity+": "+strings.Join(e.Keywords, ", "))
		}
	case *aicf.State:
		for text := range strings.Lines(e.Raw) {
			if text = strings.TrimSpace(text); text != "" && !strings.HasPrefix(text, "@") && !strings.Contains(text, "=") {
				plain, _ := aicf.Unescape(text)
				said = append(said, plain)
			}
		}
	}
	return said
}

// mostUnsaid bounds, in bytes, what the record of a file says in place of others.
const mostUnsaid = 256 << 10

// say keeps texts for the record of the file, at most mostUnsaid bytes of them, and returns
// how many bytes it keeps.
func (k *fileResidue) say(limits codec.Limits, texts []string) (kept int64) {
	most := min(mostUnsaid, limits.Text/2, int(limits.Record/8))
	for _, text := range texts {
		if k.long+len(text) >= most {
			k.more++
			continue
		}
		k.unsaid = append(k.unsaid, text)
		k.long += len(text) + 1
		kept += int64(len(text))
	}
	return kept
}
