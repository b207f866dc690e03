package graphiti

import (
	"bytes"

	"github.com/satchel-memory/satchel/codec"
)

const formatName = "graphiti"

// Format returns the format of dumps of Graphiti and Zep.
func Format() codec.Format {
	open, validate := codec.DocumentFormat(opener(formatName))
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

// marks returns sets of member names that no other format has: of an edge, an episode, a
// node, and an empty dump.
func marks() [][]string {
	return [][]string{
		{"source_node_uuid", "target_node_uuid"},
		{"uuid", "fact", "valid_at"},
		{"uuid", "content", "source_description"},
		{"uuid", "content", "role_type"},
		{"uuid", "labels", "summary"},
		{"uuid", "fact", "created_at"},
		{"relevant_facts"},
		{"session_id", "user_id", "project_uuid"},
		{"thread_id", "user_id", "project_uuid"},
		{"user_id", "first_name", "project_uuid"},
		{"messages", "role", "row_count", "total_count"},
		{"sessions", "session_id", "row_count", "total_count"},
		{"threads", "thread_id", "row_count", "total_count"},
		{"users", "user_id", "row_count", "total_count"},
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

// The losses, in the words of the report. docs/mapping.md lists the same.
const (
	lossBlank  = "it is blank, nothing to remember"
	lossLink   = "a link without a fact says only that two nodes belong together"
	lossBare   = "an entity of which nothing is said but its name"
	lossTwice  = "it stands twice; the first counts"
	lossVector = "the numbers of an embedding are left out: a model makes them from the text"
	lossScore  = "how well it answered a search is not kept"
	lossBegin  = "valid_at is later than the fact's end, and is left out"
	lossIDs    = "a session or user of which nothing is said but ids and times"
	lossMember = "a member of the whole document, which no record carries"
)

func declared() codec.Declared {
	return codec.Declared{Reading: append(codec.ReadLosses(), lossBlank, lossLink, lossBare, lossTwice, lossVector, lossScore, lossBegin, lossIDs, lossPart, lossMember)}
}
