// Package letta reads and writes the memory in agent files of Letta: the core memory
// blocks of agents. It reads both shapes, the one of many agents,
//
//	{"agents":[{"id":"agent-0","name":"Joiner","block_ids":["block-0"],"messages":[…], …}],
//	 "blocks":[{"id":"block-0","label":"human","value":"Mara. Works with oak.","limit":20000,
//	  "read_only":false,"description":"…","metadata":{}}],
//	 "groups":[],"files":[],"sources":[],"tools":[],"mcp_servers":[],"metadata":{},
//	 "created_at":"2026-02-03T10:00:00Z"}
//
// and the older one, which is one agent:
//
//	{"agent_type":"memgpt_agent","name":"Joiner","core_memory":[{"label":"human","value":"…",
//	 "created_at":"…"}],"messages":[…],"in_context_message_indices":[0], …}
//
// also as one JSON string that holds the file.
//
// The file maps to memories as follows:
//
//	a block           its value; human is identity, persona procedural, any other label
//	                  semantic
//	the agent         scope.agent, by its name
//	created_at        time.created, the file's if the block has none; a later updated_at
//	                  time.observed
//	both              provenance.source.ref "AGENT/LABEL", so that a changed block replaces
//	                  its earlier import; "blocks/LABEL" without an agent
//	messages          a conversation, as package conversation makes records of it: the words
//	                  of the user, and the agent's answers or its texts sent with send_message
//
// The residue of a block's record, body.structured.letta, is the block without its value,
// and id and name of its agents; it includes limit, read_only, description and metadata.
//
// The writer turns a record that comes from a block into that block again, of its agents,
// with the record's present text. A record whose kind was changed, and any other record,
// becomes an item of a list, one block for each kind: human, persona, facts, events, task.
// The metadata of a list has the date of each item, so that the items come back as records.
// The first agent of the file gets the lists. If there is none, the writer makes an agent
// with Satchel's instructions and the server's defaults. Core memory is no place for
// conversations, so the writer leaves them out.
//
//	rule     what it says                                               file      vectors
//	LETTA-1  the file is one JSON object, strictly, or a string of one  read.go   json-*
//	LETTA-2  it has agents and blocks, or core_memory                   read.go   file-*
//	LETTA-3  an agent and a message are objects, names, ids and texts are strings  agent.go, message.go  agent-*, message-*
//	LETTA-4  a block has a label, and a value that is a string or null  block.go  block-*
//	LETTA-5  dates are RFC 3339, or with a blank, or without an offset in UTC  block.go  date-*
//	LETTA-6  the limits on files, records, names, texts and counts hold  read.go  limit-*
//	LETTA-7  records have an owner and a date                           read.go   (tables)
//
// Losses: see losses.go. A loss gives the name of a variable, never its value.
package letta
