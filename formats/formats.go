// Package formats lists the memory formats that Satchel reads and writes, and finds the
// format of a document. To add a format, add a line to [All].
package formats

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/satchel-memory/satchel/aicf/mapping"
	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/engram"
	"github.com/satchel-memory/satchel/importers/basicmemory"
	"github.com/satchel-memory/satchel/importers/chatgpt"
	"github.com/satchel-memory/satchel/importers/claudeai"
	"github.com/satchel-memory/satchel/importers/claudecode"
	"github.com/satchel-memory/satchel/importers/deepseek"
	"github.com/satchel-memory/satchel/importers/engramgo"
	"github.com/satchel-memory/satchel/importers/gemini"
	"github.com/satchel-memory/satchel/importers/graphiti"
	"github.com/satchel-memory/satchel/importers/letta"
	"github.com/satchel-memory/satchel/importers/mcpmemory"
	"github.com/satchel-memory/satchel/importers/mcpmemoryservice"
	"github.com/satchel-memory/satchel/importers/mem0"
	"github.com/satchel-memory/satchel/importers/mif"
	"github.com/satchel-memory/satchel/importers/obsidian"
	"github.com/satchel-memory/satchel/importers/openmemory"
	"github.com/satchel-memory/satchel/importers/pam"
	"github.com/satchel-memory/satchel/importers/paste"
	"github.com/satchel-memory/satchel/importers/rules"
	"github.com/satchel-memory/satchel/memory"
	"github.com/satchel-memory/satchel/text/pattern"
	"github.com/satchel-memory/satchel/ump"
)

// All returns every format in the order in which Detect tries them. Formats that name
// themselves come first, then those with a shape or a name, then those that people write
// with little of either.
func All() []codec.Format { return slices.Clone(all()) }

var all = sync.OnceValue(func() []codec.Format {
	return []codec.Format{
		ump.Format(),
		ump.MarkdownFormat(),
		aimem.Format(ump.Forms()),
		engram.Format(ump.Forms()),
		mapping.Format(ump.Forms()),
		chatgpt.Format(),
		claudeai.Format(),
		deepseek.Format(),
		gemini.Format(),
		mif.Format(),
		graphiti.Format(),
		graphiti.Zep(),
		letta.Format(),
		openmemory.Format(),
		mcpmemoryservice.Format(),
		mcpmemory.Format(),
		engramgo.Format(),
		mem0.Format(),
		pam.Format(),
		claudecode.Format(),
		rules.Cursor(),
		rules.Windsurf(),
		rules.Copilot(),
		rules.Cline(),
		basicmemory.Format(),
		obsidian.Format(),
		paste.Format(),
	}
})

// ByName returns the format with a name. Its error is a [memory.Error] of kind unsupported
// that lists the names of all formats.
func ByName(name string) (codec.Format, error) {
	for _, f := range all() {
		if f.Name == name {
			return f, nil
		}
	}
	return codec.Format{}, &memory.Error{
		Kind:    memory.Unsupported,
		Message: fmt.Sprintf("no format is called %q; known are %s", name, names()),
	}
}

// Detect returns the most certain format of a source. Among equally certain formats, one
// with the extension of the source's name wins, then the first in the list. If the content
// says nothing, the name of a file such as x.ump.json or x.aicf decides, so that the user
// learns what is wrong with a broken document. Its error is a [memory.Error] of kind unsupported that lists the
// names of all formats, or says that the source is empty.
func Detect(src codec.Source) (codec.Format, error) {
	if err := empty(src); err != nil {
		return codec.Format{}, err
	}
	if best, ok := choose(all(), src); ok {
		return best, nil
	}
	if named, ok := ByExtension(src.Name); ok && (src.File != nil || named.CreateIn != nil) {
		return named, nil
	}
	return codec.Format{}, &memory.Error{
		Kind:    memory.Unsupported,
		Message: fmt.Sprintf("%q is in no format known here, or is damaged%s%s; known are %s", src.Name, damage(src), hint(src), names()),
	}
}

// Notes returns the format for a Markdown file that no format claims. A list is a list of
// memories; any other text is one note.
func Notes(src codec.Source) (codec.Format, bool) {
	ending := strings.ToLower(path.Ext(src.Name))
	if src.File == nil || ending != ".md" && ending != ".markdown" || hint(src) == "" {
		return codec.Format{}, false
	}
	head, err := src.Head()
	if err != nil {
		return codec.Format{}, false
	}
	items, others := 0, 0
	for line := range strings.Lines(string(head)) {
		switch text := strings.TrimSpace(line); {
		case text == "" || text[0] == '#' || line[0] == ' ' || line[0] == '\t':
		case listItem.MatchString(text):
			items++
		default:
			others++
		}
	}
	if items > 0 && items >= 2*others {
		return paste.Format(), true
	}
	return obsidian.Format(), true
}

var listItem = pattern.New(`^([-*+•]|[0-9]{1,9}[.)])\s+\S`)

// hint says how to import a file that may be Markdown, which looks like any text.
func hint(src codec.Source) string {
	if src.File == nil {
		return folderHint(src.Tree)
	}
	head, err := src.Head()
	text := strings.TrimSpace(string(head))
	if err != nil || text == "" || strings.ContainsAny(text[:1], "{[<\"") || strings.Contains(text, "\x00") || !isCutText(text) {
		return ""
	}
	return "; --from paste reads a list of memories, --from claudecode reads Markdown as rules"
}

// folderHint says how to import a folder that may be one of notes.
func folderHint(tree fs.FS) string {
	if tree == nil {
		return ""
	}
	for _, pattern := range []string{"*.md", "*/*.md"} {
		if found, err := fs.Glob(tree, pattern); err == nil && len(found) > 0 {
			return "; it holds Markdown: --from obsidian or --from basicmemory reads its notes"
		}
	}
	return ""
}

// isCutText reports whether a beginning is UTF-8, apart from a character cut at its end.
func isCutText(text string) bool {
	for n := range min(utf8.UTFMax, len(text)) {
		if utf8.ValidString(text[:len(text)-n]) {
			return true
		}
	}
	return false
}

func choose(list []codec.Format, src codec.Source) (best codec.Format, ok bool) {
	most, named := codec.No, false
	for _, f := range list {
		sure, fits := f.Detect(src), hasExtension(f, src.Name)
		if sure > most || sure == most && sure > codec.No && fits && !named {
			best, most, named = f, sure, fits
		}
	}
	return best, most > codec.No
}

// ByExtension returns the format that a file name's extension belongs to. An extension that
// many programs use, such as .json, belongs to none.
func ByExtension(name string) (codec.Format, bool) {
	for _, f := range all() {
		for _, ext := range f.Extensions {
			if !slices.Contains(general, ext) && strings.HasSuffix(strings.ToLower(name), ext) {
				return f, true
			}
		}
	}
	return codec.Format{}, false
}

// ByOwnName returns the format of the tool that keeps files or a folder of a path's name in
// the folder of a project, such as .cursorrules.
func ByOwnName(name string) (codec.Format, bool) {
	base := strings.ToLower(path.Base(strings.ReplaceAll(name, "\\", "/")))
	for _, f := range all() {
		if slices.ContainsFunc(f.Names, func(pattern string) bool { ok, err := path.Match(pattern, base); return ok && err == nil }) {
			return f, true
		}
	}
	return codec.Format{}, false
}

// general are the extensions that say nothing about a format.
var general = []string{".json", ".jsonl", ".ndjson", ".md", ".txt", ".html"}

func hasExtension(f codec.Format, name string) bool {
	for _, ext := range f.Extensions {
		if strings.HasSuffix(strings.ToLower(name), ext) {
			return true
		}
	}
	return false
}

// names lists the formats for people.
func names() string {
	out := make([]string, 0, len(all()))
	for _, f := range all() {
		out = append(out, f.Name)
	}
	return strings.Join(out, ", ")
}
