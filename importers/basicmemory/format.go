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

// detect knows notes by the permanent link that the program gives each. A folder is
// certain where half of its notes have one, and likely where one of them has
// observations or relations, too.
func detect(src codec.Source) codec.Confidence {
	all, best, looked := 0, codec.No, notebook.Sample(src)
	for _, name := range looked {
		linked, says := judge(src, name)
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

// judge reports whether a note has a permanent link and a title or a type, and whether it
// has observations or relations.
func judge(src codec.Source, name string) (linked, says bool) {
	front, body := notebook.Look(src, name)
	for line := range strings.Lines(markdown.MaskCode(body)) {
		_, observes := observed(strings.TrimRight(line, "\n"))
		_, relates := related(strings.TrimRight(line, "\n"))
		says = says || observes || relates
	}
	return front.Get("permalink").Text() != "" && (front.Has("title") || front.Has("type")), says
}
