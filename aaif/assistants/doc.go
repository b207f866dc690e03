// Package assistants writes assistants of OpenAI's Assistants API, and reads them (SC-006
// 3.4.0, section 11, decision R44). The API itself is gone; what it kept lies in files.
//
//	assistant                          definition
//	name, description, instructions    the same of agent, as long as they may be
//	model                              agent.model.preferred
//	temperature, top_p                 agent.model.temperature, .params.top_p
//	reasoning_effort                   agent.model.params.extended.reasoning_effort
//	response_format                    agent.model.response_format, agent.io.output_schema
//	tools[] of type function           tools[] of protocol function
//	metadata x-aaif, x-aaif.1, …       all the rest, as part of a definition
//	created_at                         provenance.created_at
//
// What an assistant has no member for rides in its metadata, in pieces of 512 characters
// under at most 16 names, and nothing else is there. The agent_id goes first, then
// compliance, the model and the constraints, then the rest; what does not fit is listed as
// lost, and what fits as carried and not in force, since nothing acts on metadata
// (AAIF-3-4, AAIF-12-6). An assistant that does not carry all of a definition says so in
// its metadata, how much of what, and whoever reads it is told as a loss.
//
// Whoever edits the assistant is heard: a member that it has wins over what the metadata
// hold of it, and a signature that it thereby belies is left out and told. Told as well
// are what is carried of a function that is gone, or has another name, and conditions of
// compliance that name one. Metadata with a piece missing are refused.
//
// An assistant without such metadata becomes a definition with a goal made of what it
// says, of the provider openai. Its own tools, code_interpreter and file_search, are
// reported and left out.
//
//	to.go      AAIF-11-4, AAIF-11-5    a definition to an assistant
//	visible.go AAIF-11-5               members that an assistant has, too
//	carry.go   AAIF-11-6               what its metadata hold
//	cut.go     AAIF-3-4, AAIF-12-6     what they say that they do not hold
//	from.go    AAIF-11-4               an assistant to a definition
//	tools.go   AAIF-11-5               its tools
//	gone.go    AAIF-3-4, AAIF-12-6     those that it has no more
package assistants
