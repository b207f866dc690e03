package claudecode

import (
	"unicode/utf8"

	"github.com/satchel-memory/satchel/codec"
)

const formatName = "claudecode"

// Format returns the format of Claude Code's memory folders and rules.
func Format() codec.Format {
	return codec.Format{
		Name:       formatName,
		Title:      "Claude Code memory notes, CLAUDE.md and AGENTS.md",
		Extensions: []string{".md"},
		Detect:     detect,
		Open:       open,
		Create:     create,
		Amends:     true,
		Beside:     true,
		CreateIn:   createIn,
		Wrote:      wrote,
		Validate:   validate,
		Declared:   declared(),
	}
}

// detect claims notes by their type. Rules are any Markdown: only their name suggests them,
// so they are possible at most, and other Markdown is not claimed.
func detect(src codec.Source) codec.Confidence {
	f := finder{folder: folder{src: src, limits: codec.Limits{}.Filled()}}
	if f.find() != nil {
		return codec.No
	}
	best := codec.No
	for _, doc := range f.documents {
		best = max(best, f.judge(doc))
	}
	return best
}

func (f *finder) judge(doc document) codec.Confidence {
	if f.folder.src.Tree != nil {
		if doc.role == aRules {
			return codec.Possible
		}
		return codec.Likely
	}
	head, err := f.folder.head("")
	switch {
	case err == nil && hasBlock(string(head)):
		return codec.Likely
	case err != nil || len(head) == 0 || !utf8.Valid(head[:len(head)-cut(head)]):
		return codec.No
	case doc.role == aNote:
		return codec.Likely
	}
	switch f.folder.src.Name {
	case "CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "MEMORY.md":
		return codec.Possible
	}
	return codec.No
}

// cut returns how many bytes of the last character a beginning may have lost.
func cut(head []byte) int {
	for n := range min(utf8.UTFMax, len(head)) {
		if utf8.RuneStart(head[len(head)-1-n]) {
			if utf8.FullRune(head[len(head)-1-n:]) {
				return 0
			}
			return n + 1
		}
	}
	return 0
}
