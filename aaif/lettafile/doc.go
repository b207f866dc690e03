// Package lettafile reads the agents of Letta's agent files (.af) as definitions of AAIF
// (SC-006 3.4.0). Package importers/letta reads the memory that such files hold.
//
// Both shapes are read: {"agents":[…],"blocks":[…],"tools":[…]}, and the older one, which
// is one agent with core_memory and tools of its own; also as one JSON string that holds
// the file. One agent becomes a definition; what else is in the file is listed.
//
//	agent                                      definition
//	name, description, system, tags            agent.name, .description, .instructions, tags
//	llm_config, model, model_settings          agent.model
//	response_format                            agent.model.response_format
//	tools, by json_schema                      agent.tools of protocol function; of external_mcp: mcp
//	memory blocks: label, value                agent.memory[] of scope user: key, content
//	requires_approval of tools and tool rules  agent.compliance.human_in_the_loop
//	created_at                                 provenance.created_at
//
// Source code is never taken over, let alone run: a tool is what its schema says. Tools of
// Letta's own server are reported and left out. Memory becomes that of a user, and is
// never shared between users. Environment variables and secrets are left out; messages are
// of a run, and not of a definition. A rule that asks for approval holds for every tool of
// that name, be it the tool's own or that in its schema.
//
//	file.go    the file, and which agent of it
//	agent.go   the agent, its model and its memory
//	tool.go    its tools, and which of them a person approves
package lettafile
