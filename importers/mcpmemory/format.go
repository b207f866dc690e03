package mcpmemory

import (
	"bytes"

	"github.com/satchel-memory/satchel/canon"
	"github.com/satchel-memory/satchel/codec"
)

const formatName = "mcpmemory"

// Format returns the format of the reference memory server's file.
func Format() codec.Format {
	return codec.Format{
		Name:       formatName,
		Title:      "MCP memory server (knowledge graph, JSON lines)",
		Extensions: []string{".jsonl", ".json"},
		Detect:     detect,
		Open:       open,
		Create:     create,
		Validate:   validate,
		Declared:   declared(),
	}
}

// detect looks at the first line, or at the beginning of the older object.
func detect(src codec.Source) codec.Confidence {
	if src.File == nil {
		return codec.No
	}
	start, err := beginning(src)
	if err != nil || len(start) == 0 || start[0] != '{' {
		return codec.No
	}
	if isGraph(start) {
		return detectGraph(start)
	}
	line, _, _ := bytes.Cut(start, []byte("\n"))
	v, err := canon.Parse(line, canon.Options{Mend: true})
	if err != nil {
		return detectCut(line)
	}
	switch v.Get("type").Text() {
	case "entity":
		return shaped(v, "name", "entityType", "observations")
	case "relation":
		return shaped(v, "from", "to", "relationType")
	}
	return codec.No
}

func shaped(v canon.Value, members ...string) codec.Confidence {
	for _, name := range members {
		if !v.Has(name) {
			return codec.No
		}
	}
	return codec.Certain
}

// detectGraph checks the older object for names that only this format has: many formats
// have entities.
func detectGraph(start []byte) codec.Confidence {
	for _, name := range []string{`"entityType"`, `"relationType"`} {
		if bytes.Contains(start, []byte(name)) {
			return codec.Likely
		}
	}
	return codec.No
}

// detectCut checks a first line that is longer than the head, or broken: the server writes
// the type first.
func detectCut(line []byte) codec.Confidence {
	for _, start := range []string{`{"type":"entity","name":`, `{"type":"relation","from":`} {
		if bytes.HasPrefix(line, []byte(start)) {
			return codec.Likely
		}
	}
	return codec.No
}

// The losses, in the words of the report. docs/mapping.md lists the same.
const (
	lossBlankOnes = "blank observations, nothing to remember: " // the number follows
	lossGraph     = "a member of the whole graph, which no record carries"

	lossBlank   = "it is blank, nothing to remember"
	lossLong    = "an observation that is longer than may be read is left out"
	lossBare    = "an entity with observations is no memory of its own"
	lossUndated = "the graph has no dates"
	lossPrefix  = "an observation comes back with the name of its entity before it"
	lossLine    = "comes back with the entity or the relation that it is part of"
)

func declared() codec.Declared {
	return codec.Declared{
		Reading: append(codec.ReadLosses(), lossBlankOnes+"…", lossGraph),
		Writing: []string{codec.NotHeld, codec.NoPlace, lossBlank, lossLong, lossBare, lossUndated, lossPrefix, lossLine},
	}
}
