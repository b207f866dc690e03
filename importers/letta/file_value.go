package letta

import (
	"time"
	"unicode/utf8"

	"github.com/satchel-memory/satchel/canon"
)

// value returns the file as JSON.
func (f *file) value() canon.Value {
	var agents, blocks []canon.Value
	for _, a := range f.agents {
		agents = append(agents, a.value())
	}
	for _, b := range f.blocks {
		blocks = append(blocks, b.withText())
	}
	none := canon.Array()
	v := canon.Object(
		canon.Member{Name: "agents", Value: canon.Array(agents...)},
		canon.Member{Name: "groups", Value: none},
		canon.Member{Name: "blocks", Value: canon.Array(blocks...)},
		canon.Member{Name: "files", Value: none},
		canon.Member{Name: "sources", Value: none},
		canon.Member{Name: "tools", Value: none},
		canon.Member{Name: "mcp_servers", Value: none},
		canon.Member{Name: "metadata", Value: canon.Object()},
	)
	if !f.made.IsZero() {
		v = v.With("created_at", canon.String(f.made.UTC().Format(time.RFC3339Nano)))
	}
	return v
}

// withText returns the block with the texts of its records.
func (b *block) withText() canon.Value {
	text := b.records[0].Body.Text
	if b.list != nil {
		texts := make([]string, len(b.records))
		for i, r := range b.records {
			texts[i] = r.Body.Text
		}
		text = join(texts)
	}
	v := b.value.With("value", canon.String(text))
	length := utf8.RuneCountInString(text)
	switch limit := v.Get("limit"); {
	case b.list != nil:
		v = v.With("limit", canon.Int(int64(max(length, shortest))))
	case limit.Type() == canon.TypeNumber && float64(length) > limit.Float(), limit.Type() != canon.TypeNumber && length > shortest:
		v = v.With("limit", canon.Int(int64(length)))
	}
	return v
}

// value returns an agent as JSON. Its only message is its instructions: nobody can talk to
// an agent without any message.
func (a *holder) value() canon.Value {
	ids := make([]canon.Value, len(a.blocks))
	for i, id := range a.blocks {
		ids[i] = canon.String(id)
	}
	told := "message-" + a.id
	v := canon.Object(
		canon.Member{Name: "id", Value: canon.String(a.id)},
		canon.Member{Name: "name", Value: canon.String(a.name)},
		canon.Member{Name: "memory_blocks", Value: canon.Array()},
		canon.Member{Name: "block_ids", Value: canon.Array(ids...)},
		canon.Member{Name: "in_context_message_ids", Value: canon.Array(canon.String(told))},
		canon.Member{Name: "messages", Value: canon.Array(canon.Object(
			canon.Member{Name: "type", Value: canon.String("message")},
			canon.Member{Name: "id", Value: canon.String(told)},
			canon.Member{Name: "role", Value: canon.String("system")},
			canon.Member{Name: "content", Value: canon.Array(canon.Object(
				canon.Member{Name: "type", Value: canon.String("text")},
				canon.Member{Name: "text", Value: canon.String(instructions)}))},
			canon.Member{Name: "agent_id", Value: canon.String(a.id)}))},
		canon.Member{Name: "files_agents", Value: canon.Array()},
	)
	for _, m := range ownSettings().Members() {
		v = v.With(m.Name, m.Value)
	}
	return v
}

// ownSettings returns the settings of an agent that Satchel makes. The server chooses the
// rest.
func ownSettings() canon.Value {
	return canon.Object(
		canon.Member{Name: "system", Value: canon.String(instructions)},
		canon.Member{Name: "tool_ids", Value: canon.Array()},
		canon.Member{Name: "source_ids", Value: canon.Array()},
		canon.Member{Name: "tags", Value: canon.Array()},
		canon.Member{Name: "include_base_tools", Value: canon.Bool(true)},
	)
}
