package basicmemory

import (
	"strings"

	"github.com/satchel-memory/satchel/codec"
	"github.com/satchel-memory/satchel/text/markdown"
	"github.com/satchel-memory/satchel/text/notebook"
)

const (
	formatName = "basicmemory"
	provider   = "basic-memory"
)

// Format returns the format of basic-memory's folders of notes.
func Format() codec.Format {
	shape := &notebook.Shape{
		Name:     formatName,
		Title:    "basic-memory (folder of Markdown notes)",
		Provider: provider,
		Rules:    notebook.Rules{UTF8: "BASICMEM-1", Front: "BASICMEM-2", Limit: "BASICMEM-7", Source: "BASICMEM-8", Draft: "BASICMEM-9"},
		Created:  []string{"created", "created_at", "date"},
		Changed:  []string{"modified", "updated", "updated_at"},
		Detect:   detect,
		Read:     read,
		Group:    group,
		Restore:  restore,
		Compose:  compose,
		Losses:   declared(),
	}
	return shape.Format()
}

// detect recognises notes by their permanent link, which the program gives to each. A
// folder is certain if half of its notes have one, and likely if one of them also has
// observations or relations.
func detect(src codec.Source) codec.Confidence {
	all, best, looked := 0, codec.No, notebook.Sample(src)
	for _, name := range looked {
		linked, says := inspect(src, name)
		if linked {
			all++
		}
		if linked && (says || src.Tree == nil) {
			best = codec.Likely
		}
	}
	if src.Tree != nil && all > 0 && 2*all >= len(looked) {
		return codec.Certain
	}
	return best
}

// inspect reports whether a note has a permanent link and a title or a type, and whether it
// has observations or relations.
func inspect(src codec.Source, name string) (linked, says bool) {
	front, body := notebook.Look(src, name)
	for line := range strings.Lines(markdown.MaskCode(body)) {
		_, observes := parseObservation(strings.TrimRight(line, "\n"))
		_, relates := parseRelation(strings.TrimRight(line, "\n"))
		says = says || observes || relates
	}
	return front.Get("permalink").Text() != "" && (front.Has("title") || front.Has("type")), says
}

// Losses besides those of every folder of notes, in the words of the report.
// docs/mapping.md lists the same.
const lossLines = "lines of a list of memories that are none: " // and their number

func declared() codec.Declared {
	return codec.Declared{Reading: []string{lossLines + "…"}}
}
