package letta

import (
	"bytes"

	"github.com/satchel-memory/satchel/codec"
)

const formatName = "letta"

// Format returns the format of Letta's agent files.
func Format() codec.Format {
	open, validate := codec.DocumentFormat(newDocument)
	return codec.Format{
		Name:       formatName,
		Title:      "Letta agent file (.af)",
		Extensions: []string{".json", ".af"},
		Detect:     detect,
		Open:       open,
		Create:     create,
		Validate:   validate,
		Placed:     true,
		Declared:   declared(),
	}
}

// detect looks for the names of members, also in a string that holds the file. The order of
// members differs, and the first agent may be longer than the head.
func detect(src codec.Source) codec.Confidence {
	if src.File == nil {
		return codec.No
	}
	head, err := src.Head()
	head = bytes.TrimLeft(head, " \t\r\n")
	if err != nil || len(head) == 0 {
		return codec.No
	}
	if head[0] == '"' {
		head = bytes.TrimLeft(bytes.ReplaceAll(bytes.ReplaceAll(head[1:], []byte(`\"`), []byte(`"`)), []byte(`\n`), []byte(" ")), " ")
	}
	if !bytes.HasPrefix(head, []byte("{")) {
		return codec.No
	}
	has := func(names ...string) bool {
		for _, name := range names {
			if !bytes.Contains(head, []byte(`"`+name+`"`)) {
				return false
			}
		}
		return true
	}
	switch {
	case has("core_memory", "agent_type"), has("core_memory", "in_context_message_indices"), has("agents", "block_ids"), has("agents", "in_context_message_ids"), has("agents", "memory_blocks"):
		return codec.Certain
	case has("agents", "blocks", "mcp_servers"), has("agents", "agent_type"):
		return codec.Likely
	}
	return codec.No
}
