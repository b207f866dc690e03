package openmemory

import (
	"bytes"
	"io"
	"io/fs"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

const formatName = "openmemory"

// Format returns the format of OpenMemory's backup.
func Format() codec.Format {
	return codec.Format{
		Name:       formatName,
		Title:      "OpenMemory (backup)",
		Extensions: []string{".jsonl", ".json"},
		Detect:     detect,
		Open:       open,
		Validate:   validate,
		Declared:   declared(),
	}
}

// detect looks at the beginning of the file, or of the file to read in a folder.
func detect(src codec.Source) codec.Confidence {
	if src.Tree == nil {
		return detectFile(src)
	}
	name, err := find(src.Tree)
	if err != nil {
		return codec.No
	}
	in, err := src.Tree.Open(name)
	if err != nil {
		return codec.No
	}
	defer in.Close()
	lines, err := unpacked(in, name)
	if err != nil {
		return codec.No
	}
	head := make([]byte, codec.HeadSize)
	n, _ := io.ReadFull(lines, head) // a shorter file is fine
	return detectFile(codec.Source{File: bytes.NewReader(head[:n]), Size: int64(n)})
}

func detectFile(src codec.Source) codec.Confidence {
	head, ok := src.ObjectHead()
	if !ok {
		return codec.No
	}
	if isTables(head) {
		return codec.Likely
	}
	if isLine(head) {
		return codec.Likely
	}
	return codec.No
}

// isLine reports whether a document begins with a line that is a memory.
func isLine(head []byte) bool {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	v, err := canon.Parse(line, canon.Options{Bytes: codec.HeadSize, Mend: true})
	if err != nil {
		return false
	}
	for _, name := range []string{"id", "content", "state", "app", "categories"} {
		if !v.Has(name) {
			return false
		}
	}
	return true
}

// isTables reports whether a document begins as the export of the tables does.
func isTables(head []byte) bool {
	for _, name := range []string{"user", "user_id", "apps", "categories", "memories"} {
		if !bytes.Contains(head, []byte(`"`+name+`"`)) {
			return false
		}
	}
	return true
}

// find returns the file to read in a folder, or in the only subfolder that has such a file.
func find(tree fs.FS) (string, error) {
	for _, base := range []string{"memories.json", "memories.jsonl", "memories.jsonl.gz"} {
		for _, pattern := range []string{base, "*/" + base} {
			if found, err := fs.Glob(tree, pattern); err != nil || len(found) == 1 {
				return found[0], err
			}
		}
	}
	return "", fs.ErrNotExist
}

// The losses, in the words of the report. docs/mapping.md lists the same.
const (
	lossBlank    = "it is blank, nothing to remember"
	lossDeleted  = "it was deleted"
	lossState    = "it is in a state that is not known here, and left out"
	lossCategory = "a category that the export does not name"
	lossApp      = "an app that the export does not name"
	lossNames    = "of apps and categories only the names are taken over"
	lossMember   = "a member of the whole export, which no record carries"
)

func declared() codec.Declared {
	return codec.Declared{Reading: append(codec.ReadLosses(), lossBlank, lossDeleted, lossState, lossCategory, lossApp, lossNames, lossMember)}
}
