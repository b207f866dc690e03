package graphiti

import (
	"bytes"

	"github.com/satchel-memory/satchel/codec"
)

const formatName = "graphiti"

// Format returns the format of dumps of Graphiti and Zep.
func Format() codec.Format {
	open, validate := codec.Opened(newDocument)
	return codec.Format{
		Name:       formatName,
		Title:      "Graphiti and Zep (nodes, edges and episodes, JSON)",
		Extensions: []string{".json"},
		Detect:     detect,
		Open:       open,
		Validate:   validate,
		Declared:   declared(),
	}
}

// marks are the names that together nobody else has: of an edge, an episode, a node, and
// of a dump of nothing.
func marks() [][]string {
	return [][]string{
		{"source_node_uuid", "target_node_uuid"},
		{"uuid", "fact", "valid_at"},
		{"uuid", "content", "source_description"},
		{"uuid", "content", "role_type"},
		{"uuid", "labels", "summary"},
		{"nodes", "edges", "episodes"},
	}
}

// detect looks for the names of members.
func detect(src codec.Source) codec.Confidence {
	if src.File == nil {
		return codec.No
	}
	head, err := src.Head()
	head = bytes.TrimLeft(head, " \t\r\n")
	if err != nil || len(head) == 0 || head[0] != '{' && head[0] != '[' {
		return codec.No
	}
	for _, names := range marks() {
		found := 0
		for _, name := range names {
			if bytes.Contains(head, []byte(`"`+name+`"`)) {
				found++
			}
		}
		if found == len(names) {
			return codec.Likely
		}
	}
	return codec.No
}
