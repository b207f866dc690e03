// Package lettafile reads the agents of Letta's agent files (.af) as definitions of AAIF
// (SC-006 3.4.0). Package importers/letta reads the memory that such files hold.
//
// The package reads both shapes: {"agents":[…],"blocks":[…],"tools":[…]}, and the older one,
// a single agent with its own core_memory and tools. It also reads a file inside one JSON
// string. One agent becomes a definition; the rest of the file is listed.
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
// The package never takes over source code, let alone runs it: a tool's schema defines the
// tool. Tools of Letta's own server are reported and left out. Memory becomes the memory of
// a user, and is never shared between users. Environment variables and secrets are left out.
// Messages belong to a run, not to a definition: on request they become a checkpoint of it
// (SC-006 section 8.1), with texts and calls of tools. A rule that requires approval holds for
// every tool with that name, either its own or the name in its schema.
//
//	file.go    the file and the choice of agent
//	agent.go   the agent, its model and its memory
//	tool.go    its tools, and those that need approval
//	run.go     AAIF-8.1-10, AAIF-8.1-12   its conversation
package lettafile
