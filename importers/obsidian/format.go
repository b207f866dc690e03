package obsidian

import (
	"io/fs"
	"strings"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/text/markdown"
	"github.com/satchel-memory/satchel/text/notebook"
	"github.com/satchel-memory/satchel/text/pattern"
)

const (
	formatName = "obsidian"
	provider   = "obsidian"
)

// Format returns the format of Obsidian's vaults.
func Format() codec.Format {
	shape := &notebook.Shape{
		Name:     formatName,
		Title:    "Obsidian vault (folder of Markdown notes)",
		Provider: provider,
		Rules:    notebook.Rules{UTF8: "OBSIDIAN-1", Front: "OBSIDIAN-2", Limit: "OBSIDIAN-7", Source: "OBSIDIAN-8", Draft: "OBSIDIAN-9"},
		Created:  []string{"created", "date created", "created_at", "creation date", "date"},
		Changed:  []string{"modified", "updated", "date modified", "updated_at", "modification date"},
		Detect:   detect,
		Leave:    leave,
		Read:     read,
		Group:    group,
		Restore:  notebook.Rejoin(formatName, words),
		Compose:  compose,
		Losses:   declared(),
	}
	return shape.Format()
}

// detect recognises a vault by its folder of settings. Without it, and for a single file,
// it recognises Satchel's own notes by their mark, and others by spellings that only this
// program uses.
func detect(src codec.Source) codec.Confidence {
	if src.Tree != nil {
		if info, err := fs.Stat(src.Tree, settings); err == nil && info.IsDir() {
			return codec.Certain
		}
	}
	best := codec.No
	for _, name := range notebook.Sample(src) {
		best = max(best, noteConfidence(src, name))
	}
	return best
}

// noteConfidence looks at the beginning of a note.
func noteConfidence(src codec.Source, name string) codec.Confidence {
	front, body := notebook.Look(src, name)
	switch {
	case front.Has("permalink"):
		return codec.No // of basic-memory
	case strings.HasPrefix(front.Get(markdown.WrittenBy).Text(), markdown.Satchel) && front.Has("kind"):
		return codec.Likely
	}
	marks := 0
	plain := masked(body)
	for _, mark := range clearMarks {
		if mark.MatchString(plain) {
			marks++
		}
	}
	if front.Has("aliases") || front.Has("cssclasses") {
		marks++
	}
	if marks >= 2 {
		return codec.Possible
	}
	return codec.No
}

// clearMarks are spellings that other programs do not use: links between notes, embedded
// ones, names of blocks, fields, callouts.
var clearMarks = [...]*pattern.Pattern{
	pattern.New(`(?:^|[^!])\[\[[^\[\]\n]+\]\]`),
	pattern.New(`!\[\[[^\[\]\n]+\]\]`),
	pattern.New(`(?m)(?:^|\s)\^[0-9A-Za-z-]+$`),
	pattern.New(`(?m)^\s*(?:[-*] )?[\pL\pN][\pL\pN _-]*::[ \t]`),
	pattern.New(`(?m)^> ?\[![a-zA-Z-]+\]`),
}

// Losses besides those of every folder of notes, in the words of the report.
// docs/mapping.md lists the same.
const lossTemplate = "not read: a template for notes"

func declared() codec.Declared {
	return codec.Declared{Reading: []string{lossTemplate}}
}
