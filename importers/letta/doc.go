// Package letta reads and writes the agent files of Letta, as far as they hold memory: the
// core memory blocks of agents. Both shapes are read, the one of many agents,
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
// What becomes of it:
//
//	a block           its value; human is identity, persona procedural, any other label
//	                  semantic
//	the agent         scope.agent, by its name
//	created_at        time.created, the file's where the block has none; a later updated_at
//	                  time.observed
//	both              provenance.source.ref "AGENT/LABEL", so that a block that has changed
//	                  replaces what was imported of it before; "blocks/LABEL" of no agent
//	messages          a conversation, as package conversation makes records of it: what
//	                  the user said and what the agent answered, or sent with send_message
//
// The residue of a block's record, body.structured.letta, is the block without its value, and id
// and name of the agents that have it: limit, read_only, description and metadata are there.
//
// On the way back a record that came from a block becomes that block again, of its agents,
// with what it says now; one whose kind was changed, and any other record, becomes an item of
// a list, one block for each kind: human, persona, facts, events, task. The metadata of a list
// says when each item was made, so that it comes back as records. The first agent of the
// file has the lists, or one that is made for them, with instructions of ours and what the
// server chooses by itself. Core memory is no place for conversations: they are left out.
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
// Losses: see losses.go. Of variables the names are told, never what they hold.
package letta
