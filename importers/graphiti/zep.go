package graphiti

import (
	"bytes"

	"github.com/satchel-memory/satchel/codec"
)

const zepName = "zep"

// Zep returns the format of what Zep takes: requests to its graph-batch, one on each line.
// It reads everything that [Format] reads, too.
func Zep() codec.Format {
	open, validate := codec.DocumentFormat(opener(zepName))
	return codec.Format{
		Name:       zepName,
		Title:      "Zep episodes (graph-batch, JSON, JSON lines)",
		Extensions: []string{".zep.jsonl", ".zep.json"},
		Detect:     detectZep,
		Open:       open,
		Create:     create,
		Validate:   validate,
		Declared:   declaredZep(),
	}
}

// detectZep looks for episodes that have data instead of a content.
func detectZep(src codec.Source) codec.Confidence {
	if src.File == nil {
		return codec.No
	}
	head, err := src.Head()
	head = bytes.TrimLeft(head, " \t\r\n")
	has := func(name string) bool { return bytes.Contains(head, []byte(`"`+name+`"`)) }
	switch {
	case err != nil || len(head) == 0 || head[0] != '{':
	case bytes.Equal(bytes.TrimSpace(head), []byte(nothingYet)):
		return codec.Likely
	case has("episodes") && has("data") && has("type") && !has("uuid"):
		return codec.Likely
	case has("items") && (has("graph_episode") || has("thread_message")):
		return codec.Likely
	}
	return codec.No
}

// nothingYet is a request without episodes.
const nothingYet = `{"episodes":[]}`

// The losses of Zep's own, in the words of the report. docs/mapping.md lists the same.
const (
	lossPart  = "a part of an episode whose other parts are missing"
	lossUnfit = "a memory that Satchel could not read back is left out"
)

func declaredZep() codec.Declared {
	read := declared()
	return codec.Declared{
		Reading: read.Reading,
		Writing: []string{codec.NotHeld, codec.NoPlace, lossBlank, lossUnfit},
	}
}
