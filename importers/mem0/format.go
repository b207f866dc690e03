package mem0

import (
	"bytes"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/text/pattern"
)

const formatName = "mem0"

// Format returns the format of Mem0's answers.
func Format() codec.Format {
	open, validate := codec.DocumentFormat(newDocument)
	return codec.Format{
		Name:       formatName,
		Title:      "Mem0 memories (JSON)",
		Extensions: []string{".json"},
		Detect:     detect,
		Open:       open,
		Create:     create,
		Validate:   validate,
		Declared:   declared(),
	}
}

// listStart finds the beginning of a list of items in an object.
var listStart = pattern.New(`"(?:results|memories|items)"\s*:\s*\[`)

// detect looks at the first item.
func detect(src codec.Source) codec.Confidence {
	if src.File == nil {
		return codec.No
	}
	head, err := src.Head()
	head = bytes.TrimLeft(head, " \t\r\n")
	if err != nil || len(head) == 0 {
		return codec.No
	}
	list := ""
	if head[0] == '{' {
		at := listStart.Regexp().FindIndex(head)
		if at == nil {
			return codec.No
		}
		if head[at[0]+1] == 'r' && emptyResults(head) {
			return codec.Likely
		}
		list, _, _ = strings.Cut(string(head[at[0]+1:at[1]]), `"`)
		head = head[at[1]-1:]
	}
	if head[0] != '[' {
		return codec.No
	}
	raw, err := canon.NewElements(bytes.NewReader(head), canon.Options{Bytes: codec.HeadSize, Mend: true}).Next()
	if err != nil {
		return cut(head)
	}
	v, err := canon.Parse(raw, canon.Options{Bytes: codec.HeadSize, Mend: true})
	if err != nil {
		return codec.No
	}
	return itemConfidence(list, v)
}

// emptyResults reports whether a document is empty in the writer's own form.
func emptyResults(head []byte) bool {
	v, err := canon.Parse(head, canon.Options{Bytes: codec.HeadSize, Mend: true})
	return err == nil && v.Get("results").Len() == 0 && !slices.ContainsFunc(v.Members(), func(m canon.Member) bool {
		return m.Name != "results" && m.Name != "relations"
	})
}

// itemConfidence says how certain it is that an item of a list with a name is one of Mem0.
// Mem0's own name for a text makes it certain. Under another name, the item must have
// Mem0's words for its owner and no words of other formats; or it must be among memories,
// with an id, in Mem0's words alone.
func itemConfidence(list string, v canon.Value) codec.Confidence {
	if data := v.Get("data"); data.Type() == canon.TypeObject && data.Len() == 1 {
		v = v.Without("data").With("memory", data.Get("memory"))
	}
	has := func(name string) bool { return v.Has(name) }
	switch {
	case slices.ContainsFunc([]string{"content_hash", "ump", "state", "mapping"}, has):
		return codec.No
	case v.Get("memory").Type() == canon.TypeString && slices.ContainsFunc([]string{"id", "hash", "user_id", "created_at", "metadata"}, has):
		return codec.Likely
	case v.Get("memory").Type() == canon.TypeString:
		return codec.Possible
	case has("role"): // a message
		return codec.No
	case textMember(v) != "" && slices.ContainsFunc([]string{"user_id", "agent_id", "run_id"}, has):
		return codec.Possible
	case list == "memories" && textMember(v) != "" && has("id") && !slices.ContainsFunc(v.Members(), isOthers):
		return codec.Possible
	}
	return codec.No
}

// isOthers reports whether Mem0 has no such member.
func isOthers(m canon.Member) bool {
	return !slices.Contains(members(), m.Name) && !slices.Contains([]string{"text", "data", "content"}, m.Name)
}

// cut judges a first item that is longer than the head, or broken.
func cut(head []byte) codec.Confidence {
	if len(head) > codec.HeadSize/2 && bytes.Contains(head, []byte(`"memory"`)) && bytes.Contains(head, []byte(`"id"`)) {
		return codec.Possible
	}
	return codec.No
}

// The losses, in the words of the report. docs/mapping.md lists the same.
const (
	lossBlank    = "it is blank, nothing to remember"
	lossDeleted  = "it was deleted"
	lossScore    = "how well it answered a search is not kept"
	lossDocument = "a member of the whole document, which no record carries"
	lossUndated  = "neither a relation nor a memory that had none gets a date"
	lossLong     = "a memory that is larger than may be read is left out"
)

func declared() codec.Declared {
	return codec.Declared{
		Reading: append(codec.ReadLosses(), lossBlank, lossDeleted, lossScore, lossDocument),
		Writing: []string{codec.NotHeld, codec.NoPlace, lossBlank, lossUndated, lossLong},
	}
}
